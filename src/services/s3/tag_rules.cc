// SPDX-License-Identifier: Apache-2.0
#include "services/s3/tag_rules.h"

#include <set>

#include "base/utf8.h"
#include "wire/error.h"

namespace services::s3 {
namespace {

constexpr std::size_t kMaxKeyLength = 128, kMaxValueLength = 256;

// As Amazon counts: characters beyond the basic plane count as two.
std::size_t utf16_length(std::string_view text) {
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size();) length += base::next_character(text, at) > 0xFFFF ? 2 : 1;
  return length;
}

// Letters, digits and spaces of any script, and + - = . _ : / @.
bool is_plain(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::int32_t c = base::next_character(text, at);
    if (c < 0) return false;
    if (c >= 128) continue;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::string_view("+-=._:/@ ").find(static_cast<char>(c)) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

void check_tags(const std::vector<shapes::s3::Tag>& tags) {
  std::set<std::string_view> keys;
  for (const shapes::s3::Tag& tag : tags) {
    if (tag.Key.empty() || utf16_length(tag.Key) > kMaxKeyLength || !is_plain(tag.Key)) {
      throw wire::ApiError("InvalidTag", "The TagKey you have provided is invalid").with("TagKey", tag.Key);
    }
    if (utf16_length(tag.Value) > kMaxValueLength || !is_plain(tag.Value)) {
      throw wire::ApiError("InvalidTag", "The TagValue you have provided is invalid")
          .with("TagKey", tag.Key)
          .with("TagValue", tag.Value);
    }
    if (!keys.insert(tag.Key).second) {
      throw wire::ApiError("InvalidTag", "Cannot provide multiple Tags with the same key").with("TagKey", tag.Key);
    }
  }
}

}  // namespace services::s3
