// SPDX-License-Identifier: Apache-2.0
// A bucket's notification configuration, made ready to be asked "who wants to hear of this?" for
// each object that is written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "services/s3/bucket.h"
#include "shapes/s3/notification.h"

namespace services::s3 {

struct Subscription {
  std::string id, queue_arn;
  std::vector<std::string> events;  // "ObjectCreated:Put", "ObjectCreated:*"
  std::string prefix, suffix;

  // `event` without "s3:".
  bool wants(std::string_view event, std::string_view key) const;
};

using Subscriptions = std::vector<Subscription>;

Subscriptions subscriptions_of(const shapes::s3::NotificationConfiguration& configuration);

// Parsed configurations, by bucket and text: what was read for one object is good for the next.
class SubscriptionCache {
 public:
  std::shared_ptr<const Subscriptions> get(std::int64_t bucket, const std::string& text);
  // Whether it is time to log again that this queue does not take events.
  bool may_complain(const std::string& queue_arn, base::Time now);

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const Subscriptions> subscriptions;  // shared: a reader may outlive its place here
  };
  struct State {
    std::unordered_map<std::int64_t, Entry> entries;
    std::unordered_map<std::string, base::Time> complaints;
  };
  base::Guarded<State> state_;
};

}  // namespace services::s3
