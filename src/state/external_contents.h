// SPDX-License-Identifier: Apache-2.0
// What of a cluster's contents has the launch type EXTERNAL. Only statistics need it.
#pragma once

#include "state/cluster.h"
#include "state/service.h"

namespace state {

struct ExternalTasks {
  std::int32_t running = 0, pending = 0;
};
ExternalTasks count_external_tasks(store::Tx& tx, ClusterNumber cluster);

// The bodies of services that are ACTIVE, or DRAINING: their launch type is in them.
std::vector<std::string> list_service_bodies(store::Tx& tx, ClusterNumber cluster, ServiceStatus status);

}  // namespace state
