// SPDX-License-Identifier: Apache-2.0
// A queue: its row, how requests name it, and who may access it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"

namespace services::sqs {

using StringMap = std::map<std::string, std::string>;

struct Queue {
  std::int64_t id = 0;
  std::string account, region, name;
  std::int64_t lot = 0;
  base::Time created_at, modified_at;
  bool fifo = false;
  std::int64_t delay_s = 0;
  std::int64_t max_message_bytes = 1048576;
  std::int64_t retention_s = 345600;
  std::int64_t receive_wait_s = 0;
  std::int64_t visibility_s = 30;
  bool content_deduplication = false;
  std::optional<std::string> dead_letter_arn;
  std::int64_t max_receives = 0;  // where dead_letter_arn is set
  std::optional<std::string> policy;
  std::string attributes = "{}";  // JSON: RedriveAllowPolicy, Kms..., DeduplicationScope, ...
  std::string tags = "{}";        // JSON

  std::string arn() const;
  std::string url(const Caller& caller) const { return caller.endpoint + "/" + account + "/" + name; }
  // What receivers wait for.
  std::string topic() const { return "sqs/" + std::to_string(id); }
  // A message sent at or before this time has expired.
  base::Time expired_at(base::Time now) const { return now - std::chrono::seconds(retention_s); }
};

struct QueueName {
  std::string account, region, name;
};

// "http://host:4566/123456789012/name", or its path.
QueueName parse_url(const std::string& url, const Caller& caller);
std::optional<QueueName> parse_queue_arn(std::string_view text);

std::optional<Queue> load_queue(store::Tx& tx, const QueueName& name);
std::optional<Queue> load_queue(store::Tx& tx, std::int64_t id);

// The queue that a request names: a client by its URL, a service by its ARN. Throws QueueDoesNotExist
// for a missing queue or one that is hidden from this caller, and AccessDenied where its policy denies the action.
Queue find_queue(Call& call, const std::string& url, std::string_view action);
// For operations that only the owner may use, whatever the policy.
Queue find_own_queue(Call& call, const std::string& url);

std::string to_json(const StringMap& map);
StringMap from_json(std::string_view json);

}  // namespace services::sqs
