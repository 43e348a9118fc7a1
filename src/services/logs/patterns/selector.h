// SPDX-License-Identifier: Apache-2.0
// `$.a.b[0]`, `$.*`, `$.list[*].id`, `$.['odd.key']`: a path into a JSON document.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "services/logs/patterns/condition.h"
#include "services/logs/patterns/json_tape.h"

namespace services::logs {

class Selector {
 public:
  // Reads one from a pattern; throws PatternError.
  static Selector read(PatternReader& reader);
  // The whole text is a selector.
  static base::Result<Selector> parse(std::string_view text);

  // Calls `fn(node)` for each node that it selects, until one returns true. Whether one did.
  bool any(const JsonTape& tape, const std::function<bool(std::uint32_t)>& fn) const;
  // The text of the first node that it selects.
  std::optional<std::string> value(const JsonTape& tape) const;

  const std::string& text() const { return text_; }
  int wildcards() const { return wildcards_; }
  // The longest key on the path, which every document that has it contains; or "".
  std::string literal() const;

 private:
  struct Step {
    enum class Kind { Key, Index, AnyMember, AnyElement } kind = Kind::Key;
    std::string key = {};
    std::size_t index = 0;
  };

  bool walk(const JsonTape& tape, std::uint32_t node, std::size_t step,
            const std::function<bool(std::uint32_t)>& fn) const;
  void read_index(PatternReader& reader, std::size_t begin);
  void read_quoted_key(PatternReader& reader, std::size_t begin);

  std::string text_;
  std::vector<Step> steps_;
  int wildcards_ = 0;
};

}  // namespace services::logs
