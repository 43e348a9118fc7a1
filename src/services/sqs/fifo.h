// SPDX-License-Identifier: Apache-2.0
// What FIFO queues add: order within a group, one holder of a group at a time, and
// five minutes of deduplication.
//
// Of each group only the head may be found by a receiver: a message behind another
// has visible_at = kBlocked. Whoever takes a head away calls promote_head().
#pragma once

#include <string>

#include "services/sqs/message.h"

namespace services::sqs {

// Amazon's; receive attempts are remembered as long.
inline constexpr auto kDeduplicationInterval = std::chrono::minutes(5);

std::int64_t next_sequence(store::Tx& tx, const Queue& queue);
bool group_has_messages(store::Tx& tx, const Queue& queue, const std::string& group);
void promote_head(store::Tx& tx, const Queue& queue, const std::string& group);

// What a message with the same deduplication id was answered in the last five minutes.
std::optional<Sent> find_duplicate(Call& call, const Queue& queue, const Draft& draft);
void remember(Call& call, const Queue& queue, const Draft& draft, const Sent& sent);

}  // namespace services::sqs
