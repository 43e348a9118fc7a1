// SPDX-License-Identifier: Apache-2.0
#include "services/s3/tag_rules.h"

#include <set>

#include "services/tags.h"
#include "wire/error.h"

namespace services::s3 {

void check_tags(const std::vector<shapes::s3::Tag>& tags) {
  std::set<std::string_view> keys;
  for (const shapes::s3::Tag& tag : tags) {
    const TagProblems problems = find_tag_problems(tag.Key, tag.Value);
    if (problems.empty_key || problems.long_key || problems.key_characters) {
      throw wire::ApiError("InvalidTag", "The TagKey you have provided is invalid").with("TagKey", tag.Key);
    }
    if (problems.long_value || problems.value_characters) {
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
