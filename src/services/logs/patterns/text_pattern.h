// SPDX-License-Identifier: Apache-2.0
// Patterns of terms: all must occur, or with `?` one of them, or with `-` none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/logs/patterns/condition.h"

namespace services::logs {

struct TextPattern {
  struct Term {
    std::string text = {};
    std::optional<Regex> regex = {};
    bool found_in(std::string_view message) const;
    // Bytes that a message with this term contains; may be "".
    const std::string& literal() const { return regex ? regex->literal() : text; }
  };

  static TextPattern read(PatternReader& reader);
  bool matches(std::string_view message) const;
  bool matches_everything() const { return required.empty() && excluded.empty() && optional.empty(); }
  std::vector<std::string> all_literals() const;
  std::vector<std::string> any_literals() const;

  std::vector<Term> required, excluded, optional;
};

// Whether the bytes occur, by the C library's vectorised search.
bool contains(std::string_view text, std::string_view part);

}  // namespace services::logs
