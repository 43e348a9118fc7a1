// SPDX-License-Identifier: Apache-2.0
// When a bucket's lifecycle deletes its objects, noncurrent versions, delete markers and unfinished uploads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/s3/objects/object_row.h"
#include "services/s3/text_cache.h"

namespace services::s3 {

// An enabled rule, parsed.
struct LifecycleRule {
  std::string id, prefix;
  Tags tags;                                            // the object must have all of these
  std::optional<std::int64_t> larger_than, smaller_than;  // bytes

  std::optional<std::int32_t> days;  // age of latest versions,
  std::optional<base::Time> date;    // or a date for all of them
  bool lone_markers = false;         // delete markers that hide nothing
  std::optional<std::int32_t> noncurrent_days, newer_noncurrent;
  std::optional<std::int32_t> abort_days;  // age of unfinished uploads

  bool covers(std::string_view key) const { return key.starts_with(prefix); }
  bool covers(const Object& object) const;
};

using LifecycleRules = std::vector<LifecycleRule>;
// Parses the column `lifecycle`.
LifecycleRules read_lifecycle(const std::string& text);
using LifecycleCache = TextCache<LifecycleRules>;

// When, and by which rule. Always a midnight, UTC: days are added, then rounded up to the next one.
struct Due {
  base::Time at;
  std::string rule;
};
base::Time midnight_after(base::Time from, std::int32_t days);

// `object` is a latest version and no marker.
std::optional<Due> expiry_of(const LifecycleRules& rules, const Object& object);
// `object` is noncurrent since `since`, and the key has `newer` noncurrent versions that are newer.
std::optional<Due> noncurrent_expiry_of(const LifecycleRules& rules, const Object& object, base::Time since,
                                        std::int64_t newer);
// `marker` hides no versions.
std::optional<Due> marker_expiry_of(const LifecycleRules& rules, const Object& marker);
std::optional<Due> abort_of(const LifecycleRules& rules, std::string_view key, base::Time initiated_at);

// The header x-amz-expiration of a latest version, for the responses of reads and writes.
std::optional<std::string> expiration_header(const Call& call, const Bucket& bucket, const Object& object);
// The headers x-amz-abort-date and x-amz-abort-rule-id, for CreateMultipartUpload and ListParts.
std::optional<Due> upload_abort(const Call& call, const Bucket& bucket, std::string_view key, base::Time initiated_at);

}  // namespace services::s3
