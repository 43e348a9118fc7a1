// SPDX-License-Identifier: Apache-2.0
// The last reported load of each GPU. Only in memory: it is valid for a second.
#pragma once

#include <map>

#include "base/guarded.h"
#include "model/ids.h"
#include "shapes/agent/extensions.h"

namespace services::ecs {

class LiveGpus {
 public:
  void put(const model::InstanceId& instance, shapes::agent::StokerGpuSamples samples) {
    samples_.with([&](auto& all) { all[instance] = std::move(samples); });
  }
  void forget(const model::InstanceId& instance) {
    samples_.with([&](auto& all) { all.erase(instance); });
  }
  // Empty where its agent is away.
  shapes::agent::StokerGpuSamples of(const model::InstanceId& instance) {
    return samples_.with([&](auto& all) {
      auto found = all.find(instance);
      return found == all.end() ? shapes::agent::StokerGpuSamples() : found->second;
    });
  }

 private:
  base::Guarded<std::map<model::InstanceId, shapes::agent::StokerGpuSamples>> samples_;
};

}  // namespace services::ecs
