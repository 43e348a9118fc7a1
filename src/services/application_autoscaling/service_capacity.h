// SPDX-License-Identifier: Apache-2.0
// The capacity of an ECS service: its desired count, and the tasks that run.
#pragma once

#include <optional>
#include <string>

#include "services/application_autoscaling/scalable_target.h"
#include "services/call.h"

namespace services::application_autoscaling {

struct ServiceCapacity {
  int desired = 0, running = 0;
  bool deploying = false;  // ECS blocks scaling in during a deployment
  bool daemon = false;
};

// nullopt: the service is absent or not ACTIVE.
std::optional<ServiceCapacity> read_capacity(store::Tx& tx, const std::string& account, const std::string& region,
                                             const std::string& resource);

// Changes the desired count with ECS's UpdateService. Throws what it throws.
void set_desired_count(Call& call, const StoredTarget& target, int desired);

}  // namespace services::application_autoscaling
