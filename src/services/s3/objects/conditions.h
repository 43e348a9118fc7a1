// SPDX-License-Identifier: Apache-2.0
// Conditions of requests: If-Match and the like.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/objects/object_row.h"

namespace services::s3 {

struct ReadConditions {
  const std::optional<std::string>& match;
  const std::optional<std::string>& none_match;
  const std::optional<base::Time>& modified_since;
  const std::optional<base::Time>& unmodified_since;
};
// For GET and HEAD: throws 412 PreconditionFailed, or 304 with the headers that caches need. `version`: as responses
// show it.
void check_read(const ReadConditions& conditions, const Object& object, const std::optional<std::string>& version,
                base::Time now);
// For the source of a copy: throws only 412.
void check_copy_source(const ReadConditions& conditions, const Object& source, base::Time now);

struct WriteConditions {
  const std::optional<std::string>& match;
  const std::optional<std::string>& none_match;

  bool any() const { return match || none_match; }
};
// Throws for values that S3 rejects in conditions.
void check_condition_texts(const WriteConditions& conditions);
void check_write(const WriteConditions& conditions, std::string_view key, const std::optional<LatestSummary>& standing);

// Whether a header names `etag` (without quotes). "*" names any.
bool etag_matches(std::string_view header, std::string_view etag);

}  // namespace services::s3
