// SPDX-License-Identifier: Apache-2.0
#include "model/container.h"

#include <algorithm>

namespace model {

std::string_view text(ContainerStatus status) {
  switch (status) {
    case ContainerStatus::Pending: return "PENDING";
    case ContainerStatus::Running: return "RUNNING";
    case ContainerStatus::Stopped: return "STOPPED";
  }
  return "";
}

std::string_view text(Health health) {
  switch (health) {
    case Health::Healthy: return "HEALTHY";
    case Health::Unhealthy: return "UNHEALTHY";
    case Health::Unknown: return "UNKNOWN";
  }
  return "";
}

std::optional<ContainerStatus> container_status(std::string_view name) {
  using enum ContainerStatus;
  for (ContainerStatus status : {Pending, Running, Stopped}) {
    if (text(status) == name) return status;
  }
  return std::nullopt;
}

std::optional<Health> health(std::string_view name) {
  for (Health health : {Health::Healthy, Health::Unhealthy, Health::Unknown}) {
    if (text(health) == name) return health;
  }
  return std::nullopt;
}

bool may_become(ContainerStatus from, ContainerStatus to) { return from < to; }

bool restarts(const RestartPolicy& policy, int exit_code, std::chrono::milliseconds ran_for) {
  if (!policy.enabled || ran_for < policy.attempt_period) return false;
  return std::ranges::count(policy.ignored_exit_codes, exit_code) == 0;
}

TaskStatus known_status(std::span<const ContainerState> containers) {
  auto has = [](ContainerStatus status) {
    return [status](const ContainerState& container) { return container.status == status; };
  };
  if (std::ranges::all_of(containers, has(ContainerStatus::Stopped))) return TaskStatus::Stopped;
  if (std::ranges::any_of(containers, has(ContainerStatus::Pending))) return TaskStatus::Pending;
  return TaskStatus::Running;
}

Health task_health(std::span<const ContainerState> containers) {
  bool all_healthy = true, any_checked = false;
  for (const ContainerState& container : containers) {
    if (!container.essential || !container.health) continue;
    any_checked = true;
    if (*container.health == Health::Unhealthy) return Health::Unhealthy;
    all_healthy = all_healthy && *container.health == Health::Healthy;
  }
  return any_checked && all_healthy ? Health::Healthy : Health::Unknown;
}

}  // namespace model
