// SPDX-License-Identifier: Apache-2.0
#include "services/s3/list_request.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/checksum.h"
#include "services/s3/errors.h"
#include "services/s3/key_text.h"
#include "services/s3/limits.h"
#include "services/s3/objects/object_row.h"
#include "services/shape_json.h"

namespace services::s3 {
namespace {

constexpr std::size_t kCheckBytes = 4;

std::string check_of(std::string_view after) {
  base::Hasher hasher(base::Checksum::Crc32);
  hasher.update(after);
  return hasher.finish();
}

}  // namespace

ListText::ListText(const std::optional<std::string>& encoding_type) : url_(encoding_type.has_value()) {
  if (encoding_type && *encoding_type != "url") {
    throw invalid_argument("Invalid Encoding Method specified in Request", "encoding-type", *encoding_type);
  }
}

std::string ListText::operator()(const std::string& text) const { return url_ ? url_encoded(text) : text; }

std::size_t page_size(const std::optional<std::int32_t>& max_keys) {
  if (max_keys.value_or(0) < 0) {
    throw invalid_argument("Argument maxKeys must be an integer between 0 and 2147483647", "maxKeys",
                           std::to_string(*max_keys));
  }
  return static_cast<std::size_t>(std::min(max_keys.value_or(kMaxPage), kMaxPage));
}

std::string page_token(std::string_view after) { return base::to_base64(check_of(after) + std::string(after)); }

std::string parse_page_token(const std::string& token) {
  const auto bytes = base::from_base64(token);
  if (bytes && bytes->size() > kCheckBytes) {
    std::string after = bytes->substr(kCheckBytes);
    if (check_of(after) == bytes->substr(0, kCheckBytes)) return after;
  }
  throw invalid_argument("The continuation token provided is incorrect", "continuation-token");
}

std::optional<shapes::s3::Owner> owner_for(const Caller& caller, const Bucket& bucket) {
  if (caller.anonymous()) return std::nullopt;
  return shapes::s3::Owner{.ID = canonical_id(bucket.account)};
}

std::string storage_class_of(std::string_view headers) {
  if (headers.find("\"StorageClass\"") == headers.npos) return "STANDARD";
  return from_json<Headers>(headers).StorageClass.value_or("STANDARD");
}

}  // namespace services::s3
