// SPDX-License-Identifier: Apache-2.0
// Tasks as a client sees them: out of their row, their launch, their definition and their machine.
#pragma once

#include <deque>
#include <map>

#include "services/ecs/machines/instance.h"
#include "services/ecs/tasks/task_row.h"
#include "services/ecs/definitions/definition.h"

namespace services::ecs {

// Shows tasks of one cluster, and reads what they have in common once.
class TaskView {
 public:
  TaskView(Call& call, const StoredCluster& cluster) : call_(call), cluster_(cluster) {}

  shapes::ecs::Task show(const StoredTask& task, bool tags);

  // What is known already need not be read. Launches and definitions have to outlive this; an instance
  // is known without the time since when it is connected, which tasks show that their agent has.
  void know(const StoredLaunch& launch) { launches_[launch.id] = &launch; }
  void know(const StoredTaskDefinition& definition) { definitions_[definition.id] = &definition; }
  void know(const model::Instance& instance);

  const StoredLaunch& launch_of(const TaskState& task);
  const StoredTaskDefinition& definition_of(const TaskState& task);

 private:
  // Of an instance, what its tasks show.
  struct Home {
    bool connected = false;
    base::Time connected_at;
    std::string zone, architecture;
  };
  const Home& home_of(const StoredTask& task);

  Call& call_;
  const StoredCluster& cluster_;
  const std::string cluster_arn_ = cluster_.arn();
  std::map<std::int64_t, const StoredLaunch*> launches_;
  std::map<std::int64_t, const StoredTaskDefinition*> definitions_;
  std::map<std::int64_t, Home> homes_;  // by number
  // What was read.
  std::deque<StoredLaunch> read_launches_;
  std::deque<StoredTaskDefinition> read_definitions_;
};

}  // namespace services::ecs
