// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "services/logs/insights/functions.h"
#include "services/logs/patterns/text_pattern.h"
#include "wire/json.h"

namespace services::logs::insights {
namespace {

using Arguments = std::vector<Value>;

constexpr std::string_view kBlanks = " \t\r\n\v\f";
// A text that a function makes may be this much longer than its argument.
constexpr std::size_t kMaxGrowth = 1 << 20;

Value is_empty(const Expression&, const Arguments& arguments) {
  return Value::of(arguments[0].is_null() || arguments[0].as_text().empty());
}

Value is_blank_text(const Expression&, const Arguments& arguments) {
  return Value::of(arguments[0].as_text().find_first_not_of(kBlanks) == std::string::npos);
}

Value concat(const Expression&, const Arguments& arguments) {
  std::string out;
  for (const Value& one : arguments) {
    out += one.as_text();
    check_text_size(out.size());
  }
  return Value::of(out);
}

template <bool Left, bool Right>
Value trim_text(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  const std::string text = arguments[0].as_text();
  const std::string characters = arguments.size() > 1 ? arguments[1].as_text() : std::string(kBlanks);
  std::string_view out = text;
  if (Left) out.remove_prefix(std::min(out.find_first_not_of(characters), out.size()));
  if (Right) out = out.substr(0, out.find_last_not_of(characters) + 1);
  return Value::of(out);
}

Value length(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  return Value::of(static_cast<double>(base::count_characters(arguments[0].as_text())));
}

template <int (*Fn)(int)>
Value change_case(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  std::string text = arguments[0].as_text();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x80) c = static_cast<char>(Fn(c));
  }
  return Value::of(text);
}

// substr(text, from, count), in characters.
Value part(const Expression&, const Arguments& arguments) {
  const auto from = arguments[1].as_number();
  const auto count = arguments.size() > 2 ? arguments[2].as_number() : 1e9;
  if (arguments[0].is_null() || !from || !count || *from < 0 || *count < 0) return {};
  const std::string text = arguments[0].as_text();
  std::size_t at = 0, begin = text.size(), end = text.size();
  for (double position = 0; at < text.size(); ++position) {
    if (position == std::min(*from, 1e9)) begin = at;
    if (position >= *from + *count) {
      end = at;
      break;
    }
    const std::size_t before = at;
    if (base::next_character(text, at) < 0) at = before + 1;
  }
  return Value::of(begin < end ? std::string_view(text).substr(begin, end - begin) : std::string_view());
}

Value replace(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  const std::string text = arguments[0].as_text(), what = arguments[1].as_text(), with = arguments[2].as_text();
  if (what.empty()) return arguments[0];
  std::string out;
  std::size_t at = 0;
  while (out.size() <= text.size() + kMaxGrowth) {
    const std::size_t found = text.find(what, at);
    out += text.substr(at, found == std::string::npos ? found : found - at);
    if (found == std::string::npos) return Value::of(out);
    out += with;
    at = found + what.size();
  }
  return {};
}

Value regex_replace(const Expression& call, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  const std::string text = arguments[0].as_text(), with = arguments[2].as_text();
  if (with.size() > 1 && text.size() * with.size() > kMaxGrowth * 16) return {};
  return Value::of(call.regex->replace_all(text, with));
}

Value str_contains(const Expression&, const Arguments& arguments) {
  return Value::of(!arguments[0].is_null() && contains(arguments[0].as_text(), arguments[1].as_text()));
}
Value starts_with(const Expression&, const Arguments& arguments) {
  return Value::of(!arguments[0].is_null() && arguments[0].as_text().starts_with(arguments[1].as_text()));
}
Value ends_with(const Expression&, const Arguments& arguments) {
  return Value::of(!arguments[0].is_null() && arguments[0].as_text().ends_with(arguments[1].as_text()));
}

// A JSON list, whose elements are x[0], x[1].
Value split_text(const Expression&, const Arguments& arguments) {
  if (arguments[0].is_null()) return {};
  const std::string text = arguments[0].as_text(), by = arguments[1].as_text();
  std::string out = "[";
  for (std::size_t at = 0;;) {
    const std::size_t found = by.empty() ? std::string::npos : text.find(by, at);
    if (out.size() > 1) out += ',';
    wire::write_json_string(text.substr(at, found == std::string::npos ? found : found - at), out);
    if (found == std::string::npos) break;
    at = found + by.size();
  }
  return Value::of(out + "]");
}

Value url_encode(const Expression&, const Arguments& arguments) {
  return arguments[0].is_null() ? Value::null() : Value::of(base::percent_encode(arguments[0].as_text()));
}
Value url_decode(const Expression&, const Arguments& arguments) {
  const auto text = base::percent_decode(arguments[0].as_text(), true);
  return arguments[0].is_null() || !text || !base::is_utf8(*text) ? Value::null() : Value::of(*text);
}
Value base64_encode(const Expression&, const Arguments& arguments) {
  return arguments[0].is_null() ? Value::null() : Value::of(base::to_base64(arguments[0].as_text()));
}
Value base64_decode(const Expression&, const Arguments& arguments) {
  const auto text = base::from_base64(arguments[0].as_text());
  return arguments[0].is_null() || !text || !base::is_utf8(*text) ? Value::null() : Value::of(*text);
}

template <std::string (*Hash)(std::string_view)>
Value digest(const Expression&, const Arguments& arguments) {
  return arguments[0].is_null() ? Value::null() : Value::of(base::to_hex(Hash(arguments[0].as_text())));
}

}  // namespace

const std::vector<FunctionRow>& text_functions() {
  static const std::vector<FunctionRow> rows = {
      {"isempty", 1, 1, &is_empty},
      {"isblank", 1, 1, &is_blank_text},
      {"concat", 1, kManyArguments, &concat},
      {"trim", 1, 2, &trim_text<true, true>},
      {"ltrim", 1, 2, &trim_text<true, false>},
      {"rtrim", 1, 2, &trim_text<false, true>},
      {"strlen", 1, 1, &length},
      {"toupper", 1, 1, &change_case<&std::toupper>},
      {"tolower", 1, 1, &change_case<&std::tolower>},
      {"substr", 2, 3, &part},
      {"replace", 3, 3, &replace},
      {"regexreplace", 3, 3, &regex_replace},
      {"strcontains", 2, 2, &str_contains},
      {"startswith", 2, 2, &starts_with},
      {"endswith", 2, 2, &ends_with},
      {"split", 2, 2, &split_text},
      {"urlencode", 1, 1, &url_encode},
      {"urldecode", 1, 1, &url_decode},
      {"base64encode", 1, 1, &base64_encode},
      {"base64decode", 1, 1, &base64_decode},
      {"md5", 1, 1, &digest<&base::md5>},
      {"sha256", 1, 1, &digest<&base::sha256>},
  };
  return rows;
}

}  // namespace services::logs::insights
