// SPDX-License-Identifier: Apache-2.0
#include "services/logs/insights/row.h"

#include <algorithm>
#include <cmath>

#include "services/logs/patterns/text_pattern.h"

namespace services::logs::insights {
namespace {

using Names = std::vector<std::string>;
using Kind = Expression::Kind;

Value arithmetic(char op, const Value& left, const Value& right) {
  const auto a = left.as_number(), b = right.as_number();
  if (!a || !b) return {};
  double result = 0;
  switch (op) {
    case '+': result = *a + *b; break;
    case '-': result = *a - *b; break;
    case '*': result = *a * *b; break;
    case '/': result = *a / *b; break;
    case '%': result = std::fmod(*a, *b); break;
    default: result = std::pow(*a, *b);
  }
  return std::isfinite(result) ? Value::of(result) : Value::null();
}

bool compares(const std::string& op, const Value& left, const Value& right) {
  if (op == "=") return equals(left, right);
  if (op == "!=") return !equals(left, right);
  const auto order = compare(left, right);
  if (!order) return false;
  if (op == "<") return *order < 0;
  if (op == "<=") return *order <= 0;
  if (op == ">") return *order > 0;
  return *order >= 0;
}

// The text without a copy where it already is one.
std::string_view text_of(const Value& value, std::string& scratch) {
  if (value.kind == Value::Kind::Text) return value.text;
  return scratch = value.as_text();
}

bool is_like(const Expression& expression, Row& row, const Names& names) {
  Value scratch, part_scratch;
  std::string text, part;
  const Value& value = evaluate(expression.children[0], row, names, scratch);
  if (value.is_null()) return false;
  row.work += value.text.size();
  if (expression.kind == Kind::Matches) return expression.regex->found_in(text_of(value, text));
  const Value& wanted = evaluate(expression.children[1], row, names, part_scratch);
  return contains(text_of(value, text), text_of(wanted, part));
}

bool is_in(const Expression& expression, Row& row, const Names& names) {
  Value scratch;
  const Value& value = evaluate(expression.children[0], row, names, scratch);
  return std::any_of(expression.children.begin() + 1, expression.children.end(), [&](const Expression& one) {
    Value other;
    return equals(value, evaluate(one, row, names, other));
  });
}

bool holds(const Expression& expression, Row& row, const Names& names) {
  Value scratch;
  return evaluate(expression, row, names, scratch).holds();
}

Value call(const Expression& expression, Row& row, const Names& names) {
  std::vector<Value> arguments;
  arguments.reserve(expression.children.size());
  for (const Expression& child : expression.children) {
    Value scratch;
    arguments.push_back(evaluate(child, row, names, scratch));
  }
  Value result = expression.function(expression, arguments);
  check_text_size(result.text.size());
  row.work += result.text.size() + 16;
  for (const Value& one : arguments) row.work += one.text.size();
  return result;
}

Value at_path(const Expression& expression, Row& row, const Names& names) {
  const Value& document = row.get(expression.slot, names);
  JsonTape tape;
  if (document.kind != Value::Kind::Text || !tape.parse(document.text)) return {};
  return json_value(tape, 0, expression.path[0]);
}

}  // namespace

Value json_node_value(const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::Null: return {};
    case JsonNode::Kind::True: return Value::of(true);
    case JsonNode::Kind::False: return Value::of(false);
    default: return Value::of(node.text);
  }
}

Value json_value(const JsonTape& tape, std::uint32_t at, std::string_view path) {
  const JsonNode& node = tape.node(at);
  if (!node.is_container()) return {};
  // The whole rest as one key, then up to each of its dots.
  for (std::size_t end = path.size();; end = path.rfind('.', end - 1)) {
    const std::string_view key = path.substr(0, end);
    std::optional<std::uint32_t> child;
    if (node.kind == JsonNode::Kind::Object) {
      child = tape.member(at, key);
    } else if (!key.empty() && key.size() < 9 && key.find_first_not_of("0123456789") == std::string_view::npos) {
      child = tape.element(at, static_cast<std::size_t>(std::stoul(std::string(key))));
    }
    if (child && end == path.size()) return json_node_value(tape.node(*child));
    if (child) {
      if (Value found = json_value(tape, *child, path.substr(end + 1)); !found.is_null()) return found;
    }
    if (end == 0 || path.rfind('.', end - 1) == std::string_view::npos) return {};
  }
}

void EventFields::reset(const Event& event) {
  event_ = event;
  parsed_ = is_json_ = false;
}

Value EventFields::load(std::string_view name) {
  if (name.starts_with("@@")) {
    name.remove_prefix(1);  // a discovered field that starts with '@'
  } else if (name.starts_with('@')) {
    if (name == "@timestamp") return Value::time(static_cast<double>(event_.timestamp_ms));
    if (name == "@message") return Value::of(event_.message);
    if (name == "@logStream") return Value::of(event_.stream);
    if (name == "@log") return Value::of(event_.log);
    if (name == "@ingestionTime") return Value::time(static_cast<double>(event_.ingested_ms));
    if (name == "@ptr") return event_.pointer ? Value::of(event_.pointer()) : Value::null();
    return {};
  }
  if (name.empty()) return {};
  if (!parsed_) {
    parsed_ = true;
    is_json_ = tape_.parse_object(event_.message);
  }
  return is_json_ ? json_value(tape_, 0, name) : Value::null();
}

const Value& evaluate(const Expression& expression, Row& row, const Names& names, Value& scratch) {
  switch (expression.kind) {
    case Kind::Literal: return expression.literal;
    case Kind::Slot: return row.get(expression.slot, names);
    case Kind::Path: return scratch = at_path(expression, row, names);
    case Kind::Call: return scratch = call(expression, row, names);
    case Kind::And:
      return scratch = Value::of(holds(expression.children[0], row, names) && holds(expression.children[1], row, names));
    case Kind::Or:
      return scratch = Value::of(holds(expression.children[0], row, names) || holds(expression.children[1], row, names));
    case Kind::Not: return scratch = Value::of(!holds(expression.children[0], row, names));
    case Kind::Like:
    case Kind::Matches: return scratch = Value::of(is_like(expression, row, names) != expression.negated);
    case Kind::In: return scratch = Value::of(is_in(expression, row, names) != expression.negated);
    case Kind::Negate: {
      const auto number = evaluate(expression.children[0], row, names, scratch).as_number();
      return scratch = number ? Value::of(-*number) : Value::null();
    }
    case Kind::Compare:
    case Kind::Arithmetic: break;
  }
  Value left_scratch, right_scratch;
  const Value& left = evaluate(expression.children[0], row, names, left_scratch);
  const Value& right = evaluate(expression.children[1], row, names, right_scratch);
  if (expression.kind == Kind::Compare) return scratch = Value::of(compares(expression.op, left, right));
  return scratch = arithmetic(expression.op[0], left, right);
}

}  // namespace services::logs::insights
