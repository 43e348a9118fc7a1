// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/conditions.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/s3/errors.h"
#include "services/s3/whole_seconds.h"
#include "wire/timestamp.h"

namespace services::s3 {
namespace {

enum class Failed { Nothing, Match, Unmodified, NoneMatch, Modified };

// A condition about ETags makes the date beside it irrelevant (RFC 7232, and S3's documentation of such pairs).
Failed first_failure(const ReadConditions& conditions, const Object& object, base::Time now) {
  const base::Time modified = whole_seconds(object.modified_at);
  if (conditions.match) {
    if (!etag_matches(*conditions.match, object.etag)) return Failed::Match;
  } else if (conditions.unmodified_since && modified > *conditions.unmodified_since) {
    return Failed::Unmodified;
  }
  if (conditions.none_match) {
    if (etag_matches(*conditions.none_match, object.etag)) return Failed::NoneMatch;
  } else if (conditions.modified_since && modified <= *conditions.modified_since && *conditions.modified_since <= now) {
    return Failed::Modified;  // a time in the future is ignored
  }
  return Failed::Nothing;
}

wire::ApiError unsupported_value(std::string_view header, std::string_view why) {
  return header_not_implemented(header).with("additionalMessage", std::string(why));
}

}  // namespace

bool etag_matches(std::string_view header, std::string_view etag) {
  while (!header.empty()) {
    std::string_view one = header.substr(0, header.find(','));
    header.remove_prefix(std::min(header.size(), one.size() + 1));
    one = base::trim(one);
    if (one == "*") return true;
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one.starts_with('"')) one.remove_prefix(1);
    if (one.ends_with('"')) one.remove_suffix(1);  // S3 accepts ETags with two quotes, one, or none
    if (one == etag) return true;
  }
  return false;
}

void check_read(const ReadConditions& conditions, const Object& object, const std::optional<std::string>& version,
                base::Time now) {
  switch (first_failure(conditions, object, now)) {
    case Failed::Nothing: return;
    case Failed::Match: throw precondition_failed("If-Match");
    case Failed::Unmodified: throw precondition_failed("If-Unmodified-Since");
    default: break;
  }
  wire::ApiError unchanged("NotModified", "Not Modified");
  unchanged.with_header("ETag", object.quoted_etag()).with_header("Last-Modified", wire::to_rfc822(object.modified_at));
  if (version) unchanged.with_header("x-amz-version-id", *version);
  if (object.headers.CacheControl) unchanged.with_header("Cache-Control", *object.headers.CacheControl);
  if (object.headers.Expires) unchanged.with_header("Expires", *object.headers.Expires);
  throw unchanged;
}

void check_copy_source(const ReadConditions& conditions, const Object& source, base::Time now) {
  switch (first_failure(conditions, source, now)) {
    case Failed::Nothing: return;
    case Failed::Match: throw precondition_failed("x-amz-copy-source-If-Match");
    case Failed::Unmodified: throw precondition_failed("x-amz-copy-source-If-Unmodified-Since");
    case Failed::NoneMatch: throw precondition_failed("x-amz-copy-source-If-None-Match");
    case Failed::Modified: throw precondition_failed("x-amz-copy-source-If-Modified-Since");
  }
}

void check_condition_texts(const WriteConditions& conditions) {
  if (conditions.none_match && base::trim(*conditions.none_match) != "*") {
    throw unsupported_value("If-None-Match", "We don't accept the provided value of If-None-Match header for this API");
  }
  if (conditions.match && base::trim(*conditions.match) == "*") {
    throw unsupported_value("If-Match", "We don't accept the provided value of If-Match header for this API");
  }
  if (conditions.match && conditions.none_match) {
    throw unsupported_value("If-Match,If-None-Match", "Multiple conditional request headers present in the request");
  }
}

void check_write(const WriteConditions& conditions, std::string_view key, const std::optional<LatestSummary>& standing) {
  check_condition_texts(conditions);
  const bool there = standing && !standing->marker;
  if (conditions.none_match && there) throw precondition_failed("If-None-Match");
  if (!conditions.match) return;
  if (!there) throw no_such_key(key);
  if (!etag_matches(*conditions.match, standing->etag)) throw precondition_failed("If-Match");
}

}  // namespace services::s3
