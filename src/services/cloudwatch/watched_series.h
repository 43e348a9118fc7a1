// SPDX-License-Identifier: Apache-2.0
// The metrics that alarms read. PutMetricData marks those that got points, and wakes the alarms' loop.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/guarded.h"

namespace services::cloudwatch {

inline constexpr char kAlarmsTopic[] = "cloudwatch/alarms";

// Keys are telemetry::metric_key(). Change it in tx.on_end.
class WatchedSeries {
 public:
  // Counted: a metric is watched until each watch() has had its unwatch().
  void watch(const std::string& key) {
    state_.with([&](State& state) { ++state.watched[key]; });
  }
  void unwatch(const std::string& key) {
    state_.with([&](State& state) {
      auto found = state.watched.find(key);
      if (found != state.watched.end() && --found->second == 0) state.watched.erase(found);
    });
  }

  // Those of the keys that are watched, each once.
  std::vector<std::string> watched(const std::vector<std::string_view>& keys) const {
    return state_.with([&](const State& state) {
      std::vector<std::string> found;
      if (state.watched.empty()) return found;
      std::string_view last;
      for (std::string_view key : keys) {
        if (key == last) continue;
        last = key;
        if (state.watched.find(key) != state.watched.end()) found.emplace_back(key);
      }
      return found;
    });
  }

  // These metrics have points that their alarms have not seen.
  void mark(const std::vector<std::string>& keys) {
    state_.with([&](State& state) { state.marked.insert(keys.begin(), keys.end()); });
  }
  std::vector<std::string> take_marked() {
    return state_.with([](State& state) {
      std::vector<std::string> marked(state.marked.begin(), state.marked.end());
      state.marked.clear();
      return marked;
    });
  }

 private:
  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  struct State {
    std::unordered_map<std::string, int, KeyHash, std::equal_to<>> watched = {};
    std::unordered_set<std::string> marked = {};
  };

  base::Guarded<State> state_;
};

}  // namespace services::cloudwatch
