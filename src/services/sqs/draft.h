// SPDX-License-Identifier: Apache-2.0
// Checks a message of a request and makes a Draft of it.
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

// The ids that a FIFO queue requires. Apart, because one entry without them fails a
// whole batch.
void check_fifo_ids(const Queue& queue, const Outgoing& outgoing);

Draft make_draft(const Queue& queue, const Outgoing& outgoing);

// Throws unless the id is 1 to 128 printable ASCII characters.
void check_id(std::string_view parameter, const std::string& id);

// What Amazon counts against its limits: body, and each attribute's name, type and value.
std::size_t size_bytes(const Outgoing& outgoing);

// The only system attribute of sends, as the bytes of which Amazon computes the MD5.
std::string encode_trace_header(const std::string& value);

}  // namespace services::sqs
