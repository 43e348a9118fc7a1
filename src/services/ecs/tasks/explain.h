// SPDX-License-Identifier: Apache-2.0
// StokerExplain, for a task and for a task definition; services/explain_service.h is for a service.
#pragma once

#include "scheduler/request.h"
#include "services/ecs/clusters/cluster.h"
#include "shapes/stoker/explain.h"
#include "state/task.h"

namespace services::ecs {

// What it waits for, or why it stopped.
shapes::stoker::StokerExplainResponse explain_task(Call& call, const state::Cluster& cluster, const state::Task& task);

// Why a machine does not fit, with what the database knows of it.
shapes::stoker::StokerMachineVerdict explain_failure(Call& call, const state::Cluster& cluster,
                                                     const scheduler::Failure& failure);

// Whether it could be placed at this moment, and where; else why not, for each machine.
shapes::stoker::StokerExplainResponse explain_placement(Call& call, const state::Cluster& cluster,
                                                        const shapes::stoker::StokerExplainRequest& request);

}  // namespace services::ecs
