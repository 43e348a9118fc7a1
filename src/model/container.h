// SPDX-License-Identifier: Apache-2.0
// A container within its task: statuses, health, restarts.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/task_status.h"

namespace model {

enum class ContainerStatus { Pending, Running, Stopped };
enum class Health { Healthy, Unhealthy, Unknown };

std::string_view text(ContainerStatus status);  // "PENDING"
std::string_view text(Health health);           // "HEALTHY"
std::optional<ContainerStatus> container_status(std::string_view text);
std::optional<Health> health(std::string_view text);

// A restart by policy is not a transition: the container stays RUNNING.
bool may_become(ContainerStatus from, ContainerStatus to);

// Amazon's limits and default.
inline constexpr std::chrono::seconds kMinRestartPeriod{60}, kMaxRestartPeriod{1800}, kDefaultRestartPeriod{300};
inline constexpr std::size_t kMaxIgnoredExitCodes = 50;

struct RestartPolicy {
  bool enabled = false;
  std::vector<int> ignored_exit_codes;
  std::chrono::seconds attempt_period = kDefaultRestartPeriod;
};

// A container that exits within its first period stays stopped.
bool restarts(const RestartPolicy& policy, int exit_code, std::chrono::milliseconds ran_for);

struct ContainerState {
  bool essential = true;
  ContainerStatus status = ContainerStatus::Pending;
  std::optional<Health> health;  // absent: no health check
};

// A task's status from its containers: RUNNING once each has started (one that is not essential may have stopped
// since), STOPPED once all have stopped, else PENDING.
TaskStatus known_status(std::span<const ContainerState> containers);

// The health of the essential containers with a health check; UNKNOWN without any.
Health task_health(std::span<const ContainerState> containers);

}  // namespace model
