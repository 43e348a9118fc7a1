// SPDX-License-Identifier: Apache-2.0
// Regular expressions of Insights queries: RE2's, and `(?<name>...)`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace services::logs::insights {

class QueryRegex {
 public:
  static base::Result<QueryRegex> parse(std::string_view text);

  bool found_in(std::string_view text) const;
  // The named groups, in order.
  const std::vector<std::string>& names() const { return names_; }
  std::size_t groups() const;
  // What the groups matched, by their number; nullopt where the expression does not match.
  std::optional<std::vector<std::optional<std::string_view>>> captures(std::string_view text) const;
  // All matches replaced.
  std::string replace_all(std::string_view text, std::string_view with) const;
  // The number of a named group, from 0.
  std::size_t group_of(const std::string& name) const;

  // The expression `text` itself, as a part of others.
  static std::string quote(std::string_view text);

 private:
  struct Engine;
  std::shared_ptr<const Engine> engine_;  // shared: queries are copied, and an engine never changes
  std::vector<std::string> names_;
};

}  // namespace services::logs::insights
