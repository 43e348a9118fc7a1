// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/recent_counts.h"

#include <optional>

namespace services::sqs {
namespace {

constexpr std::size_t kMaxCountedLots = 10000;

}  // namespace

Counts RecentCounts::count(store::Tx& tx, const Queue& queue, base::Time now) {
  const auto recent = lots_.with([&](const auto& lots) -> std::optional<Counts> {
    auto found = lots.find(queue.lot);
    const bool valid = found != lots.end() && found->second.at <= now && now < found->second.until;
    return valid ? std::optional(found->second.counts) : std::nullopt;
  });
  if (recent) return *recent;
  const Counts counts = count_messages(tx, queue, now);
  // Not before the commit: a transaction that writes may count rows that it takes back.
  tx.on_end([this, counts, now, lot = queue.lot](bool committed) {
    if (committed) keep(lot, {counts, now, {}});
  });
  return counts;
}

void RecentCounts::keep(std::int64_t lot, Counted counted) {
  const std::int64_t messages = counted.counts.visible + counted.counts.in_flight + counted.counts.delayed;
  counted.until = counted.at + base::Duration(messages / kMessagesPerMillisecond);
  lots_.with([&](auto& lots) {
    if (messages < kExactBelow) {
      lots.erase(lot);
      return;
    }
    if (lots.size() >= kMaxCountedLots) lots.clear();
    lots[lot] = counted;
  });
}

}  // namespace services::sqs
