// SPDX-License-Identifier: Apache-2.0
// The queue of a cluster: PROVISIONING tasks of RunTask with the tag stoker:wait, and without a capacity provider. The
// oldest is placed first: none overtakes it, even one that needs less. They wait without a limit of time.
#pragma once

#include "services/ecs/tasks/stored_launch.h"
#include "shapes/stoker/explain.h"
#include "state/cluster.h"
#include "state/task.h"

namespace services::ecs {

// Of a cluster: each look at it reads all of them.
inline constexpr std::int64_t kMaxQueued = 500;
// How many more tasks may join the queue.
std::int64_t queue_room(Call& call, state::ClusterNumber cluster);

// Whether the tasks of a launch without a capacity provider wait for room.
bool waits_in_queue(const StoredLaunch& launch);

// Of a PROVISIONING task: whether it is in the queue, and not one of a capacity provider.
bool is_queued(const state::Task& task);
bool has_queue(Call& call, state::ClusterNumber cluster);

void explain_queue(Call& call, const state::Cluster& cluster, const state::Task& task,
                   shapes::stoker::StokerExplainResponse& response);

}  // namespace services::ecs
