// SPDX-License-Identifier: Apache-2.0
#include "services/s3/subscriptions.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/s3/settings.h"
#include "services/shape_json.h"

namespace services::s3 {
namespace {

// More buckets than these that send events are parsed anew; what was parsed is forgotten at once.
constexpr std::size_t kMaxEntries = 4096;
constexpr std::size_t kMaxComplaints = 1024;
constexpr base::Duration kBetweenComplaints = std::chrono::minutes(1);

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

Subscriptions subscriptions_of(const shapes::s3::NotificationConfiguration& configuration) {
  Subscriptions all;
  if (!configuration.QueueConfigurations) return all;
  for (const shapes::s3::QueueConfiguration& queue : *configuration.QueueConfigurations) {
    Subscription one{.id = queue.Id.value_or(""), .queue_arn = queue.QueueArn};
    for (const std::string& event : queue.Events) one.events.push_back(without_scheme(event));
    if (queue.Filter && queue.Filter->Key && queue.Filter->Key->FilterRules) {
      for (const shapes::s3::FilterRule& rule : *queue.Filter->Key->FilterRules) {
        const bool prefix = base::equals_ignoring_case(rule.Name.value_or(""), "prefix");
        (prefix ? one.prefix : one.suffix) = rule.Value.value_or("");
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::shared_ptr<const Subscriptions> SubscriptionCache::get(std::int64_t bucket, const std::string& text) {
  auto known = state_.with([&](State& state) -> std::shared_ptr<const Subscriptions> {
    auto found = state.entries.find(bucket);
    return found != state.entries.end() && found->second.text == text ? found->second.subscriptions : nullptr;
  });
  if (known) return known;
  auto made = std::make_shared<const Subscriptions>(
      subscriptions_of(from_json<shapes::s3::NotificationConfiguration>(text)));
  state_.with([&](State& state) {
    if (state.entries.size() >= kMaxEntries) state.entries.clear();
    state.entries[bucket] = {text, made};
  });
  return made;
}

bool SubscriptionCache::may_complain(const std::string& queue_arn, base::Time now) {
  return state_.with([&](State& state) {
    auto found = state.complaints.find(queue_arn);
    if (found != state.complaints.end() && now - found->second < kBetweenComplaints) return false;
    if (state.complaints.size() >= kMaxComplaints) state.complaints.clear();
    state.complaints[queue_arn] = now;
    return true;
  });
}

void add_locals(Locals& locals, Settings settings) {
  locals.add<Settings>(settings);
  locals.add<SubscriptionCache>();
}

}  // namespace services::s3
