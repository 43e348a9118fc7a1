// SPDX-License-Identifier: Apache-2.0
// What agents said last of their GPUs' load. Only in memory: it is true for a second.
#pragma once

#include <map>
#include <string>

#include "base/guarded.h"
#include "shapes/agent/extensions.h"

namespace services::ecs {

class LiveGpus {
 public:
  void put(const std::string& instance, shapes::agent::StokerGpuSamples samples) {
    samples_.with([&](auto& all) { all[instance] = std::move(samples); });
  }
  void forget(const std::string& instance) {
    samples_.with([&](auto& all) { all.erase(instance); });
  }
  // None where its agent is away.
  shapes::agent::StokerGpuSamples of(const std::string& instance) {
    return samples_.with([&](auto& all) {
      auto found = all.find(instance);
      return found == all.end() ? shapes::agent::StokerGpuSamples() : found->second;
    });
  }

 private:
  base::Guarded<std::map<std::string, shapes::agent::StokerGpuSamples>> samples_;
};

}  // namespace services::ecs
