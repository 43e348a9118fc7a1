// SPDX-License-Identifier: Apache-2.0
// AWS/SQS: the metrics of queues.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "services/measurement.h"
#include "services/sqs/activity.h"
#include "services/sqs/queue.h"

namespace services::sqs {

inline constexpr char kMetricSpace[] = "AWS/SQS";

// What a queue holds at this moment.
struct QueueLevels {
  std::int64_t visible = 0, in_flight = 0, delayed = 0;
  std::int64_t age_s = 0;               // of the oldest message that was received less than three times
  std::int64_t groups_in_flight = 0;    // FIFO only
  std::int64_t messages() const { return visible + in_flight + delayed; }
};
QueueLevels read_levels(store::Tx& tx, const Queue& queue, base::Time now);

// The value of Module::measure. It keeps the ids of queues that are of interest.
class QueueMeter {
 public:
  Measured measure(Call& call, const Due& due);

 private:
  using Names = std::set<std::string>;
  void find_wanted(Call& call, const Due& due);
  void measure_queue(Call& call, std::int64_t id, bool all, bool wanted, Measured& into);

  std::map<std::int64_t, Names> wanted_;  // by the queue's id
};

// After a start: queues that hold messages are active.
void find_active_queues(Call& call);

}  // namespace services::sqs
