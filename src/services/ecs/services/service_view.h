// SPDX-License-Identifier: Apache-2.0
// Services as a client sees them.
#pragma once

#include "services/ecs/services/stored_service.h"
#include "shapes/ecs/service.h"

namespace services::ecs {

shapes::ecs::Service show_service(Call& call, const state::Cluster& cluster, const StoredService& service, bool tags);

// What service deployments and services show of a revision.
struct RevisionCounts {
  std::int32_t requested = 0, running = 0, pending = 0;
};
RevisionCounts count_revision(const state::Service& service, const state::Deployment& deployment,
                              const std::map<state::DeploymentNumber, state::TaskCounts>& tasks);

std::string definition_arn(store::Tx& tx, const state::Cluster& cluster, state::DefinitionNumber number);

}  // namespace services::ecs
