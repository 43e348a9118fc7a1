// SPDX-License-Identifier: Apache-2.0
// Clusters with capacity providers, in memory: a change in any other cluster costs one lookup.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "services/call.h"
#include "services/metric_interest.h"
#include "state/row_number.h"

namespace services::ecs {

// Tasks that wait, protections and drains have to be looked at.
inline constexpr std::string_view kCapacityTopic = "ecs/capacity";

class CapacityIndex {
 public:
  void add(state::ClusterNumber cluster) {
    state_.with([&](State& state) { state.clusters.insert(cluster); });
  }
  bool has(state::ClusterNumber cluster) const {
    return state_.with([&](const State& state) { return state.clusters.contains(cluster); });
  }
  std::set<state::ClusterNumber> clusters() const {
    return state_.with([](const State& state) { return state.clusters; });
  }

  // Whether something has changed since this was last called.
  void touch() {
    state_.with([](State& state) { state.touched = true; });
  }
  bool take_touched() {
    return state_.with([](State& state) { return std::exchange(state.touched, false); });
  }

  // Keeps the value as the last that was measured; whether it differs from the one before it.
  bool changes(const MetricKey& metric, double value) {
    return state_.with([&](State& state) {
      const auto [known, added] = state.values.try_emplace(metric, value);
      const bool changed = added || known->second != value;
      known->second = value;
      return changed;
    });
  }

 private:
  struct State {
    std::set<state::ClusterNumber> clusters = {};
    std::map<MetricKey, double> values = {};
    bool touched = true;
  };
  base::Guarded<State> state_;
};

// The cluster has a capacity provider, or a machine that is drained, once the call is committed. Until the next start
// of the server it stays in the index.
void watch_capacity(Call& call, state::ClusterNumber cluster);
// Tasks or machines of the cluster have changed.
void mark_capacity(Call& call, state::ClusterNumber cluster);

// At start.
void load_capacity(Call& call);

}  // namespace services::ecs
