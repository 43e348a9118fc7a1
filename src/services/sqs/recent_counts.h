// SPDX-License-Identifier: Apache-2.0
// The counts of large queues, kept for a moment: counting reads an entry of an index for each message.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/guarded.h"
#include "services/sqs/lot.h"

namespace services::sqs {

class RecentCounts {
 public:
  // Below this many messages a count is always exact.
  static constexpr std::int64_t kExactBelow = 20000;
  // A count is kept for a millisecond for each so many messages: an account that counts all the time uses about a tenth
  // of a processor for each queue.
  static constexpr std::int64_t kMessagesPerMillisecond = 1000;

  Counts count(store::Tx& tx, const Queue& queue, base::Time now);

 private:
  struct Counted {
    Counts counts;
    base::Time at, until;
  };
  void keep(std::int64_t lot, Counted counted);

  base::Guarded<std::unordered_map<std::int64_t, Counted>> lots_;
};

}  // namespace services::sqs
