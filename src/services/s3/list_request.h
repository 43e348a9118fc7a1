// SPDX-License-Identifier: Apache-2.0
// What the requests and responses of all listings have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/buckets/bucket_row.h"
#include "services/s3/key_walk.h"
#include "shapes/s3/bucket.h"

namespace services::s3 {

// Writes keys and prefixes in the requested encoding.
class ListText {
 public:
  // Throws for an unknown encoding.
  explicit ListText(const std::optional<std::string>& encoding_type);
  std::string operator()(const std::string& text) const;

 private:
  bool url_ = false;
};

// For ListObjects, ListObjectsV2 and ListObjectVersions.
std::size_t page_size(const std::optional<std::int32_t>& max_keys);

template <class Request>
Walk walk_of(const Request& request) {
  return {.prefix = request.Prefix.value_or(""),
          .delimiter = request.Delimiter.value_or(""),
          .start = {},
          .most = page_size(request.MaxKeys)};
}

template <class Request>
AccessRequest list_access(std::string_view action, const Request& request) {
  AccessRequest access{.action = action};
  if (request.Prefix) access.context["s3:prefix"] = *request.Prefix;
  if (request.Delimiter) access.context["s3:delimiter"] = *request.Delimiter;
  if (request.MaxKeys) access.context["s3:max-keys"] = std::to_string(*request.MaxKeys);
  return access;
}

// Continuation tokens. parse_page_token() throws for a token that page_token() did not make.
std::string page_token(std::string_view after);
std::string parse_page_token(const std::string& token);

// The bucket's owner; nullopt for anonymous callers.
std::optional<shapes::s3::Owner> owner_for(const Caller& caller, const Bucket& bucket);

// Of the column `headers`.
std::string storage_class_of(std::string_view headers);

}  // namespace services::s3
