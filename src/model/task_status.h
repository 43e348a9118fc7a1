// SPDX-License-Identifier: Apache-2.0
// A task's statuses. Each has one owner: only the agent changes the known status, only plans and StopTask change the
// desired one.
#pragma once

#include <optional>
#include <string_view>

namespace model {

// In the order of a task's life cycle.
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

// Never backwards: a late or repeated report is not a transition.
bool may_become(TaskStatus from, TaskStatus to);
// STOPPED is final.
bool may_become(DesiredStatus from, DesiredStatus to);

// Whether the task still holds its CPU, memory, ports and GPUs.
bool holds_resources(TaskStatus status);

}  // namespace model
