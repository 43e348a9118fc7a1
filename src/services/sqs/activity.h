// SPDX-License-Identifier: Apache-2.0
// What happened to queues lately, counted in memory for CloudWatch. A queue that nobody uses has no entry, so idle
// queues cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "services/sqs/queue.h"

namespace services::sqs {

// Metrics that are sums of events, in the order of kCounterNames.
enum class Counter { Sent, Received, Deleted, EmptyReceives, Deduplicated, SentSize };
inline constexpr std::size_t kCounters = 6;

// The effects of one call on one queue.
struct QueueEvents {
  std::int64_t received = 0, deleted = 0, empty_receives = 0, deduplicated = 0;
  std::vector<std::int64_t> sent_sizes = {};  // in bytes, of each message
};

// Samples of one counter: how often each value occurred in each second or minute.
using Samples = std::map<double, double>;
using SampleTimes = std::map<base::Time, Samples>;

class QueueActivity {
 public:
  static constexpr base::Duration kActiveFor = std::chrono::hours(6);  // Amazon's
  static constexpr std::size_t kMaxQueues = 100000;                    // others are not published
  static constexpr std::size_t kMaxDistinctSizes = 600;                // in a second or minute; others are rounded up

  void add(std::int64_t queue, base::Time now, const QueueEvents& events);
  // Somebody looked at it.
  void touch(std::int64_t queue, base::Time now);
  void forget(std::int64_t queue);

  // Whether a metric of the queue is of interest: its changes are published at once.
  bool watched(std::int64_t queue) const;
  void set_watched(const std::set<std::int64_t>& queues);

  std::vector<std::int64_t> active(base::Time now);
  // Watched queues that have changed, as far as they may be measured again; and when the next may.
  std::pair<std::vector<std::int64_t>, std::optional<base::Time>> changed(base::Time now);
  // It is measured now, and after a change not again before `not_before`.
  void measured(std::int64_t queue, base::Time not_before);

  // Takes the samples of one counter that are older than `before`.
  SampleTimes take(std::int64_t queue, Counter counter, base::Time before);
  // Whether samples of this counter were taken in the minute that begins then.
  bool taken_in(std::int64_t queue, Counter counter, base::Time minute);

 private:
  struct Entry {
    base::Time used;
    // How often it is to be measured after a change. Twice: the first snapshot may be older than the change.
    int due = 0;
    base::Time not_before;
    std::array<SampleTimes, kCounters> counters;
    std::array<base::Time, kCounters> taken;  // the last minute of samples that were taken
  };
  struct State {
    std::unordered_map<std::int64_t, Entry> entries;
    std::set<std::int64_t> watched;

    Entry* find(std::int64_t queue);
    Entry* use(std::int64_t queue, base::Time now);  // null: there are too many
  };

  base::Guarded<State> state_;
};

// Counts once the call is committed, and makes the publisher look at once if a metric of the queue is of interest.
void note(Call& call, const Queue& queue, QueueEvents events = {});

}  // namespace services::sqs
