// SPDX-License-Identifier: Apache-2.0
// When a bucket's lifecycle takes its objects, older versions, delete markers and unfinished uploads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/s3/objects/object_row.h"
#include "services/s3/text_cache.h"

namespace services::s3 {

// One that is enabled, made ready to be asked.
struct LifecycleRule {
  std::string id, prefix;
  Tags tags;                                            // an object must have all of these
  std::optional<std::int64_t> larger_than, smaller_than;  // bytes

  std::optional<std::int32_t> days;  // of latest versions, from when they were made,
  std::optional<base::Time> date;    // or all at once
  bool lone_markers = false;         // delete markers that have nothing below them
  std::optional<std::int32_t> noncurrent_days, newer_noncurrent;
  std::optional<std::int32_t> abort_days;  // of uploads that were not finished

  bool covers(std::string_view key) const { return key.starts_with(prefix); }
  bool covers(const Object& object) const;
};

using LifecycleRules = std::vector<LifecycleRule>;
// Of the column `lifecycle`.
LifecycleRules read_lifecycle(const std::string& text);
using LifecycleCache = TextCache<LifecycleRules>;

// When, and by which rule. Always a midnight: days are counted, then rounded up to the next, UTC.
struct Due {
  base::Time at;
  std::string rule;
};
base::Time midnight_after(base::Time from, std::int32_t days);

// A latest version that is no marker.
std::optional<Due> expiry_of(const LifecycleRules& rules, const Object& object);
// A version that was the latest until `since`, of which the key has `newer` that are younger and not the
// latest either.
std::optional<Due> noncurrent_expiry_of(const LifecycleRules& rules, const Object& object, base::Time since,
                                        std::int64_t newer);
// A delete marker that has nothing below it.
std::optional<Due> marker_expiry_of(const LifecycleRules& rules, const Object& marker);
std::optional<Due> abort_of(const LifecycleRules& rules, std::string_view key, base::Time initiated_at);

// The header x-amz-expiration of a latest version: for answers to GET, HEAD, PUT, POST, copies and
// finished uploads.
std::optional<std::string> expiration_header(const Call& call, const Bucket& bucket, const Object& object);
// The headers x-amz-abort-date and x-amz-abort-rule-id of an upload: for its creation and its parts' list.
std::optional<Due> upload_abort(const Call& call, const Bucket& bucket, std::string_view key, base::Time initiated_at);

}  // namespace services::s3
