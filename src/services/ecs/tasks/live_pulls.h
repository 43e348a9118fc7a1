// SPDX-License-Identifier: Apache-2.0
// The image pulls that tasks wait for. Only in memory: agents send them again while they change, and when they connect.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "model/ids.h"
#include "shapes/agent/extensions.h"
#include "shapes/stoker/explain.h"

namespace services::ecs {

class LivePulls {
 public:
  // Of a machine. As much as our agent sends.
  static constexpr std::size_t kMaxPulls = 100;
  static constexpr std::size_t kMaxTasks = 1000;  // of all its pulls
  static constexpr std::size_t kMaxTextBytes = 1024;

  // Replaces the pulls of this machine. Returns the tasks for which something has changed.
  std::vector<model::TaskId> put(const model::InstanceId& instance, base::Time now, shapes::agent::StokerPulls pulls);
  std::vector<model::TaskId> forget(const model::InstanceId& instance) { return put(instance, {}, {}); }
  // Those that a task of this machine waits for, without the list of its tasks.
  std::vector<shapes::agent::StokerPull> of(const model::InstanceId& instance, const model::TaskId& task) const;

 private:
  using ByTask = std::map<model::TaskId, std::vector<shapes::agent::StokerPull>>;
  base::Guarded<std::map<model::InstanceId, ByTask>> machines_;
};

// With "3 of 7 layers, 412 MiB of 1.2 GiB, extracting".
shapes::stoker::StokerPullState to_state(const shapes::agent::StokerPull& pull);

}  // namespace services::ecs
