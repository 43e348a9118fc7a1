// SPDX-License-Identifier: Apache-2.0
// Inserts, moves and deletes messages.
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

// A checked message for its queue. The body points into the request.
struct Draft {
  std::string_view body;
  std::string attributes;  // of encode_attributes(); "" for none
  std::optional<std::string> trace_header;
  std::optional<std::string> group_id, deduplication_id;
  std::int64_t delay_ms = 0;
  std::size_t size_bytes = 0;  // with its attributes
};

struct Sent {
  std::string message_id;
  std::optional<std::int64_t> sequence;  // FIFO
  bool duplicate = false;                // of an earlier message: it was not added
};

// In order. Those of a standard queue are inserted by one statement.
std::vector<Sent> put_messages(Call& call, const Queue& queue, std::span<const Draft> drafts);
std::string read_body(store::Tx& tx, std::int64_t seq);
// nullopt for a message without a group and for a missing one.
std::optional<std::string> group_of(store::Tx& tx, std::int64_t seq);

// Deletes a message; a FIFO group's next one becomes its head. `large`: its body may be in
// a row of its own. Returns its bytes, which the caller frees with add_usage.
[[nodiscard]] std::int64_t remove_message(store::Tx& tx, const Queue& queue, std::int64_t seq, bool large = true);
// The rows alone.
[[nodiscard]] std::int64_t erase_message(store::Tx& tx, std::int64_t seq, bool large = true);
// To its dead-letter queue: the same message with the same time of sending.
void bury_message(Call& call, const Queue& from, const Queue& to, std::int64_t seq);
// Back from it: a new message with a new id and time, as at Amazon.
void revive_message(Call& call, const Queue& from, const Queue& to, std::int64_t seq);

// The bytes of which Amazon computes the MD5: sorted names, each with its type and value,
// after their lengths. Attributes are stored in this form.
std::string encode_attributes(const MessageAttributes& attributes);
MessageAttributes decode_attributes(std::string_view bytes);

// Sequence numbers are 20 digits, as Amazon's are.
std::string sequence_number(std::int64_t sequence);

}  // namespace services::sqs
