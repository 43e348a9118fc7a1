// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/subscriptions.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/shape_json.h"
#include "shapes/s3/notification.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMaxWarnedQueues = 1024;
constexpr base::Duration kBetweenWarnings = std::chrono::minutes(1);
constexpr std::string_view kScheme = "s3:";

std::string without_scheme(std::string_view event) {
  return std::string(event.starts_with(kScheme) ? event.substr(kScheme.size()) : event);
}

}  // namespace

bool Subscription::wants(std::string_view event, std::string_view key) const {
  const bool named = std::any_of(events.begin(), events.end(), [&](std::string_view wanted) {
    if (wanted.ends_with(":*")) return event.starts_with(wanted.substr(0, wanted.size() - 1));
    return wanted == event;
  });
  return named && key.starts_with(prefix) && key.ends_with(suffix);
}

std::string decoded_filter(const std::string& value) { return base::percent_decode(value, true).value_or(value); }

Subscriptions read_subscriptions(const std::string& text) {
  Subscriptions all;
  const auto configuration = from_json<shapes::s3::NotificationConfiguration>(text);
  all.event_bridge = configuration.EventBridgeConfiguration.has_value();
  if (!configuration.QueueConfigurations) return all;
  for (const shapes::s3::QueueConfiguration& queue : *configuration.QueueConfigurations) {
    Subscription one{.id = queue.Id.value_or(""), .queue_arn = queue.QueueArn};
    for (const std::string& event : queue.Events) one.events.push_back(without_scheme(event));
    if (queue.Filter && queue.Filter->Key && queue.Filter->Key->FilterRules) {
      for (const shapes::s3::FilterRule& rule : *queue.Filter->Key->FilterRules) {
        const bool prefix = base::equals_ignoring_case(rule.Name.value_or(""), "prefix");
        (prefix ? one.prefix : one.suffix) = decoded_filter(rule.Value.value_or(""));
      }
    }
    all.queues.push_back(std::move(one));
  }
  return all;
}

bool DeliveryWarnings::due(const std::string& queue_arn, base::Time now) {
  return last_.with([&](std::unordered_map<std::string, base::Time>& last) {
    auto found = last.find(queue_arn);
    if (found != last.end() && now - found->second < kBetweenWarnings) return false;
    if (last.size() >= kMaxWarnedQueues) last.clear();
    last[queue_arn] = now;
    return true;
  });
}

}  // namespace services::s3
