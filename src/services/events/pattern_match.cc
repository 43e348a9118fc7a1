// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/bytes.h"
#include "services/events/pattern.h"
#include "services/policy_condition.h"

namespace services::events {
namespace {

namespace json = boost::json;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

bool in_range(const Test& test, double number) {
  if (test.low && (test.low->inclusive ? number < test.low->value : number <= test.low->value)) return false;
  return !test.high || (test.high->inclusive ? number <= test.high->value : number < test.high->value);
}

bool holds_for_text(const Test& test, std::string_view leaf) {
  const std::string_view text = test.text;
  switch (test.kind) {
    case Test::Kind::IgnoreCase: return base::equals_ignoring_case(text, leaf);
    case Test::Kind::Wildcard: return matches_parts(test.parts, leaf);
    case Test::Kind::Cidr: return policy::in_network(leaf, text);
    default: break;
  }
  if (leaf.size() < text.size()) return false;
  const std::string_view part =
      test.kind == Test::Kind::Prefix ? leaf.substr(0, text.size()) : leaf.substr(leaf.size() - text.size());
  return test.ignore_case ? base::equals_ignoring_case(text, part) : text == part;
}

bool any_holds(const Tests& tests, const json::value& leaf);

// A leaf is a value that is neither an object nor an array.
bool holds(const Test& test, const json::value& leaf) {
  switch (test.kind) {
    case Test::Kind::Equal: return test.value == leaf;
    case Test::Kind::Numeric: return leaf.is_number() && in_range(test, leaf.to_number<double>());
    case Test::Kind::Exists: return test.value.get_bool();
    case Test::Kind::AnythingBut: return !any_holds(test.excluded, leaf);
    default: return leaf.is_string() && holds_for_text(test, view(leaf.get_string()));
  }
}

bool any_holds(const Tests& tests, const json::value& leaf) {
  if (leaf.is_string() && tests.strings.contains(view(leaf.get_string()))) return true;
  if (leaf.is_number()) {
    const auto found = tests.numbers.find(leaf.to_number<double>());
    const auto same = [&](const json::value& wanted) { return equal_numbers(wanted, leaf); };
    if (found != tests.numbers.end() && std::ranges::any_of(found->second, same)) return true;
  }
  return std::ranges::any_of(tests.others, [&](const Test& one) { return holds(one, leaf); });
}

bool has_leaf(const json::value& value) {
  if (value.is_object()) return false;
  return !value.is_array() || std::ranges::any_of(value.get_array(), has_leaf);
}

bool holds_for_any_leaf(const Tests& tests, const json::value& value) {
  if (value.is_object()) return false;
  if (!value.is_array()) return any_holds(tests, value);
  return std::ranges::any_of(value.get_array(), [&](const json::value& one) { return holds_for_any_leaf(tests, one); });
}

// Of an absent field, and of one that holds no leaf, only {"exists": false} holds.
bool holds_for_field(const Tests& tests, const json::value* value) {
  if (value && has_leaf(*value)) return holds_for_any_leaf(tests, *value);
  return std::ranges::any_of(tests.others, [](const Test& test) {
    return test.kind == Test::Kind::Exists && !test.value.get_bool();
  });
}

bool matches_object(const ObjectPattern& pattern, const json::object* object);

bool matches_value(const ObjectPattern& pattern, const json::value* value) {
  if (!value || !value->is_array()) return matches_object(pattern, value ? value->if_object() : nullptr);
  const json::array& elements = value->get_array();
  if (std::ranges::any_of(elements, [&](const json::value& one) { return matches_value(pattern, &one); })) return true;
  return elements.empty() && matches_object(pattern, nullptr);
}

// nullptr: an object without fields.
bool matches_object(const ObjectPattern& pattern, const json::object* object) {
  for (const auto& [name, field] : pattern.fields) {
    const json::value* value = object ? object->if_contains(name) : nullptr;
    if (const auto* nested = std::get_if<ObjectPattern>(&field)) {
      if (!matches_value(*nested, value)) return false;
      continue;
    }
    if (!holds_for_field(std::get<Tests>(field), value)) return false;
  }
  return std::ranges::all_of(pattern.choices, [&](const auto& alternatives) {
    return std::ranges::any_of(alternatives, [&](const ObjectPattern& one) { return matches_object(one, object); });
  });
}

// Knuth, Morris and Pratt: linear, where a plain search of "aaa...b" is not.
std::size_t find_linear(std::string_view text, std::string_view part) {
  std::vector<std::size_t> border(part.size() + 1, 0);
  for (std::size_t i = 1, length = 0; i < part.size(); ++i) {
    while (length > 0 && part[i] != part[length]) length = border[length];
    if (part[i] == part[length]) ++length;
    border[i + 1] = length;
  }
  for (std::size_t i = 0, length = 0; i < text.size(); ++i) {
    while (length > 0 && text[i] != part[length]) length = border[length];
    if (text[i] == part[length]) ++length;
    if (length == part.size()) return i + 1 - length;
  }
  return text.npos;
}

}  // namespace

bool equal_numbers(const json::value& wanted, const json::value& leaf) {
  // Whole numbers are compared exactly, also beyond 2^53.
  if (!wanted.is_double() && !leaf.is_double()) return wanted == leaf;
  return wanted.to_number<double>() == leaf.to_number<double>();
}

std::vector<std::string> wildcard_parts(std::string_view pattern) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*') {
      parts.emplace_back();
      continue;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    parts.back() += pattern[i];
  }
  return parts;
}

bool matches_wildcard(std::string_view pattern, std::string_view text) {
  return matches_parts(wildcard_parts(pattern), text);
}

bool matches_parts(const std::vector<std::string>& parts, std::string_view text) {
  if (parts.size() == 1) return text == parts.front();
  const std::string& first = parts.front();
  const std::string& last = parts.back();
  if (text.size() < first.size() + last.size() || !text.starts_with(first) || !text.ends_with(last)) return false;
  text = text.substr(first.size(), text.size() - first.size() - last.size());
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const std::size_t found = find_linear(text, parts[i]);
    if (found == text.npos) return false;
    text.remove_prefix(found + parts[i].size());
  }
  return true;
}

bool matches(const ObjectPattern& pattern, const json::value& event) { return matches_value(pattern, &event); }

}  // namespace services::events
