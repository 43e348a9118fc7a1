// SPDX-License-Identifier: Apache-2.0
// PROVISIONING tasks: they have a capacity provider with managed scaling, and found no room on its machines. They wait
// in the database, hold nothing, and are placed when there is room.
#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "model/task_status.h"
#include "scheduler/request.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/tasks/stored_launch.h"
#include "state/cluster.h"
#include "state/task.h"

namespace services::ecs {

inline constexpr std::int64_t kMaxWaiting = 500;                       // Amazon's, per cluster
inline constexpr base::Duration kWaitsFor = std::chrono::minutes(30);  // Amazon's: 10 to 30 minutes

// How many more tasks of the cluster may wait.
std::int64_t waiting_room(Call& call, state::ClusterNumber cluster);

// The request names the task and its provider.
state::Task to_waiting_task(const StoredLaunch& launch, const state::TaskName& name, const scheduler::Request& request);

// STOPPED at once: it has no agent to wait for.
void stop_waiting(Call& call, state::TaskState& task, model::StopCode code, const std::string& reason);

// What waiting tasks ask for, each launch read once.
class WaitingRequests {
 public:
  explicit WaitingRequests(store::Tx& tx) : tx_(tx) {}

  // nullptr: its definition is broken. Valid until the next call.
  scheduler::Request* of(const state::Task& task);

 private:
  store::Tx& tx_;
  std::map<state::LaunchNumber, std::optional<scheduler::Request>> requests_;
};

}  // namespace services::ecs
