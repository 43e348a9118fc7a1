// SPDX-License-Identifier: Apache-2.0
// A task as it is sent to its agent.
#pragma once

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/tasks/stored_launch.h"
#include "shapes/agent/task.h"
#include "state/task.h"

namespace services::ecs {

// An optional list or map; an empty one where it is absent.
template <class T>
const T& list_of(const std::optional<T>& list) {
  static const T none;
  return list ? *list : none;
}

// What neither the task nor its definition states.
struct PayloadDefaults {
  std::string log_mode;  // the account's setting defaultLogDriverMode: "blocking" or "non-blocking"
  // The server, as the machine reaches it; absent for our own agent, which adds its own. Without it programs in
  // containers, and Docker's driver for awslogs, would connect to Amazon.
  std::optional<std::string> endpoint = {};
  bool execution_role = false;  // its credentials are for Docker's driver
  std::string task_id = {};
};

// Without credentials.
shapes::agent::Task to_payload(const state::Cluster& cluster, const state::Task& task, const StoredLaunch& launch,
                               const StoredTaskDefinition& definition, PayloadDefaults defaults);

// payload_docker.cc: settings without a member of their own, as bodies of Docker's create call.
shapes::agent::DockerConfig docker_config(const shapes::ecs::ContainerDefinition& container,
                                          const std::optional<std::int32_t>& memory_reservation,
                                          const PayloadDefaults& defaults, const std::string& network_mode);

}  // namespace services::ecs
