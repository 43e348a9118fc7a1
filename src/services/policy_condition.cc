// SPDX-License-Identifier: Apache-2.0
#include "services/policy_condition.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/bytes.h"
#include "services/policy.h"
#include "wire/timestamp.h"

namespace services::policy {
namespace {

constexpr std::string_view kAny = "ForAnyValue:", kAll = "ForAllValues:", kIfExists = "IfExists";

// nullopt for text that is not of the type.
using Test = std::optional<bool> (*)(std::string_view expected, std::string_view actual);

struct Operator {
  Test test = nullptr;
  bool negated = false;
};

std::optional<double> number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// ISO 8601, or seconds since 1970.
std::optional<double> date(std::string_view text) {
  auto time = wire::from_iso8601(text);
  if (!time && text.size() == 10 && text.find('-') != text.npos) {
    time = wire::from_iso8601(std::string(text) + "T00:00:00Z");
  }
  if (!time) time = wire::from_epoch(text);
  if (!time) return std::nullopt;
  return static_cast<double>(base::to_millis(*time));
}

template <std::optional<double> (*Read)(std::string_view), class Compare>
std::optional<bool> compared(std::string_view expected, std::string_view actual) {
  const auto left = Read(actual), right = Read(expected);
  if (!left || !right) return std::nullopt;
  return Compare()(*left, *right);
}

struct Network {
  unsigned char bytes[16] = {};
  std::size_t size = 0;  // 4 or 16
  unsigned bits = 0;
};

std::optional<Network> network_of(std::string_view text) {
  Network out;
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  if (inet_pton(AF_INET, address.c_str(), out.bytes) == 1) {
    out.size = 4;
  } else if (inet_pton(AF_INET6, address.c_str(), out.bytes) == 1) {
    out.size = 16;
  } else {
    return std::nullopt;
  }
  out.bits = static_cast<unsigned>(out.size * 8);
  if (slash == text.npos) return out;
  const std::string_view bits = text.substr(slash + 1);
  auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), out.bits);
  if (error != std::errc() || end != bits.data() + bits.size() || out.bits > out.size * 8) return std::nullopt;
  return out;
}

std::optional<bool> same(std::string_view a, std::string_view b) { return a == b; }
std::optional<bool> same_letters(std::string_view a, std::string_view b) { return base::equals_ignoring_case(a, b); }
std::optional<bool> alike(std::string_view pattern, std::string_view text) { return matches(pattern, text); }
std::optional<bool> same_bool(std::string_view expected, std::string_view actual) {
  if (!base::equals_ignoring_case(expected, "true") && !base::equals_ignoring_case(expected, "false")) {
    return std::nullopt;
  }
  return base::equals_ignoring_case(expected, actual);
}
std::optional<bool> within(std::string_view network, std::string_view address) {
  if (!network_of(network) || !network_of(address)) return std::nullopt;
  return in_network(address, network);
}

const std::map<std::string_view, Operator> kOperators = {
    {"StringEquals", {&same}},
    {"StringNotEquals", {&same, true}},
    {"StringEqualsIgnoreCase", {&same_letters}},
    {"StringNotEqualsIgnoreCase", {&same_letters, true}},
    {"StringLike", {&alike}},
    {"StringNotLike", {&alike, true}},
    {"ArnEquals", {&alike}},
    {"ArnLike", {&alike}},
    {"ArnNotEquals", {&alike, true}},
    {"ArnNotLike", {&alike, true}},
    {"Bool", {&same_bool}},
    {"IpAddress", {&within}},
    {"NotIpAddress", {&within, true}},
    {"NumericEquals", {&compared<&number, std::equal_to<>>}},
    {"NumericNotEquals", {&compared<&number, std::equal_to<>>, true}},
    {"NumericLessThan", {&compared<&number, std::less<>>}},
    {"NumericLessThanEquals", {&compared<&number, std::less_equal<>>}},
    {"NumericGreaterThan", {&compared<&number, std::greater<>>}},
    {"NumericGreaterThanEquals", {&compared<&number, std::greater_equal<>>}},
    {"DateEquals", {&compared<&date, std::equal_to<>>}},
    {"DateNotEquals", {&compared<&date, std::equal_to<>>, true}},
    {"DateLessThan", {&compared<&date, std::less<>>}},
    {"DateLessThanEquals", {&compared<&date, std::less_equal<>>}},
    {"DateGreaterThan", {&compared<&date, std::greater<>>}},
    {"DateGreaterThanEquals", {&compared<&date, std::greater_equal<>>}},
};

const std::string* find_key(const Context& context, std::string_view key) {
  for (const auto& [name, value] : context) {
    if (base::equals_ignoring_case(name, key)) return &value;
  }
  return nullptr;
}

// A valid value for the operator: comparing with it shows whether another value can be parsed.
std::string_view sample(std::string_view name) {
  if (name.find("Ip") != name.npos) return "127.0.0.1";
  if (name.starts_with("Date")) return "2000-01-01T00:00:00Z";
  return name == "Bool" ? "true" : "1";
}

}  // namespace

std::string_view bare_operator(std::string_view name) {
  if (name.starts_with(kAny)) name.remove_prefix(kAny.size());
  if (name.starts_with(kAll)) name.remove_prefix(kAll.size());
  if (name.ends_with(kIfExists)) name.remove_suffix(kIfExists.size());
  return name;
}

std::string problem(const Condition& condition) {
  if (!condition.readable) return condition.name + " " + condition.key;
  const std::string_view bare = bare_operator(condition.name);
  if (bare == "Null") {
    for (const std::string& value : condition.values) {
      if (!same_bool(value, "true")) return "Null with the value " + value;
    }
    return "";
  }
  auto known = kOperators.find(bare);
  if (known == kOperators.end()) return "the operator " + condition.name;
  for (const std::string& value : condition.values) {
    if (!known->second.test(value, sample(bare))) return condition.name + " with the value " + value;
  }
  return "";
}

bool holds(const Condition& condition, const Context& context, bool in_doubt) {
  if (!condition.readable) return in_doubt;
  const std::string_view bare = bare_operator(condition.name);
  const std::string* actual = find_key(context, condition.key);
  if (bare == "Null") {
    return std::any_of(condition.values.begin(), condition.values.end(),
                       [&](const std::string& value) { return base::equals_ignoring_case(value, "true") == !actual; });
  }
  auto known = kOperators.find(bare);
  if (known == kOperators.end()) return in_doubt;
  const Operator& op = known->second;
  if (!actual) {
    if (condition.name.starts_with(kAny)) return false;
    return op.negated || condition.name.starts_with(kAll) || condition.name.ends_with(kIfExists);
  }
  for (const std::string& value : condition.values) {
    const std::optional<bool> fits = op.test(value, *actual);
    if (!fits) return in_doubt;
    if (*fits) return !op.negated;
  }
  return op.negated;
}

bool in_network(std::string_view address, std::string_view network) {
  const auto from = network_of(address), in = network_of(network);
  if (!from || !in || from->size != in->size) return false;
  const std::size_t whole = in->bits / 8, rest = in->bits % 8;
  if (std::memcmp(from->bytes, in->bytes, whole) != 0) return false;
  if (rest == 0) return true;
  const unsigned mask = 0xFFu << (8 - rest) & 0xFFu;
  return (from->bytes[whole] & mask) == (in->bytes[whole] & mask);
}

}  // namespace services::policy
