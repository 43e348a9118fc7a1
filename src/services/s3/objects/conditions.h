// SPDX-License-Identifier: Apache-2.0
// Requests that are for an object in a certain state only.
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
// Of GET and HEAD: throws 412 PreconditionFailed, or 304 with what a cache needs to know. `version`:
// as it is shown, if it is.
void check_read(const ReadConditions& conditions, const Object& object, const std::optional<std::string>& version,
                base::Time now);
// Of a copy's source, whose answer is always 412.
void check_copy_source(const ReadConditions& conditions, const Object& source, base::Time now);

struct WriteConditions {
  const std::optional<std::string>& match;
  const std::optional<std::string>& none_match;

  bool any() const { return match || none_match; }
};
// Throws for what S3 does not take as a condition.
void check_condition_texts(const WriteConditions& conditions);
void check_write(const WriteConditions& conditions, std::string_view key, const std::optional<Standing>& standing);

// Is `etag` (without quotes) one of those that a header names? "*" is any.
bool etag_matches(std::string_view header, std::string_view etag);

}  // namespace services::s3
