// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/selector.h"

#include <cctype>

namespace services::logs {
namespace {

constexpr int kMaxWildcardsInSelector = 1;
constexpr std::size_t kMaxIndexDigits = 9;

}  // namespace

Selector Selector::read(PatternReader& reader) {
  reader.blanks();
  const std::size_t begin = reader.at();
  if (reader.peek() != '$') reader.fail_term(begin);
  reader.skip(1);
  Selector selector;
  while (reader.peek() == '.' || reader.peek() == '[') {
    if (reader.peek() == '[') {
      selector.read_index(reader, begin);
    } else if (reader.rest().starts_with(".*")) {
      reader.skip(2);
      selector.steps_.push_back({.kind = Step::Kind::AnyMember});
      ++selector.wildcards_;
    } else if (reader.rest().starts_with(".['")) {
      selector.read_quoted_key(reader, begin);
    } else {
      reader.skip(1);
      selector.steps_.push_back({.key = reader.name(begin)});
    }
  }
  if (selector.steps_.empty()) reader.fail_term(begin);
  if (selector.wildcards_ > kMaxWildcardsInSelector) reader.fail();
  selector.text_ = reader.from(begin);
  return selector;
}

void Selector::read_index(PatternReader& reader, std::size_t begin) {
  reader.skip(1);
  if (reader.peek() == '*') {
    reader.skip(1);
    steps_.push_back({.kind = Step::Kind::AnyElement});
    ++wildcards_;
  } else {
    std::size_t index = 0, digits = 0;
    while (std::isdigit(static_cast<unsigned char>(reader.peek())) && digits++ < kMaxIndexDigits) {
      index = index * 10 + static_cast<std::size_t>(reader.peek() - '0');
      reader.skip(1);
    }
    if (digits == 0) reader.fail_term(begin);
    steps_.push_back({.kind = Step::Kind::Index, .index = index});
  }
  if (reader.peek() != ']') reader.fail_term(begin);
  reader.skip(1);
}

void Selector::read_quoted_key(PatternReader& reader, std::size_t begin) {
  reader.skip(3);
  const std::size_t end = reader.rest().find("']");
  if (end == std::string_view::npos || end == 0) reader.fail_term(begin);
  steps_.push_back({.key = std::string(reader.rest().substr(0, end))});
  reader.skip(end + 2);
}

base::Result<Selector> Selector::parse(std::string_view text) {
  try {
    PatternReader reader(text);
    Selector selector = read(reader);
    if (!reader.at_end()) PatternReader::fail();
    return selector;
  } catch (const PatternError& error) {
    return base::Error{error.message};
  }
}

bool Selector::walk(const JsonTape& tape, std::uint32_t node, std::size_t at,
                    const std::function<bool(std::uint32_t)>& fn) const {
  if (at == steps_.size()) return fn(node);
  const Step& step = steps_[at];
  std::optional<std::uint32_t> child;
  switch (step.kind) {
    case Step::Kind::Key: child = tape.member(node, step.key); break;
    case Step::Kind::Index: child = tape.element(node, step.index); break;
    case Step::Kind::AnyMember:
    case Step::Kind::AnyElement: {
      const auto kind = step.kind == Step::Kind::AnyMember ? JsonNode::Kind::Object : JsonNode::Kind::Array;
      bool found = false;
      if (tape.node(node).kind != kind) return false;
      tape.each_child(node, [&](std::uint32_t one) { found = found || walk(tape, one, at + 1, fn); });
      return found;
    }
  }
  return child && walk(tape, *child, at + 1, fn);
}

bool Selector::any(const JsonTape& tape, const std::function<bool(std::uint32_t)>& fn) const {
  return walk(tape, 0, 0, fn);
}

std::optional<std::string> Selector::value(const JsonTape& tape) const {
  std::optional<std::string> found;
  any(tape, [&](std::uint32_t node) {
    found = std::string(tape.node(node).text);
    return true;
  });
  return found;
}

std::string Selector::literal() const {
  std::string best;
  for (const Step& step : steps_) {
    if (step.key.size() > best.size()) best = step.key;
  }
  return best;
}

}  // namespace services::logs
