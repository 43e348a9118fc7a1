// SPDX-License-Identifier: Apache-2.0
#include "services/logs/patterns/json_pattern.h"

#include <algorithm>

#include "services/logs/patterns/pattern.h"

namespace services::logs {
namespace {

constexpr int kMaxParentheses = 100;

bool compares_node(const Comparison& comparison, const JsonNode& node) {
  if (node.kind == JsonNode::Kind::String) return comparison.matches_string(node.text);
  if (node.kind == JsonNode::Kind::Number) return comparison.matches_number(node.text);
  return false;
}

// The longest part that JSON writes as it stands, but for \u escapes.
std::string unescaped_part(std::string_view text) {
  std::string_view best;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && text[end] != '"' && text[end] != '\\' && text[end] != '/' &&
           static_cast<unsigned char>(text[end]) >= 0x20) {
      ++end;
    }
    if (end - begin > best.size()) best = text.substr(begin, end - begin);
    begin = end + 1;
  }
  return std::string(best);
}

}  // namespace

JsonPattern JsonPattern::read(PatternReader& reader) {
  JsonPattern pattern;
  reader.expect("{");
  pattern.root_ = pattern.read_or(reader, 0);
  reader.expect("}");
  if (!reader.at_end()) reader.fail();
  int wildcards = 0;
  for (const Node& node : pattern.nodes_) wildcards += node.selector.wildcards();
  if (wildcards > Pattern::kMaxWildcards || reader.regexes() > Pattern::kMaxRegexes) reader.fail();
  return pattern;
}

std::size_t JsonPattern::add(Node node) {
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

std::size_t JsonPattern::read_or(PatternReader& reader, int depth) {
  std::vector<std::size_t> children{read_and(reader, depth)};
  while (reader.take("||")) children.push_back(read_and(reader, depth));
  return children.size() == 1 ? children[0] : add({.kind = Node::Kind::Or, .children = std::move(children)});
}

std::size_t JsonPattern::read_and(PatternReader& reader, int depth) {
  std::vector<std::size_t> children{read_primary(reader, depth)};
  while (reader.take("&&")) children.push_back(read_primary(reader, depth));
  return children.size() == 1 ? children[0] : add({.kind = Node::Kind::And, .children = std::move(children)});
}

std::size_t JsonPattern::read_primary(PatternReader& reader, int depth) {
  if (!reader.take("(")) return read_condition(reader);
  if (depth >= kMaxParentheses) reader.fail();
  const std::size_t inner = read_or(reader, depth + 1);
  reader.expect(")");
  return inner;
}

std::size_t JsonPattern::read_condition(PatternReader& reader) {
  reader.blanks();
  if (reader.peek() == '}' || reader.at_end()) reader.fail();
  Node node;
  node.selector = Selector::read(reader);
  if (reader.take_word("IS")) {
    if (reader.take_word("NULL")) {
      node.kind = Node::Kind::IsNull;
    } else if (reader.take_word("TRUE")) {
      node.kind = Node::Kind::IsTrue;
    } else if (reader.take_word("FALSE")) {
      node.kind = Node::Kind::IsFalse;
    } else {
      reader.fail();
    }
  } else if (reader.take_word("NOT")) {
    if (!reader.take_word("EXISTS")) reader.fail();
    node.kind = Node::Kind::NotExists;
  } else {
    node.comparison = reader.comparison();
  }
  return add(std::move(node));
}

bool JsonPattern::evaluate(std::size_t at, const JsonTape& tape) const {
  const Node& node = nodes_[at];
  const auto holds = [&](std::size_t child) { return evaluate(child, tape); };
  if (node.kind == Node::Kind::And) return std::all_of(node.children.begin(), node.children.end(), holds);
  if (node.kind == Node::Kind::Or) return std::any_of(node.children.begin(), node.children.end(), holds);
  return evaluate(node, tape);
}

bool JsonPattern::evaluate(const Node& node, const JsonTape& tape) const {
  const auto is = [&](JsonNode::Kind kind) {
    return node.selector.any(tape, [&](std::uint32_t found) { return tape.node(found).kind == kind; });
  };
  switch (node.kind) {
    case Node::Kind::IsNull: return is(JsonNode::Kind::Null);
    case Node::Kind::IsTrue: return is(JsonNode::Kind::True);
    case Node::Kind::IsFalse: return is(JsonNode::Kind::False);
    case Node::Kind::NotExists: return !node.selector.any(tape, [](std::uint32_t) { return true; });
    default: break;
  }
  return node.selector.any(tape, [&](std::uint32_t found) { return compares_node(node.comparison, tape.node(found)); });
}

std::map<std::string, std::string> JsonPattern::extract(const JsonTape& tape) const {
  std::map<std::string, std::string> values;
  for (const Node& node : nodes_) {
    if (node.kind == Node::Kind::And || node.kind == Node::Kind::Or) continue;
    if (auto value = node.selector.value(tape)) values[node.selector.text()] = std::move(*value);
  }
  return values;
}

std::string JsonPattern::literal(std::size_t at) const {
  const Node& node = nodes_[at];
  std::string best;
  const auto consider = [&](std::string text) {
    if (text.size() > best.size()) best = std::move(text);
  };
  switch (node.kind) {
    case Node::Kind::Or:
    case Node::Kind::NotExists: break;
    case Node::Kind::And:
      for (std::size_t child : node.children) consider(literal(child));
      break;
    case Node::Kind::Compare:
      // A number may be written in several ways, and a regex may match across what JSON escapes.
      if (!node.comparison.regex) consider(unescaped_part(node.comparison.literal()));
      [[fallthrough]];
    default: consider(unescaped_part(node.selector.literal()));
  }
  return best;
}

}  // namespace services::logs
