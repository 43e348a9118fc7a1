// SPDX-License-Identifier: Apache-2.0
// Chooses the messages for a receiver and marks them as in flight.
#pragma once

#include <string>
#include <vector>

#include "services/sqs/queue.h"

namespace services::sqs {

struct Delivered {
  std::int64_t seq = 0, token = 0;
  std::string message_id, body, sender;
  base::Time sent_at, first_received_at;
  std::int64_t receive_count = 0;
  std::int64_t former_receives = 0;  // in the queues that it was moved from
  std::string attributes;  // encode_attributes()
  std::optional<std::string> trace_header, group_id, deduplication_id, source_arn;
  std::optional<std::int64_t> sequence;
};

struct Delivery {
  std::vector<Delivered> messages = {};
  bool more = false;  // it stopped after many expired or dead messages: run again at once
};

// Up to `most` messages, invisible for `visibility`. It deletes expired messages on its
// way, and moves those that were received too often to the dead-letter queue.
Delivery deliver(Call& call, const Queue& queue, std::size_t most, base::Duration visibility);

// FIFO: the messages that the same attempt received before, if all are still in flight.
std::vector<Delivered> deliver_again(Call& call, const Queue& queue, const std::string& attempt_id,
                                     base::Duration visibility);
void remember_attempt(Call& call, const Queue& queue, const std::string& attempt_id,
                      const std::vector<Delivered>& messages);

// When the next invisible message becomes visible.
std::optional<base::Time> next_visible(store::Tx& tx, const Queue& queue, base::Time now);

}  // namespace services::sqs
