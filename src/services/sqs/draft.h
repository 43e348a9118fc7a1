// SPDX-License-Identifier: Apache-2.0
// Checks what a client wants to send, and makes a Draft of it.
#pragma once

#include "services/sqs/message.h"

namespace services::sqs {

using SystemAttributes = std::map<std::string, shapes::sqs::MessageSystemAttributeValue>;

// The members that SendMessage and an entry of SendMessageBatch have in common.
struct Outgoing {
  const std::string& body;
  const std::optional<std::int32_t>& delay_s;
  const std::optional<MessageAttributes>& attributes;
  const std::optional<SystemAttributes>& system_attributes;
  const std::optional<std::string>& deduplication_id;
  const std::optional<std::string>& group_id;
};

// What a FIFO queue can't do without. Apart, because a batch that lacks it in one
// entry is refused whole.
void check_fifo_ids(const Queue& queue, const Outgoing& outgoing);

Draft make_draft(const Queue& queue, const Outgoing& outgoing);

// Throws for an id that is not 1 to 128 printable ASCII characters.
void check_id(std::string_view parameter, const std::string& id);

// What Amazon counts against its limits: body, and each attribute's name, type and value.
std::size_t size_bytes(const Outgoing& outgoing);

// The one system attribute that may be sent, in the form that its MD5 is taken of.
std::string encode_trace_header(const std::string& value);

}  // namespace services::sqs
