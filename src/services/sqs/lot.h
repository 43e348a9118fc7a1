// SPDX-License-Identifier: Apache-2.0
// A lot is the messages of one queue. Purging a queue gives it a new lot; the sweep
// empties the old one, a slice at a time.
#pragma once

#include <cstdint>

#include "services/sqs/queue.h"

namespace services::sqs {

// Woken when a lot is closed.
inline constexpr char kSweepTopic[] = "sqs/sweep";

// visible_at of a FIFO message behind another of its group.
inline constexpr std::int64_t kBlocked = 1LL << 62;
// visible_at of a prioritized message: so much before its time of sending, for each step of its priority. More than any
// retention period, so that the order of arrival never outweighs a priority.
inline constexpr base::Duration kPriorityStep = std::chrono::days(30);
inline constexpr std::int64_t kMaxPriority = 9;

struct Counts {
  std::int64_t visible = 0, in_flight = 0, delayed = 0;
};

std::int64_t open_lot(store::Tx& tx, const std::string& account);
void close_lot(Call& call, std::int64_t lot);

Counts count_messages(store::Tx& tx, const Queue& queue, base::Time now);
std::int64_t count_messages_in_flight(store::Tx& tx, const Queue& queue, base::Time now);

// Applies a FIFO queue's new delay to the heads of its groups.
void redelay_lot(store::Tx& tx, const Queue& queue);

}  // namespace services::sqs
