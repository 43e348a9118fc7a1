// SPDX-License-Identifier: Apache-2.0
// StokerExplain for a service: what it runs, what it waits for, and which setting would help.
#pragma once

#include <string>
#include <vector>

#include "services/ecs/reconciliation/service_snapshot.h"
#include "shapes/stoker/explain.h"

namespace services::ecs {

// Throws ServiceNotFoundException.
shapes::stoker::StokerExplainResponse explain_service(Call& call, const state::Cluster& cluster,
                                                      const std::string& service);

// Its parts, each of which adds sentences.

// What keeps the bounds, the machines or a back-off from a start.
void explain_waits(Call& call, const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan,
                   shapes::stoker::StokerExplainResponse& response);
// Tasks that failed, and what follows from that.
void explain_failures(Call& call, const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan,
                      std::vector<std::string>& out);

// "1 task", "2 tasks"
std::string count_tasks(std::int64_t count);
// "web:3" of a deployment, or "a deleted task definition".
std::string revision_name(const ServiceSnapshot& snapshot, state::DeploymentNumber deployment);

}  // namespace services::ecs
