// SPDX-License-Identifier: Apache-2.0
// What listings have in common in their requests and answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/buckets/bucket_row.h"
#include "services/s3/key_walk.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {

// Keys and prefixes as the answer shows them.
class ListText {
 public:
  // Throws for an encoding that there is not.
  explicit ListText(const std::optional<std::string>& encoding_type);
  std::string operator()(const std::string& text) const;

 private:
  bool url_ = false;
};

// Of ListObjects, ListObjectsV2 and ListObjectVersions. `Ask` points into nothing of the request.
std::size_t page_size(const std::optional<std::int32_t>& max_keys);

template <class Request>
Walk walk_of(const Request& request) {
  return {.prefix = request.Prefix.value_or(""),
          .delimiter = request.Delimiter.value_or(""),
          .start = {},
          .most = page_size(request.MaxKeys)};
}

template <class Request>
Ask list_ask(std::string_view action, const Request& request) {
  Ask ask{.action = action};
  if (request.Prefix) ask.context["s3:prefix"] = *request.Prefix;
  if (request.Delimiter) ask.context["s3:delimiter"] = *request.Delimiter;
  if (request.MaxKeys) ask.context["s3:max-keys"] = std::to_string(*request.MaxKeys);
  return ask;
}

// Where a listing goes on, as clients carry it. What no listing gave out is told from it: throws.
std::string page_token(std::string_view after);
std::string parse_page_token(const std::string& token);

// Whose the bucket is. Who has no key is not told.
std::optional<shapes::s3::Owner> owner_for(const Caller& caller, const Bucket& bucket);

// Out of the column `headers`.
std::string storage_class_of(std::string_view headers);

}  // namespace services::s3
