// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/in_flight_limit.h"

#include <algorithm>

#include "services/sqs/lot.h"

namespace services::sqs {
namespace {

constexpr std::int64_t kMaxInFlight = 120000;
constexpr auto kRecountAfter = std::chrono::minutes(1);
constexpr std::size_t kMaxLots = 100000;

}  // namespace

std::size_t InFlightLimit::room(store::Tx& tx, const Queue& queue, base::Time now, std::size_t wanted) {
  auto bound = bounds_.with([&](auto& lots) -> std::optional<Bound> {
    auto found = lots.find(queue.lot);
    return found == lots.end() ? std::nullopt : std::optional(found->second);
  });
  if (!bound || bound->most + static_cast<std::int64_t>(wanted) > kMaxInFlight ||
      now - bound->counted_at > kRecountAfter) {
    bound = Bound{count_messages_in_flight(tx, queue, now), now};
    bounds_.with([&](auto& lots) {
      if (lots.size() >= kMaxLots) lots.clear();
      lots[queue.lot] = *bound;
    });
  }
  const std::int64_t room = std::max<std::int64_t>(0, kMaxInFlight - bound->most);
  return std::min(wanted, static_cast<std::size_t>(room));
}

void InFlightLimit::add(const Queue& queue, std::size_t received) {
  bounds_.with([&](auto& lots) { lots[queue.lot].most += static_cast<std::int64_t>(received); });
}

}  // namespace services::sqs
