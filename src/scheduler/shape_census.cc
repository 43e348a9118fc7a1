// SPDX-License-Identifier: Apache-2.0
#include "scheduler/shape_census.h"

#include "base/check.h"

namespace scheduler {

TaskShape shape_of(const model::TaskHold& hold) {
  TaskShape shape{.cpu = hold.cpu, .memory_mib = hold.memory_mib};
  for (const model::GpuHold& gpu : hold.gpus) {
    shape.gpus += gpu.shared_memory_mib == 0 ? 1 : 0;
    shape.share_mib += gpu.shared_memory_mib;
  }
  return shape;
}

void ShapeCensus::add(const model::TaskHold& hold) {
  ++counts_[shape_of(hold)];
  ++tasks_;
}

void ShapeCensus::remove(const model::TaskHold& hold) {
  auto found = counts_.find(shape_of(hold));
  CHECK(found != counts_.end()) << "task " << hold.task.str() << " was not counted";
  if (--found->second == 0) counts_.erase(found);
  --tasks_;
}

}  // namespace scheduler
