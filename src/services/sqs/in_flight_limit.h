// SPDX-License-Identifier: Apache-2.0
// Amazon's limit on messages that are received and not yet deleted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/guarded.h"
#include "services/sqs/queue.h"

namespace services::sqs {

// Keeps an upper bound for each lot: a count, and what was received since. Counting for each receive would make
// receives slower the more is in flight, so it counts again only when the bound reaches the limit, or is old.
// A transaction that is rolled back leaves its bound too high, which the next count corrects.
class InFlightLimit {
 public:
  // How many of `wanted` messages a receiver may get now.
  std::size_t room(store::Tx& tx, const Queue& queue, base::Time now, std::size_t wanted);
  void add(const Queue& queue, std::size_t received);

 private:
  struct Bound {
    std::int64_t most = 0;
    base::Time counted_at;
  };

  base::Guarded<std::unordered_map<std::int64_t, Bound>> bounds_;  // by lot
};

}  // namespace services::sqs
