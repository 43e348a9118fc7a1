// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/lifecycle_operations.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/random.h"
#include "base/utf8.h"
#include "services/s3/buckets/setting_column.h"
#include "services/s3/errors.h"
#include "services/s3/expiry.h"
#include "services/s3/operations.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

constexpr char kLifecycleColumn[] = "lifecycle";
constexpr char kMinimumSize[] = "all_storage_classes_128K";  // Amazon's default; nothing is moved here
constexpr std::size_t kMaxLifecycleRules = 1000, kMaxLifecycleId = 255;
constexpr std::int64_t kMaxFilterSize = 1099511627776000;
constexpr std::int32_t kMaxNewerVersions = 1000;

// What a filter says beside a prefix.
struct FilterUse {
  bool tags = false, sizes = false;
};

void check_sizes(const std::optional<std::int64_t>& greater, const std::optional<std::int64_t>& less) {
  if (greater && (*greater < 0 || *greater > kMaxFilterSize)) {
    throw invalid_request("'ObjectSizeGreaterThan' should be between 0 and 1099511627776000.");
  }
  if (less && (*less < 1 || *less > kMaxFilterSize)) {
    throw invalid_request("'ObjectSizeLessThan' should be between 1 and 1099511627776000.");
  }
  if (greater && less && *less <= *greater) {
    throw invalid_request("'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.");
  }
}

FilterUse check_filter(const shape::LifecycleRuleFilter& filter) {
  const int parts = filter.Prefix.has_value() + filter.Tag.has_value() + filter.ObjectSizeGreaterThan.has_value() +
                    filter.ObjectSizeLessThan.has_value() + filter.And.has_value();
  if (parts > 1) throw malformed_xml();
  FilterUse use{filter.Tag.has_value(), filter.ObjectSizeGreaterThan || filter.ObjectSizeLessThan};
  check_sizes(filter.ObjectSizeGreaterThan, filter.ObjectSizeLessThan);
  if (!filter.And) return use;
  const shape::LifecycleRuleAndOperator& both = *filter.And;
  const std::size_t tags = both.Tags ? both.Tags->size() : 0;
  if (both.Prefix.has_value() + tags + both.ObjectSizeGreaterThan.has_value() + both.ObjectSizeLessThan.has_value() < 2) {
    throw malformed_xml();
  }
  check_sizes(both.ObjectSizeGreaterThan, both.ObjectSizeLessThan);
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < tags; ++i) {
    if (!keys.insert((*both.Tags)[i].Key).second) throw invalid_request("Duplicate Tag Keys are not allowed.");
  }
  return {tags > 0, both.ObjectSizeGreaterThan || both.ObjectSizeLessThan};
}

void check_positive(const std::optional<std::int32_t>& value, const std::string& name, const std::string& action) {
  if (!value) throw malformed_xml();
  if (*value > 0) return;
  throw invalid_argument("'" + name + "' for " + action + " action must be a positive integer", name,
                         std::to_string(*value));
}

void check_expiration(const shape::LifecycleExpiration& expiration) {
  const int forms = expiration.Date.has_value() + expiration.Days.has_value() +
                    expiration.ExpiredObjectDeleteMarker.has_value();
  if (forms != 1) throw malformed_xml();
  if (expiration.Days) check_positive(expiration.Days, "Days", "Expiration");
  if (expiration.Date && *expiration.Date != std::chrono::floor<std::chrono::days>(*expiration.Date)) {
    throw invalid_argument("'Date' must be at midnight GMT", "Date", wire::to_iso8601(*expiration.Date));
  }
}

void check_noncurrent(const shape::NoncurrentVersionExpiration& expiration, bool has_filter) {
  check_positive(expiration.NoncurrentDays, "NoncurrentDays", "NoncurrentVersionExpiration");
  if (!expiration.NewerNoncurrentVersions) return;
  if (!has_filter) throw invalid_request("NewerNoncurrentVersions element can only be used in Lifecycle V2.");
  check_positive(expiration.NewerNoncurrentVersions, "NewerNoncurrentVersions", "NoncurrentVersionExpiration");
  if (*expiration.NewerNoncurrentVersions > kMaxNewerVersions) {
    throw not_implemented("A NewerNoncurrentVersions of more than 1000");
  }
}

// `second`: the configuration is of the kind that has filters, not prefixes, which its first rule says.
void check_rule(const shape::LifecycleRule& rule, bool second) {
  if (!rule.Filter && !rule.Prefix) throw malformed_xml();
  if (second && rule.Prefix) {
    throw invalid_request(
        "Base level prefix cannot be used in Lifecycle V2, prefixes are only supported in the Filter.");
  }
  if (!second && rule.Filter) throw invalid_request("Filter element can only be used in Lifecycle V2.");
  if (rule.Transitions || rule.NoncurrentVersionTransitions) {
    throw not_implemented("A transition to another storage class");
  }
  if (!rule.Expiration && !rule.NoncurrentVersionExpiration && !rule.AbortIncompleteMultipartUpload) {
    throw invalid_request("At least one action needs to be specified in a rule");
  }
  const FilterUse use = rule.Filter ? check_filter(*rule.Filter) : FilterUse();
  if (rule.Expiration) check_expiration(*rule.Expiration);
  if (rule.NoncurrentVersionExpiration) check_noncurrent(*rule.NoncurrentVersionExpiration, second);
  if (rule.AbortIncompleteMultipartUpload) {
    check_positive(rule.AbortIncompleteMultipartUpload->DaysAfterInitiation, "DaysAfterInitiation",
                   "AbortIncompleteMultipartUpload");
    if (use.tags) throw invalid_request("AbortIncompleteMultipartUpload cannot be specified with Tags.");
    if (use.sizes) throw invalid_request("AbortIncompleteMultipartUpload cannot be specified with Object Size.");
  }
  if (rule.Expiration && rule.Expiration->ExpiredObjectDeleteMarker) {
    if (use.tags) throw invalid_request("ExpiredObjectDeleteMarker cannot be specified with Tags.");
    if (use.sizes) throw invalid_request("ExpiredObjectDeleteMarker cannot be specified with Object Size.");
  }
}

