// SPDX-License-Identifier: Apache-2.0
// A bucket's notification configuration, parsed to find the receivers of an event.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "services/s3/text_cache.h"

namespace services::s3 {

struct Subscription {
  std::string id, queue_arn;
  std::vector<std::string> events;  // "ObjectCreated:Put", "ObjectCreated:*"
  std::string prefix, suffix;

  // `event` without "s3:".
  bool wants(std::string_view event, std::string_view key) const;
};

struct Subscriptions {
  std::vector<Subscription> queues;
  bool event_bridge = false;
};

// Parses the column `notification`.
Subscriptions read_subscriptions(const std::string& text);
using SubscriptionCache = TextCache<Subscriptions>;

// A filter's value as it is compared with keys: Amazon accepts it URL-encoded.
std::string decoded_filter(const std::string& value);

// Limits the warnings about a queue that does not accept events.
class DeliveryWarnings {
 public:
  bool due(const std::string& queue_arn, base::Time now);

 private:
  base::Guarded<std::unordered_map<std::string, base::Time>> last_;
};

}  // namespace services::s3
