// SPDX-License-Identifier: Apache-2.0
#include "services/s3/objects/object_tags.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "services/s3/errors.h"
#include "services/s3/limits.h"
#include "services/s3/tag_rules.h"

namespace services::s3 {
namespace {

wire::ApiError bad_header(const std::string& text) {
  return invalid_argument("The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters "
                          "without tag name duplicates.",
                          "x-amz-tagging", text);
}

std::string decoded(std::string_view part, const std::string& whole) {
  auto text = base::percent_decode(part, true);
  if (!text || !base::is_utf8(*text)) throw bad_header(whole);
  return std::move(*text);
}

}  // namespace

Tags read_tags(const std::vector<shapes::s3::Tag>& tags) {
  check_tags(tags);
  if (tags.size() > kMaxObjectTags) throw wire::ApiError("BadRequest", "Object tags cannot be greater than 10");
  Tags read;
  for (const shapes::s3::Tag& tag : tags) {
    if (tag.Key.starts_with("aws:")) {
      throw wire::ApiError("InvalidTag", "Your TagKey cannot be prefixed with aws:").with("TagKey", tag.Key);
    }
    read.emplace(tag.Key, tag.Value);
  }
  return read;
}

Tags read_tag_header(const std::string& text) {
  std::vector<shapes::s3::Tag> tags;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.find('=', equals + 1) != pair.npos) throw bad_header(text);
    shapes::s3::Tag tag{decoded(pair.substr(0, equals), text),
                        decoded(pair.substr(std::min(equals + 1, pair.size())), text)};
    for (const shapes::s3::Tag& other : tags) {
      if (other.Key == tag.Key) throw bad_header(text);
    }
    tags.push_back(std::move(tag));
  }
  return read_tags(tags);
}

}  // namespace services::s3
