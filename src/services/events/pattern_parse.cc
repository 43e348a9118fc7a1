// SPDX-License-Identifier: Apache-2.0
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "services/events/pattern.h"
#include "services/policy_condition.h"

namespace services::events {
namespace {

namespace json = boost::json;

constexpr double kMaxNumeric = 5.0e9;  // Amazon's, of the operator numeric

struct PatternError {
  std::string reason;
};

[[noreturn]] void fail(std::string reason) { throw PatternError{std::move(reason)}; }

std::string text_of(const json::value& value, std::string_view of) {
  if (!value.is_string()) fail(std::string(of) + " match pattern must be a string");
  return std::string(value.get_string());
}

double number_of(const json::value& value) {
  if (!value.is_number()) fail("Value of numeric must be a number.");
  const double number = value.to_number<double>();
  if (!(std::abs(number) <= kMaxNumeric)) fail("Value of numeric must be between -5.0E9 and 5.0E9, inclusive.");
  return number;
}

void check_wildcard(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      const bool escapes = i + 1 < pattern.size() && (pattern[i + 1] == '*' || pattern[i + 1] == '\\');
      if (!escapes) fail("Invalid escape character at pos " + std::to_string(i));
      ++i;
    } else if (pattern[i] == '*' && i + 1 < pattern.size() && pattern[i + 1] == '*') {
      fail("Consecutive wildcard characters at pos " + std::to_string(i));
    }
  }
}

void check_cidr(std::string_view text) {
  if (std::ranges::count(text, '/') != 1) fail("Malformed CIDR, one '/' required");
  if (!policy::in_network(text.substr(0, text.find('/')), text)) fail("Malformed CIDR: " + std::string(text));
}

// The operators whose argument is a string.
Test string_test(std::string_view name, const json::value& argument) {
  Test test;
  if (name == "equals-ignore-case") test.kind = Test::Kind::IgnoreCase;
  if (name == "wildcard") test.kind = Test::Kind::Wildcard;
  if (name == "cidr") test.kind = Test::Kind::Cidr;
  if (name == "prefix" || name == "suffix") {
    test.kind = name == "prefix" ? Test::Kind::Prefix : Test::Kind::Suffix;
    const json::object* nested = argument.if_object();
    if (nested) {
      if (nested->size() != 1) fail("Only one key allowed in match expression");
      if (nested->begin()->key() != "equals-ignore-case") {
        fail("Unsupported " + std::string(name) + " pattern: " + std::string(nested->begin()->key()));
      }
      test.ignore_case = true;
      test.text = text_of(nested->begin()->value(), "equals-ignore-case");
      return test;
    }
  }
  test.text = text_of(argument, name);
  if (test.kind == Test::Kind::Wildcard) {
    check_wildcard(test.text);
    test.parts = wildcard_parts(test.text);
  }
  if (test.kind == Test::Kind::Cidr) check_cidr(test.text);
  return test;
}

