// SPDX-License-Identifier: Apache-2.0
// A message's way into a lot, from one to another, and out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/sqs/queue.h"
#include "shapes/sqs/message.h"

namespace services::sqs {

using MessageAttributes = std::map<std::string, shapes::sqs::MessageAttributeValue>;

// A message that has been checked and may be put into its queue. The body is the
// request's own.
struct Draft {
  std::string_view body;
  std::string attributes;  // as encode_attributes() writes them; "" for none
  std::optional<std::string> trace_header;
  std::optional<std::string> group_id, deduplication_id;
  std::int64_t delay_ms = 0;
};

struct Sent {
  std::string message_id;
  std::optional<std::int64_t> sequence;  // FIFO
};

// In order; all of a standard queue's with one statement.
std::vector<Sent> put_messages(Call& call, const Queue& queue, std::span<const Draft> drafts);
std::string read_body(store::Tx& tx, std::int64_t seq);
// nullopt for a message without a group and for a missing one.
std::optional<std::string> group_of(store::Tx& tx, std::int64_t seq);

// Takes it away; a FIFO group's next message moves up. `large`: its body may be in a row
// of its own.
void remove_message(store::Tx& tx, const Queue& queue, std::int64_t seq, bool large = true);
// The rows alone.
void erase_message(store::Tx& tx, std::int64_t seq);
// To its dead-letter queue: the same message, with the time at which it was sent.
void bury_message(Call& call, const Queue& from, const Queue& to, std::int64_t seq);
// Back from it: Amazon makes it a new message, with a new id and time.
void revive_message(Call& call, const Queue& from, const Queue& to, std::int64_t seq);

// The bytes that Amazon takes the MD5 of: names in order, each with type and value,
// lengths in front. They are also how attributes are kept.
std::string encode_attributes(const MessageAttributes& attributes);
MessageAttributes decode_attributes(std::string_view bytes);

// Sequence numbers are 20 digits, as Amazon's are.
std::string sequence_number(std::int64_t sequence);

}  // namespace services::sqs
