// SPDX-License-Identifier: Apache-2.0
// The last reported CPU and memory usage of each task. Only in memory: agents report it again within a minute.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/guarded.h"
#include "base/time.h"
#include "model/ids.h"
#include "shapes/agent/telemetry.h"
#include "state/row_number.h"

namespace services::ecs {

struct ContainerUsage {
  double cpu_percent = 0;  // of the machine's registered CPU
  double memory_mib = 0;
};

struct TaskUsage {
  base::Time at;
  std::map<std::string, ContainerUsage> containers;
};

class LiveUsage {
 public:
  // Amazon's agent reports every 20 s, ours as often or every second.
  static constexpr base::Duration kValidFor = std::chrono::seconds(70);
  static constexpr std::size_t kMaxContainers = 10;    // of a task, Amazon's limit
  static constexpr std::size_t kMaxContainerName = 255;

  // The tasks of the request must be on that machine.
  void put(const model::InstanceId& instance, base::Time now, const shapes::agent::PublishMetricsRequest& request);
  void forget(const model::InstanceId& instance);
  std::map<std::string, TaskUsage> of(const model::InstanceId& instance, base::Time now) const;  // by the task's id

  // Clusters whose machines should report every second, because somebody looks at their metrics.
  void set_fast(std::set<state::ClusterNumber> clusters);
  bool fast(state::ClusterNumber cluster) const;

 private:
  base::Guarded<std::map<model::InstanceId, std::map<std::string, TaskUsage>>> tasks_;
  base::Guarded<std::set<state::ClusterNumber>> fast_;
};

}  // namespace services::ecs