bool is_string_operator(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"prefix", "suffix", "equals-ignore-case", "wildcard", "cidr"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// ["=", 5], ["<", 10], [">", 0, "<=", 5]: a second pair is only possible after a lower bound.
Test numeric_test(const json::value& argument) {
  const json::array* terms = argument.if_array();
  if (!terms) fail("Value of numeric must be an array.");
  if (terms->empty()) fail("Invalid member in numeric match: ] is not a valid operator");
  if (terms->size() % 2 != 0 || terms->size() > 4) fail("Invalid number of terms in numeric range expression");
  Test test{.kind = Test::Kind::Numeric};
  for (std::size_t i = 0; i < terms->size(); i += 2) {
    const std::string op = (*terms)[i].is_string() ? std::string((*terms)[i].get_string()) : "";
    const NumericBound bound{number_of((*terms)[i + 1]), op != "<" && op != ">"};
    if (op == "=" && terms->size() == 2) {
      test.low = test.high = bound;
    } else if ((op == ">" || op == ">=") && i == 0) {
      test.low = bound;
    } else if ((op == "<" || op == "<=") && (i == 2 || terms->size() == 2)) {
      test.high = bound;
    } else {
      fail("Unrecognized numeric range operator: " + op);
    }
  }
  if (terms->size() == 4 && test.low->value >= test.high->value) fail("Bottom must be less than top");
  return test;
}

Test equal_test(const json::value& value) {
  if (value.is_array() || value.is_object()) fail("Match value must be String, number, true, false, or null");
  return Test{.kind = Test::Kind::Equal, .value = value};
}

void add_test(Tests& tests, Test test) {
  const json::value& value = test.value;
  if (test.kind != Test::Kind::Equal) {
    tests.others.push_back(std::move(test));
  } else if (value.is_string()) {
    tests.strings.emplace(value.get_string().data(), value.get_string().size());
  } else if (value.is_number()) {
    auto& same = tests.numbers[value.to_number<double>()];
    const auto equal = [&](const json::value& one) { return equal_numbers(one, value); };
    if (std::ranges::none_of(same, equal)) same.push_back(value);
  } else {
    const auto equal = [&](const Test& one) { return one.kind == Test::Kind::Equal && one.value == value; };
    if (std::ranges::none_of(tests.others, equal)) tests.others.push_back(std::move(test));
  }
}

// A value, a list of only strings or only numbers, or a test on strings with one or several arguments.
Test anything_but_test(const json::value& argument) {
  Test test{.kind = Test::Kind::AnythingBut};
  if (const json::object* nested = argument.if_object()) {
    if (nested->size() != 1) fail("Only one key allowed in match expression");
    const std::string name(nested->begin()->key());
    if (!is_string_operator(name) || name == "cidr") fail("Unsupported anything-but pattern: " + name);
    const json::value& wanted = nested->begin()->value();
    const json::array* list = wanted.if_array();
    if (list && list->empty()) fail("Empty arrays are not allowed");
    for (std::size_t i = 0; list && i < list->size(); ++i) add_test(test.excluded, string_test(name, (*list)[i]));
    if (!list) add_test(test.excluded, string_test(name, wanted));
    return test;
  }
  const json::array* list = argument.if_array();
  if (!list) {
    add_test(test.excluded, equal_test(argument));
    return test;
  }
  if (list->empty()) fail("Empty arrays are not allowed");
  const bool strings = list->front().is_string();
  for (const json::value& value : *list) {
    if (strings ? !value.is_string() : !value.is_number()) {
      fail("Inside anything but list, either all values are number or string, mixed type is not supported");
    }
    add_test(test.excluded, equal_test(value));
  }
  return test;
}

Test parse_test(const json::value& entry) {
  const json::object* expression = entry.if_object();
  if (!expression) return equal_test(entry);
  if (expression->size() != 1) fail("Only one key allowed in match expression");
  const std::string name(expression->begin()->key());
  const json::value& argument = expression->begin()->value();
  if (is_string_operator(name)) return string_test(name, argument);
  if (name == "numeric") return numeric_test(argument);
  if (name == "anything-but") return anything_but_test(argument);
  if (name == "exists") {
    if (!argument.is_bool()) fail("exists match pattern must be either true or false.");
    return Test{.kind = Test::Kind::Exists, .value = argument};
  }
  fail("Unrecognized match type " + name);
}

Tests parse_tests(const json::array& entries) {
  if (entries.empty()) fail("Empty arrays are not allowed");
  Tests tests;
  for (const json::value& entry : entries) add_test(tests, parse_test(entry));
  return tests;
}

bool is_operator(std::string_view name) {
  return is_string_operator(name) || name == "numeric" || name == "anything-but" || name == "exists";
}

// Two or more objects, none of them a match expression. Any other $or is the name of a field.
bool is_choice(std::string_view name, const json::value& value) {
  if (name != "$or" || !value.is_array() || value.get_array().size() < 2) return false;
  return std::ranges::all_of(value.get_array(), [](const json::value& one) {
    const json::object* fields = one.if_object();
    return fields && !fields->empty() &&
           std::ranges::none_of(*fields, [](const auto& field) { return is_operator(field.key()); });
  });
}

ObjectPattern parse_object(const json::object& fields) {
  if (fields.empty()) fail("Empty objects are not allowed");
  ObjectPattern pattern;
  for (const auto& [key, value] : fields) {
    const std::string name(key);
    if (is_choice(name, value)) {
      std::vector<ObjectPattern>& alternatives = pattern.choices.emplace_back();
      for (const json::value& one : value.get_array()) alternatives.push_back(parse_object(one.get_object()));
    } else if (value.is_object()) {
      pattern.fields.emplace_back(name, parse_object(value.get_object()));
    } else if (value.is_array()) {
      pattern.fields.emplace_back(name, parse_tests(value.get_array()));
    } else {
      fail('"' + name + "\" must be an object or an array");
    }
  }
  return pattern;
}

// How many patterns without $or it stands for, or something over the limit.
std::size_t combinations(const ObjectPattern& pattern) {
  std::size_t product = 1;
  for (const auto& [name, field] : pattern.fields) {
    const auto* object = std::get_if<ObjectPattern>(&field);
    if (object) product = std::min(product * combinations(*object), kMaxCombinations + 1);
  }
  for (const auto& alternatives : pattern.choices) {
    std::size_t sum = 0;
    for (const ObjectPattern& one : alternatives) sum += combinations(one);
    product = std::min(product * sum, kMaxCombinations + 1);
  }
  return product;
}

}  // namespace

base::Result<ObjectPattern> parse_pattern(std::string_view text) {
  boost::system::error_code error;
  const json::value parsed = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return base::Error{"Filter is not valid JSON: " + error.message()};
  if (!parsed.is_object()) return base::Error{"Filter is not an object"};
  try {
    ObjectPattern pattern = parse_object(parsed.get_object());
    if (combinations(pattern) > kMaxCombinations) {
      return base::Error{"Rule is too complex: its $or stand for more than 1000 combinations"};
    }
    return pattern;
  } catch (const PatternError& failed) {
    return base::Error{failed.reason};
  }
}

}  // namespace services::events
