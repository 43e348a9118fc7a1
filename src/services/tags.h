// SPDX-License-Identifier: Apache-2.0
// What all services require of a tag. Each names the first problem that it minds, in its own order and words.
#pragma once

#include <cstddef>
#include <string_view>

namespace services {

// Of a resource. Tags that are reserved for Amazon do not count.
inline constexpr std::size_t kMaxTags = 50;

struct TagProblems {
  bool empty_key = false;
  bool long_key = false, long_value = false;              // over 128 or 256 UTF-16 code units, as Amazon counts
  bool key_characters = false, value_characters = false;  // other than letters, digits, spaces and + - = . _ : / @

  bool operator==(const TagProblems&) const = default;
};

TagProblems find_tag_problems(std::string_view key, std::string_view value);

// Starts with "aws:" in any case. Some services mind only the lower case.
bool is_reserved_tag(std::string_view key_or_value);

}  // namespace services
