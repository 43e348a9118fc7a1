// SPDX-License-Identifier: Apache-2.0
// What arrived in each group during a minute. A loop publishes it once a minute: AWS/Logs metrics, and the default
// values of metric filters without a match. In memory only: a crash loses the current minute's metrics, not events.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "services/logs/group.h"
#include "services/module.h"

namespace services::logs {

struct MinuteCount {
  double events = 0, bytes = 0;
  double parsing_errors = 0, validation_errors = 0;  // of Embedded Metric Format
  std::set<std::string> matched = {};                // names of metric filters

  void add(const MinuteCount& other);
};

class MinuteCounts {
 public:
  using Key = std::pair<std::int64_t, std::int64_t>;  // minute since the epoch, group

  void add(base::Time now, std::int64_t group, const MinuteCount& count);
  // Of minutes before this one.
  std::map<Key, MinuteCount> ended(base::Time now) const;
  void forget(const std::map<Key, MinuteCount>& counts);
  bool empty() const;
  // Without counts of this minute nothing may wait for its end: then the loop has to be woken.
  bool has_minute(base::Time now) const;

 private:
  base::Guarded<std::map<Key, MinuteCount>> counts_;
};

inline constexpr char kMinuteTopic[] = "logs/minutes";

// Counts once the transaction is committed.
void count_minute(Call& call, const Group& group, MinuteCount count);
Loop minute_loop();

}  // namespace services::logs
