// SPDX-License-Identifier: Apache-2.0
// A task's life in ECS's words. Each status has one owner: the agent alone moves the
// known one, plans and StopTask alone move the desired one.
#pragma once

#include <optional>
#include <string_view>

namespace model {

// In the order of a task's life.
enum class TaskStatus {
  Provisioning,
  Pending,
  Activating,
  Running,
  Deactivating,
  Stopping,
  Deprovisioning,
  Stopped,
  Deleted,
};

enum class DesiredStatus { Running, Stopped };

enum class StopCode {
  TaskFailedToStart,
  EssentialContainerExited,
  UserInitiated,
  ServiceSchedulerInitiated,
  SpotInterruption,
  TerminationNotice,
};

std::string_view text(TaskStatus status);     // "PROVISIONING"
std::string_view text(DesiredStatus status);  // "RUNNING"
std::string_view text(StopCode code);         // "TaskFailedToStart"
std::optional<TaskStatus> task_status(std::string_view text);
std::optional<DesiredStatus> desired_status(std::string_view text);
std::optional<StopCode> stop_code(std::string_view text);

// Never backwards: a report that arrives late or twice is not a transition.
bool may_become(TaskStatus from, TaskStatus to);
// A task that was told to stop is never told to run again.
bool may_become(DesiredStatus from, DesiredStatus to);

// Whether its CPU, memory, ports and GPUs are still its own.
bool holds_resources(TaskStatus status);

}  // namespace model