void check_ids(std::vector<shape::LifecycleRule>& rules) {
  std::set<std::string> ids;
  for (shape::LifecycleRule& rule : rules) {
    if (rule.ID.value_or("").empty()) rule.ID = base::to_base64(base::random_uuid());
    if (base::count_characters(*rule.ID) > kMaxLifecycleId) {
      throw invalid_argument("ID length should not exceed allowed limit of 255", "ID", *rule.ID);
    }
    if (ids.insert(*rule.ID).second) continue;
    throw invalid_argument("Rule ID must be unique. Found same ID for more than one rule", "ID", *rule.ID);
  }
}

// Where rules have prefixes and no filters, no two may do the same to one object.
template <class Has>
void check_prefixes(const std::vector<shape::LifecycleRule>& rules, const std::string& action, Has&& has) {
  std::vector<std::string> prefixes;
  for (const shape::LifecycleRule& rule : rules) {
    if (rule.Prefix && has(rule)) prefixes.push_back(*rule.Prefix);
  }
  std::sort(prefixes.begin(), prefixes.end());
  for (std::size_t i = 1; i < prefixes.size(); ++i) {
    if (!prefixes[i].starts_with(prefixes[i - 1])) continue;
    throw invalid_request("Found overlapping prefixes '" + prefixes[i - 1] + "' and '" + prefixes[i] +
                          "' for same action type '" + action + "'");
  }
}

}  // namespace

shape::PutBucketLifecycleConfigurationOutput put_bucket_lifecycle_configuration(
    Call& call, const shape::PutBucketLifecycleConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutLifecycleConfiguration"}, request.ExpectedBucketOwner);
  if (!request.LifecycleConfiguration) throw malformed_xml();
  std::vector<shape::LifecycleRule> rules = request.LifecycleConfiguration->Rules;
  if (rules.empty()) throw invalid_request("At least one lifecycle rule must be specified.");
  if (rules.size() > kMaxLifecycleRules) {
    throw invalid_request("The number of lifecycle rules must not exceed the allowed limit of 1000 rules.");
  }
  check_ids(rules);
  for (const shape::LifecycleRule& rule : rules) check_rule(rule, rules.front().Filter.has_value());
  check_prefixes(rules, "Expiration", [](const shape::LifecycleRule& rule) { return rule.Expiration.has_value(); });
  check_prefixes(rules, "NoncurrentVersionExpiration",
                 [](const shape::LifecycleRule& rule) { return rule.NoncurrentVersionExpiration.has_value(); });
  check_prefixes(rules, "AbortIncompleteMultipartUpload",
                 [](const shape::LifecycleRule& rule) { return rule.AbortIncompleteMultipartUpload.has_value(); });
  shape::GetBucketLifecycleConfigurationOutput stored;
  stored.TransitionDefaultMinimumObjectSize = request.TransitionDefaultMinimumObjectSize.value_or(kMinimumSize);
  stored.Rules = std::move(rules);
  write_setting(call.tx, bucket, kLifecycleColumn, to_json(stored));
  call.wake(kExpiryTopic);
  return {stored.TransitionDefaultMinimumObjectSize};
}

shape::GetBucketLifecycleConfigurationOutput get_bucket_lifecycle_configuration(
    Call& call, const shape::GetBucketLifecycleConfigurationRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:GetLifecycleConfiguration"}, request.ExpectedBucketOwner);
  if (!bucket.lifecycle) {
    throw not_set("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist", bucket);
  }
  return from_json<shape::GetBucketLifecycleConfigurationOutput>(*bucket.lifecycle);
}

void delete_bucket_lifecycle(Call& call, const shape::DeleteBucketLifecycleRequest& request) {
  const Bucket bucket =
      find_bucket(call, request.Bucket, {.action = "s3:PutLifecycleConfiguration"}, request.ExpectedBucketOwner);
  write_setting(call.tx, bucket, kLifecycleColumn, std::nullopt);
}

std::vector<ObjectOperation> lifecycle_operations() {
  return {
      with_digest(
          operation<&put_bucket_lifecycle_configuration>("PutBucketLifecycleConfiguration", Access::Write, shape::kPutBucketLifecycleConfigurationHttp)),
      operation<&get_bucket_lifecycle_configuration>("GetBucketLifecycleConfiguration", Access::Read,
                                                     shape::kGetBucketLifecycleConfigurationHttp),
      operation<&delete_bucket_lifecycle>("DeleteBucketLifecycle", Access::Write, shape::kDeleteBucketLifecycleHttp),
  };
}

}  // namespace services::s3
