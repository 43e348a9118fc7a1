// SPDX-License-Identifier: Apache-2.0
// The shapes of the tasks that a fleet holds, and how many tasks have each: what future tasks will probably look like.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

#include "model/instance.h"

namespace scheduler {

// What a task takes from its machine. Computed from the hold alone, so that a restart finds the same shapes.
struct TaskShape {
  int gpus = 0;                // whole ones
  std::int64_t share_mib = 0;  // of one GPU
  std::int64_t cpu = 0, memory_mib = 0;
  auto operator<=>(const TaskShape&) const = default;
};

TaskShape shape_of(const model::TaskHold& hold);

class ShapeCensus {
 public:
  void add(const model::TaskHold& hold);
  void remove(const model::TaskHold& hold);

  // A shape is forgotten with its last task, so there are never more shapes than tasks.
  const std::map<TaskShape, std::int64_t>& counts() const { return counts_; }
  std::int64_t tasks() const { return tasks_; }

 private:
  std::map<TaskShape, std::int64_t> counts_;
  std::int64_t tasks_ = 0;
};

}  // namespace scheduler
