// SPDX-License-Identifier: Apache-2.0
// `{ $.a = 1 && ($.b IS NULL || $.c NOT EXISTS) }`: conditions on an event that is a JSON object.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/logs/patterns/selector.h"

namespace services::logs {

class JsonPattern {
 public:
  static JsonPattern read(PatternReader& reader);
  bool matches(const JsonTape& tape) const { return evaluate(root_, tape); }
  std::map<std::string, std::string> extract(const JsonTape& tape) const;
  // Bytes that a matching event contains unless it writes them with \u escapes; may be "".
  std::string literal() const { return literal(root_); }

 private:
  // Conditions are leaves; a branch holds the numbers of its children.
  struct Node {
    enum class Kind { And, Or, Compare, IsNull, IsTrue, IsFalse, NotExists } kind = Kind::Compare;
    std::vector<std::size_t> children = {};
    Selector selector = {};
    Comparison comparison = {};
  };

  std::size_t read_or(PatternReader& reader, int depth);
  std::size_t read_and(PatternReader& reader, int depth);
  std::size_t read_primary(PatternReader& reader, int depth);
  std::size_t read_condition(PatternReader& reader);
  std::size_t add(Node node);
  bool evaluate(std::size_t at, const JsonTape& tape) const;
  bool evaluate(const Node& node, const JsonTape& tape) const;
  std::string literal(std::size_t at) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace services::logs
