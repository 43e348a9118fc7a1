// SPDX-License-Identifier: Apache-2.0
// FIFO queues: order within a group, one receiver of a group at a time, and deduplication
// for five minutes.
//
// A receiver finds only the head of each group: a message behind another has
// visible_at = kBlocked. Code that removes a head calls promote_head().
#pragma once

#include <string>

#include "services/sqs/message.h"

namespace services::sqs {

// Amazon's. Receive attempts are kept as long.
inline constexpr auto kDeduplicationInterval = std::chrono::minutes(5);

std::int64_t next_sequence(store::Tx& tx, const Queue& queue);
bool group_has_messages(store::Tx& tx, const Queue& queue, const std::string& group);
void promote_head(store::Tx& tx, const Queue& queue, const std::string& group);

// The result for a message with the same deduplication id in the last five minutes.
std::optional<Sent> find_duplicate(Call& call, const Queue& queue, const Draft& draft);
void remember(Call& call, const Queue& queue, const Draft& draft, const Sent& sent);

}  // namespace services::sqs
