// SPDX-License-Identifier: Apache-2.0
// What PROVISIONING tasks wait for, for people.
#pragma once

#include <string>
#include <vector>

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/reconciliation/service_snapshot.h"
#include "shapes/stoker/explain.h"
#include "state/task.h"

namespace services::ecs {

void explain_waiting(Call& call, const state::Cluster& cluster, const state::Task& task,
                     shapes::stoker::StokerExplainResponse& response);

// Of a service.
void explain_waiting_tasks(Call& call, const ServiceSnapshot& snapshot, std::vector<std::string>& out);

}  // namespace services::ecs
