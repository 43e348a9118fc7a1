// SPDX-License-Identifier: Apache-2.0
// How tasks start, for RunTask, StartTask and services alike: resources are taken from the fleet, then rows are
// written, all in one transaction.
#pragma once

#include <optional>
#include <vector>

#include "scheduler/request.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/tasks/stored_launch.h"
#include "state/cluster.h"
#include "state/task.h"

namespace services::ecs {

inline constexpr std::int32_t kMaxTasksOfALaunch = 10;  // Amazon's

// What a call takes of a fleet. Later calls find it taken; it is returned where this call fails.
class Taking {
 public:
  Taking(Call& call, state::ClusterNumber cluster) : call_(call), fleets_(call.local<Fleets>()), cluster_(cluster) {}
  ~Taking();
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;

  // One decision and its hold, with nothing in between. Throws InvalidParameterException for an expression that takes
  // too long.
  scheduler::Decision decide(const scheduler::Request& request, const std::optional<model::InstanceId>& instance);

  // From here on the end of the transaction decides.
  void leave_to_transaction();

 private:
  Call& call_;
  Fleets& fleets_;
  state::ClusterNumber cluster_;
  std::vector<model::TaskId> tasks_;
};

// The name of the next task of a launch, with the request for it.
state::TaskName name_next_task(const StoredLaunch& launch, std::size_t place, scheduler::Request& request);

state::Task to_task(const StoredLaunch& launch, const state::TaskName& name, scheduler::Plan plan);

// Writes the tasks of a launch, wakes their machines and publishes their events.
void write_tasks(Call& call, const state::Cluster& cluster, const std::vector<state::Task>& tasks);

}  // namespace services::ecs
