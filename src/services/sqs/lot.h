// SPDX-License-Identifier: Apache-2.0
// A lot is the messages of one queue. Purging a queue gives it a new lot; the old
// one is emptied by the sweep, a slice at a time, out of everybody's way.
#pragma once

#include <cstdint>

#include "services/sqs/queue.h"

namespace services::sqs {

// Woken when there is a dead lot to be emptied.
inline constexpr char kSweepTopic[] = "sqs/sweep";

// visible_at of a FIFO message that waits behind another of its group.
inline constexpr std::int64_t kBlocked = 1LL << 62;

struct Counts {
  std::int64_t visible = 0, in_flight = 0, delayed = 0;
};

std::int64_t open_lot(store::Tx& tx);
void close_lot(Call& call, std::int64_t lot);

Counts count_messages(store::Tx& tx, const Queue& queue, base::Time now);
std::int64_t count_messages_in_flight(store::Tx& tx, const Queue& queue, base::Time now);

// Gives a FIFO queue's waiting heads its new delay.
void redelay_lot(store::Tx& tx, const Queue& queue);

}  // namespace services::sqs
