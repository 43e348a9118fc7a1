// SPDX-License-Identifier: Apache-2.0
// Tasks as a client sees them: made of their row, their launch, their definition and their machine.
#pragma once

#include <deque>
#include <map>

#include "services/ecs/arn.h"
#include "services/ecs/definitions/definition.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/tasks/stored_launch.h"
#include "state/task.h"

namespace services::ecs {

// Shows tasks of one cluster, and reads what they have in common once.
class TaskView {
 public:
  TaskView(Call& call, const state::Cluster& cluster) : call_(call), cluster_(cluster) {}

  shapes::ecs::Task show(const state::Task& task, bool tags);

  // What the caller has already need not be read. Launches and definitions must outlive this. An instance is
  // added without the time since when it is connected, which only tasks that were delivered show.
  void add(const StoredLaunch& launch) { launches_[launch.number] = &launch; }
  void add(const StoredTaskDefinition& definition) { definitions_[definition.number] = &definition; }
  void add(const model::Instance& instance);

  const StoredLaunch& launch_of(const state::TaskState& task);
  const StoredTaskDefinition& definition_of(const state::TaskState& task);
  // Whether the task's definition has a container of this name.
  bool has_container(const state::TaskState& task, const std::string& name);

 private:
  // What tasks show of their instance.
  struct Home {
    bool connected = false;
    base::Time connected_at;
    std::string zone, architecture;
    bool can_exec = false;
  };
  const Home& home_of(const state::Task& task);

  Call& call_;
  const state::Cluster& cluster_;
  const std::string cluster_arn_ = cluster_arn(cluster_);
  std::map<state::LaunchNumber, const StoredLaunch*> launches_;
  std::map<state::DefinitionNumber, const StoredTaskDefinition*> definitions_;
  std::map<std::int64_t, Home> homes_;  // by the number of the machine
  // What was read.
  std::deque<StoredLaunch> read_launches_;
  std::deque<StoredTaskDefinition> read_definitions_;
};

}  // namespace services::ecs
