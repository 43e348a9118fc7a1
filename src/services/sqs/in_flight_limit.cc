// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/in_flight_limit.h"

#include <unordered_map>

#include "base/guarded.h"
#include "services/sqs/lot.h"

namespace services::sqs {
namespace {

constexpr std::int64_t kMaxInFlight = 120000;
constexpr auto kRecountAfter = std::chrono::minutes(1);
constexpr std::size_t kMaxLots = 100000;

// At most so many are in flight: a count, and what was received since. Counting for
// each receive would make receives slower the more is in flight, so it is done again
// only when the bound reaches the limit, or is old.
struct Bound {
  std::int64_t most = 0;
  base::Time counted_at;
};

base::Guarded<std::unordered_map<std::int64_t, Bound>> bounds;

}  // namespace

std::size_t room_in_flight(store::Tx& tx, const Queue& queue, base::Time now, std::size_t wanted) {
  auto bound = bounds.with([&](auto& lots) -> std::optional<Bound> {
    auto found = lots.find(queue.lot);
    return found == lots.end() ? std::nullopt : std::optional(found->second);
  });
  if (!bound || bound->most + static_cast<std::int64_t>(wanted) > kMaxInFlight ||
      now - bound->counted_at > kRecountAfter) {
    bound = Bound{count_messages_in_flight(tx, queue, now), now};
    bounds.with([&](auto& lots) {
      if (lots.size() >= kMaxLots) lots.clear();
      lots[queue.lot] = *bound;
    });
  }
  const std::int64_t room = std::max<std::int64_t>(0, kMaxInFlight - bound->most);
  return std::min(wanted, static_cast<std::size_t>(room));
}

void count_in_flight(const Queue& queue, std::size_t received) {
  bounds.with([&](auto& lots) { lots[queue.lot].most += static_cast<std::int64_t>(received); });
}

}  // namespace services::sqs
