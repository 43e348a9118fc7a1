// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/lifecycle_rules.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/shape_json.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/lifecycle.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

using std::chrono::days;

// The earlier one wins, and of two at the same time the first.
void take_earlier(std::optional<Due>& best, base::Time at, const LifecycleRule& rule) {
  if (!best || at < best->at) best = Due{at, rule.id};
}

void read_filter(const shapes::s3::LifecycleRule& from, LifecycleRule& rule) {
  rule.prefix = from.Prefix.value_or("");
  if (!from.Filter) return;
  const shapes::s3::LifecycleRuleFilter& filter = *from.Filter;
  if (filter.Prefix) rule.prefix = *filter.Prefix;
  if (filter.Tag) rule.tags[filter.Tag->Key] = filter.Tag->Value;
  rule.larger_than = filter.ObjectSizeGreaterThan;
  rule.smaller_than = filter.ObjectSizeLessThan;
  if (!filter.And) return;
  if (filter.And->Prefix) rule.prefix = *filter.And->Prefix;
  for (const shapes::s3::Tag& tag : filter.And->Tags.value_or(std::vector<shapes::s3::Tag>())) {
    rule.tags[tag.Key] = tag.Value;
  }
  rule.larger_than = filter.And->ObjectSizeGreaterThan;
  rule.smaller_than = filter.And->ObjectSizeLessThan;
}

}  // namespace

bool LifecycleRule::covers(const Object& object) const {
  if (!covers(std::string_view(object.key))) return false;
  if (larger_than && object.size <= *larger_than) return false;
  if (smaller_than && object.size >= *smaller_than) return false;
  return std::all_of(tags.begin(), tags.end(), [&](const auto& tag) {
    auto found = object.tags.find(tag.first);
    return found != object.tags.end() && found->second == tag.second;
  });
}

LifecycleRules read_lifecycle(const std::string& text) {
  LifecycleRules rules;
  const auto configuration = from_json<shapes::s3::BucketLifecycleConfiguration>(text);
  for (const shapes::s3::LifecycleRule& from : configuration.Rules) {
    if (from.Status != "Enabled") continue;
    LifecycleRule rule;
    rule.id = from.ID.value_or("");
    read_filter(from, rule);
    if (from.Expiration) {
      rule.days = from.Expiration->Days;
      rule.date = from.Expiration->Date;
      rule.lone_markers = from.Expiration->ExpiredObjectDeleteMarker.value_or(false);
    }
    if (from.NoncurrentVersionExpiration) {
      rule.noncurrent_days = from.NoncurrentVersionExpiration->NoncurrentDays;
      rule.newer_noncurrent = from.NoncurrentVersionExpiration->NewerNoncurrentVersions;
    }
    if (from.AbortIncompleteMultipartUpload) rule.abort_days = from.AbortIncompleteMultipartUpload->DaysAfterInitiation;
    rules.push_back(std::move(rule));
  }
  return rules;
}

base::Time midnight_after(base::Time from, std::int32_t count) {
  constexpr std::chrono::sys_days kLast = std::chrono::year(9999) / 12 / 31;  // the last that can be written
  return std::min<base::Time>(std::chrono::ceil<days>(from + days(count)), kLast);
}

std::optional<Due> expiry_of(const LifecycleRules& rules, const Object& object) {
  std::optional<Due> best;
  for (const LifecycleRule& rule : rules) {
    if (!rule.covers(object)) continue;
    if (rule.days) take_earlier(best, midnight_after(object.modified_at, *rule.days), rule);
    if (rule.date) take_earlier(best, *rule.date, rule);
  }
  return best;
}

std::optional<Due> noncurrent_expiry_of(const LifecycleRules& rules, const Object& object, base::Time since,
                                        std::int64_t newer) {
  std::optional<Due> best;
  for (const LifecycleRule& rule : rules) {
    if (!rule.noncurrent_days || !rule.covers(object)) continue;
    if (rule.newer_noncurrent && newer < *rule.newer_noncurrent) continue;
    take_earlier(best, midnight_after(since, *rule.noncurrent_days), rule);
  }
  return best;
}

// A rule with days also deletes markers of that age which hide nothing.
std::optional<Due> marker_expiry_of(const LifecycleRules& rules, const Object& marker) {
  std::optional<Due> best;
  for (const LifecycleRule& rule : rules) {
    if (!rule.covers(marker)) continue;
    if (rule.lone_markers) take_earlier(best, midnight_after(marker.modified_at, 0), rule);
    if (rule.days) take_earlier(best, midnight_after(marker.modified_at, *rule.days), rule);
  }
  return best;
}

std::optional<Due> abort_of(const LifecycleRules& rules, std::string_view key, base::Time initiated_at) {
  std::optional<Due> best;
  for (const LifecycleRule& rule : rules) {
    if (rule.abort_days && rule.covers(key)) take_earlier(best, midnight_after(initiated_at, *rule.abort_days), rule);
  }
  return best;
}

std::optional<std::string> expiration_header(const Call& call, const Bucket& bucket, const Object& object) {
  if (!bucket.lifecycle || !object.latest || object.marker) return std::nullopt;
  const auto rules = call.local<LifecycleCache>().get(bucket.id, *bucket.lifecycle, &read_lifecycle);
  const std::optional<Due> due = expiry_of(*rules, object);
  if (!due) return std::nullopt;
  return "expiry-date=\"" + wire::to_rfc822(due->at) + "\", rule-id=\"" + base::percent_encode(due->rule) + "\"";
}

std::optional<Due> upload_abort(const Call& call, const Bucket& bucket, std::string_view key,
                                base::Time initiated_at) {
  if (!bucket.lifecycle) return std::nullopt;
  return abort_of(*call.local<LifecycleCache>().get(bucket.id, *bucket.lifecycle, &read_lifecycle), key, initiated_at);
}

}  // namespace services::s3
