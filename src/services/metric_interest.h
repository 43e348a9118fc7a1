// SPDX-License-Identifier: Apache-2.0
// Metrics that an alarm, a scaling policy or a reader used lately. Services publish these every second and when they
// change; all others once a minute. Only in memory: a use renews it.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "base/time.h"
#include "services/call.h"

namespace services {

struct MetricKey {
  std::string account, region;
  std::string space;  // the namespace: "AWS/SQS"
  std::string name;
  std::map<std::string, std::string> dimensions;
  auto operator<=>(const MetricKey&) const = default;
};

// Woken when a metric becomes of interest, and when one of interest changes.
inline constexpr char kPublishTopic[] = "metrics/publish";

class MetricInterest {
 public:
  static constexpr base::Duration kLasts = std::chrono::minutes(15);
  // Further metrics are published once a minute, until others expire.
  static constexpr std::size_t kMost = 10000;

  // True: it was not of interest before.
  bool add(const MetricKey& metric, base::Time now) {
    return until_.with([&](auto& all) {
      if (auto found = all.find(metric); found != all.end()) {
        const bool expired = found->second <= now;
        found->second = now + kLasts;
        return expired;
      }
      if (all.size() >= kMost) std::erase_if(all, [&](const auto& entry) { return entry.second <= now; });
      if (all.size() >= kMost) return false;
      return all.emplace(metric, now + kLasts).second;
    });
  }

  std::set<MetricKey> current(base::Time now) {
    return until_.with([&](auto& all) {
      std::set<MetricKey> metrics;
      std::erase_if(all, [&](const auto& entry) { return entry.second <= now; });
      for (const auto& entry : all) metrics.insert(metrics.end(), entry.first);
      return metrics;
    });
  }

 private:
  base::Guarded<std::map<MetricKey, base::Time>> until_;
};

// Namespaces in which services of ours publish.
inline bool is_built_in(std::string_view space) {
  return space.starts_with("AWS/") || space.starts_with("ECS/ContainerInsights");
}

// Call it wherever a metric is read or named by an alarm or a policy. A hint, so it takes effect even if the call fails.
inline void use_metric(Call& call, const MetricKey& metric) {
  if (!is_built_in(metric.space)) return;
  if (call.local<MetricInterest>().add(metric, call.now)) call.wake(kPublishTopic);
}

}  // namespace services
