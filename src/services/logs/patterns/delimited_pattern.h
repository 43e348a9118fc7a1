// SPDX-License-Identifier: Apache-2.0
// `[ip, user, ..., status = 4*, bytes]`: conditions on the words of a line. `[...]` and `"..."` in a
// line are one word each.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/logs/patterns/condition.h"

namespace services::logs {

class DelimitedPattern {
 public:
  static DelimitedPattern read(PatternReader& reader);

  // The words of a matching line, one for each position: with "..." as many as the line has.
  std::optional<std::vector<std::string_view>> match(std::string_view line) const;
  // By "$name", or "$n" for fields without one.
  std::map<std::string, std::string> extract(std::string_view line) const;
  // Whether events can have a field of this name, without its "$".
  bool has_field(std::string_view name) const;
  std::optional<std::string> value(std::string_view line, std::string_view name) const;
  // Bytes that every matching line contains.
  std::vector<std::string> literals() const;

 private:
  struct Field {
    std::string name = {};  // "" has no name
    bool rest = false;      // "..."
    // One of the lists must hold as a whole: && binds tighter than ||.
    std::vector<std::vector<Comparison>> any_of = {};

    bool matches(std::string_view word) const;
  };

  static Field read_field(PatternReader& reader);
  // The field of the word at `position` of `count`; nullptr for words that "..." takes.
  const Field* field_at(std::size_t position, std::size_t count) const;
  std::string name_at(std::size_t position, std::size_t count) const;

  std::vector<Field> fields_;
  std::optional<std::size_t> ellipsis_;  // the index of "..."
};

}  // namespace services::logs
