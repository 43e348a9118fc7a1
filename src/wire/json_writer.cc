// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/json.h"
#include "wire/text.h"
#include "wire/timestamp.h"

namespace wire {
namespace {

// 0: unescaped; 'u': \u00XX; else: a backslash and this letter.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  for (int c = 0; c < 0x20; ++c) escapes[c] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes[0x7F] = 'u';
  return escapes;
}();

template <class Number>
void write_number(Number number, std::string& out) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, end);
}

template <class Float>
void write_json_float(Float number, std::string& out) {
  if (std::isfinite(number)) return append_real(number, out);
  out += std::isnan(number) ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

void write_json_time(base::Time time, TimeFormat format, std::string& out) {
  switch (format) {
    case TimeFormat::Iso8601: return write_json_string(to_iso8601(time), out);
    case TimeFormat::Rfc822: return write_json_string(to_rfc822(time), out);
    default: append_epoch(out, time);
  }
}

void write_json_value(const TypeInfo& type, const Member& traits, const void* value, std::string& out);

void write_json_struct(const TypeInfo& type, const void* value, std::string& out) {
  out += '{';
  bool first = true;
  for (const Field& field : type.fields) {
    const void* member = field.get(field, value);
    if (!member) continue;
    out += first ? "\"" : ",\"";
    out += field.name;
    out += "\":";
    write_json_value(*field.type, *field.traits, member, out);
    first = false;
  }
  out += '}';
}

void write_json_list(const TypeInfo& type, const Member& traits, const void* value, std::string& out) {
  out += '[';
  std::size_t count = type.size(type, value);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    write_json_value(*type.element, element_traits(traits), type.at(type, value, i), out);
  }
  out += ']';
}

void write_json_map(const TypeInfo& type, const Member& traits, const void* value, std::string& out) {
  out += '{';
  bool first = true;
  for_each_entry(type, value, [&](const std::string& key, const void* element) {
    if (!first) out += ',';
    write_json_string(key, out);
    out += ':';
    write_json_value(*type.element, element_traits(traits), element, out);
    first = false;
  });
  out += '}';
}

void write_json_value(const TypeInfo& type, const Member& traits, const void* value, std::string& out) {
  switch (type.kind) {
    case Kind::String: return write_json_string(*static_cast<const std::string*>(value), out);
    case Kind::Bool: out += *static_cast<const bool*>(value) ? "true" : "false"; return;
    case Kind::Int32: return write_number(*static_cast<const std::int32_t*>(value), out);
    case Kind::Int64: return write_number(*static_cast<const std::int64_t*>(value), out);
    case Kind::Float: return write_json_float(*static_cast<const float*>(value), out);
    case Kind::Double: return write_json_float(*static_cast<const double*>(value), out);
    case Kind::Time: return write_json_time(*static_cast<const base::Time*>(value), traits.time, out);
    case Kind::Blob:
      out += '"';
      out += base::to_base64(static_cast<const base::Blob*>(value)->bytes);
      out += '"';
      return;
    case Kind::List: return write_json_list(type, traits, value, out);
    case Kind::Map: return write_json_map(type, traits, value, out);
    case Kind::Struct: return write_json_struct(type, value, out);
  }
}

}  // namespace

void write_json_string(std::string_view text, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    char escape = kEscapes[byte];
    if (!escape) continue;
    out.append(text, start, i - start);
    start = i + 1;
    out += '\\';
    out += escape;
    if (escape == 'u') out.append({'0', '0', kHex[byte >> 4], kHex[byte & 15]});
  }
  out.append(text, start);
  out += '"';
}

void write_json(const TypeInfo& type, const void* value, std::string& out) {
  write_json_value(type, kNoTraits, value, out);
}

}  // namespace wire
