// SPDX-License-Identifier: Apache-2.0
// A task as its agent is told of it.
#pragma once

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/tasks/task_row.h"
#include "services/ecs/definitions/definition.h"
#include "shapes/agent/task.h"

namespace services::ecs {

// A member that is a list or a map: an empty one where it is absent.
template <class T>
const T& list_of(const std::optional<T>& list) {
  static const T none;
  return list ? *list : none;
}

// Without credentials.
shapes::agent::Task to_payload(const StoredCluster& cluster, const StoredTask& task, const StoredLaunch& launch,
                               const StoredTaskDefinition& definition);

// payload_docker.cc: what has no member of its own, as bodies of Docker's create call.
shapes::agent::DockerConfig docker_config(const shapes::ecs::ContainerDefinition& container,
                                          const std::optional<std::int32_t>& memory_reservation);

}  // namespace services::ecs
