// SPDX-License-Identifier: Apache-2.0
// A bucket's settings, each a column with the JSON of its shape; NULL: not set.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/s3/buckets/bucket_row.h"
#include "services/shape_json.h"
#include "wire/error.h"

namespace services::s3 {

// `column`: a name of ours, never a client's text.
std::optional<std::string> read_setting(store::Tx& tx, const Bucket& bucket, std::string_view column);
void write_setting(store::Tx& tx, const Bucket& bucket, std::string_view column,
                   const std::optional<std::string>& text);

template <class T>
std::optional<T> load_setting(store::Tx& tx, const Bucket& bucket, std::string_view column) {
  const std::optional<std::string> text = read_setting(tx, bucket, column);
  if (!text) return std::nullopt;
  return from_json<T>(*text);
}

// Amazon's error for a setting that is not set, with the bucket's name: "NoSuchTagSet".
wire::ApiError not_set(std::string code, std::string message, const Bucket& bucket);

}  // namespace services::s3
