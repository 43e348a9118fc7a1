// SPDX-License-Identifier: Apache-2.0
// What subscriptions send: gzip of a JSON document, as base64 in the body of an SQS message.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "services/logs/group.h"
#include "services/logs/ingest.h"

namespace services::logs {

struct RecordEvent {
  std::string id;
  std::int64_t timestamp_ms = 0;
  std::string_view message;
};

// A message body with the matching events of one stream.
std::string data_record(const Ingested& put, const std::string& filter, std::span<const RecordEvent> events);
// What Amazon sends to check a destination. Consumers skip it.
std::string control_record(base::Time now);

std::string gzip(std::string_view bytes);

// Sends the events in as many messages as the queue's limit requires. A destination that rejects them loses them.
void send_records(Call& call, const Ingested& put, const std::string& filter, const std::string& queue_arn,
                  std::span<const RecordEvent> events);
// Throws what the destination answers.
void send_to_queue(Call& call, const std::string& group_arn, const std::string& account, const std::string& queue_arn,
                   const std::string& body);

}  // namespace services::logs
