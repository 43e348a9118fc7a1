// SPDX-License-Identifier: Apache-2.0
// A JSON document as a flat list of nodes, parsed in one pass. Unlike a tree of values it keeps the
// text of numbers, which patterns compare, and can be reused without allocating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace services::logs {

struct JsonNode {
  enum class Kind : std::uint8_t { Object, Array, String, Number, True, False, Null };

  Kind kind = Kind::Null;
  std::string_view key = {};   // decoded; of a member of an object
  std::string_view text = {};  // a string decoded, else the text as it stands
  std::uint32_t end = 0;       // index of the node after this one and all its children

  bool is_container() const { return kind == Kind::Object || kind == Kind::Array; }
};

// Views of nodes point into the parsed text, or into the tape: both must outlive them.
class JsonTape {
 public:
  static constexpr std::size_t kMaxDepth = 64;

  // False unless the whole text, but for blanks around it, is one JSON value.
  bool parse(std::string_view text);
  // The same, and the value is an object. Cheap where the text does not start with a brace.
  bool parse_object(std::string_view text);

  const std::vector<JsonNode>& nodes() const { return nodes_; }
  const JsonNode& node(std::uint32_t at) const { return nodes_[at]; }

  // The member of the object at `at`; the last one where keys repeat.
  std::optional<std::uint32_t> member(std::uint32_t at, std::string_view key) const;
  std::optional<std::uint32_t> element(std::uint32_t at, std::size_t index) const;

  // Calls `fn(index)` for each direct child.
  template <class Fn>
  void each_child(std::uint32_t at, Fn&& fn) const {
    for (std::uint32_t child = at + 1; child < nodes_[at].end; child = nodes_[child].end) fn(child);
  }

 private:
  bool value(std::string_view key, std::size_t depth);
  bool members(std::size_t depth);
  bool elements(std::size_t depth);
  bool string(std::string_view& out);
  bool decode(std::size_t from, std::string_view& out);
  bool escape(std::string& out);
  bool code_unit(std::uint32_t& out);
  bool number();
  bool word(std::string_view expected);
  void blanks();
  bool take(char c);

  std::string_view input_;
  std::size_t at_ = 0;
  std::vector<JsonNode> nodes_;
  std::deque<std::string> decoded_;  // strings with escapes; a deque, because nodes point into them
};

// A message's JSON, parsed when it is first needed and then kept: many filters look at one event.
class LazyJson {
 public:
  explicit LazyJson(std::string_view text) : text_(text) {}

  // nullptr where the text is no JSON object.
  const JsonTape* object() {
    if (parsed_) return tape_.get();
    parsed_ = true;
    tape_ = std::make_unique<JsonTape>();
    if (!tape_->parse_object(text_)) tape_.reset();
    return tape_.get();
  }

 private:
  std::string_view text_;
  bool parsed_ = false;
  std::unique_ptr<JsonTape> tape_;
};

// The number that the text is, whole. Accepts a leading '+'; rejects "nan" and "inf".
std::optional<double> parse_number(std::string_view text);
// The shortest text of a number; whole numbers without a fraction.
std::string number_text(double value);

void append_utf8(std::uint32_t code, std::string& out);

}  // namespace services::logs
