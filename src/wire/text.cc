// SPDX-License-Identifier: Apache-2.0
#include "wire/text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/time.h"
#include "base/utf8.h"
#include "wire/timestamp.h"

namespace wire {
namespace {

template <class Number>
bool read_number(std::string_view text, void* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *static_cast<Number*>(value));
  return error == std::errc() && end == text.data() + text.size();
}

template <class Float>
bool read_float(std::string_view text, void* value) {
  Float& number = *static_cast<Float*>(value);
  if (text == "NaN") {
    number = std::numeric_limits<Float>::quiet_NaN();
  } else if (text == "Infinity") {
    number = std::numeric_limits<Float>::infinity();
  } else if (text == "-Infinity") {
    number = -std::numeric_limits<Float>::infinity();
  } else {
    return read_number<Float>(text, value) && std::isfinite(number);
  }
  return true;
}

bool read_bool(std::string_view text, void* value) {
  bool yes = base::equals_ignoring_case(text, "true");
  *static_cast<bool*>(value) = yes;
  return yes || base::equals_ignoring_case(text, "false");
}

bool read_time(std::string_view text, TimeFormat format, void* value) {
  std::optional<base::Time> time;
  switch (format) {
    case TimeFormat::Iso8601: time = from_iso8601(text); break;
    case TimeFormat::Rfc822: time = from_rfc822(text); break;
    case TimeFormat::Unix: time = from_epoch(text); break;
    case TimeFormat::Default:
      time = from_iso8601(text);
      if (!time) time = from_epoch(text);
      if (!time) time = from_rfc822(text);
  }
  if (time) *static_cast<base::Time*>(value) = *time;
  return time.has_value();
}

bool read_blob(std::string_view text, void* value) {
  auto bytes = base::from_base64(text);
  if (bytes) static_cast<base::Blob*>(value)->bytes = std::move(*bytes);
  return bytes.has_value();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  std::size_t start = text.find_first_not_of(kSpace);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

template <class Number>
void append_number(const void* value, std::string& out) {
  char buffer[32];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, *static_cast<const Number*>(value));
  out.append(buffer, end);
}

template <class Float>
void append_with_fraction(Float number, std::string& out) {
  const std::size_t start = out.size();
  append_number<Float>(&number, out);
  if (out.find_first_of(".e", start) == out.npos) out += ".0";
}

template <class Float>
void append_float(const void* value, std::string& out) {
  Float number = *static_cast<const Float*>(value);
  if (std::isfinite(number)) return append_with_fraction(number, out);
  out += std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

void append_time(base::Time time, TimeFormat format, std::string& out) {
  switch (format) {
    case TimeFormat::Rfc822: out += to_rfc822(time); return;
    case TimeFormat::Unix: return append_epoch(out, time);
    default: out += to_iso8601(time);
  }
}

}  // namespace

bool read_text(const TypeInfo& type, TimeFormat format, std::string_view text, void* value) {
  if (type.kind != Kind::String) text = trimmed(text);
  switch (type.kind) {
    case Kind::String: static_cast<std::string*>(value)->assign(text); return base::is_utf8(text);
    case Kind::Bool: return read_bool(text, value);
    case Kind::Int32: return read_number<std::int32_t>(text, value);
    case Kind::Int64: return read_number<std::int64_t>(text, value);
    case Kind::Float: return read_float<float>(text, value);
    case Kind::Double: return read_float<double>(text, value);
    case Kind::Time: return read_time(text, format, value);
    case Kind::Blob: return read_blob(text, value);
    default: return false;
  }
}

void append_text(const TypeInfo& type, TimeFormat format, const void* value, std::string& out) {
  switch (type.kind) {
    case Kind::String: out += *static_cast<const std::string*>(value); return;
    case Kind::Bool: out += *static_cast<const bool*>(value) ? "true" : "false"; return;
    case Kind::Int32: return append_number<std::int32_t>(value, out);
    case Kind::Int64: return append_number<std::int64_t>(value, out);
    case Kind::Float: return append_float<float>(value, out);
    case Kind::Double: return append_float<double>(value, out);
    case Kind::Time: return append_time(*static_cast<const base::Time*>(value), format, out);
    case Kind::Blob: out += base::to_base64(static_cast<const base::Blob*>(value)->bytes); return;
    default: return;
  }
}

void append_real(double number, std::string& out) { append_with_fraction(number, out); }
void append_real(float number, std::string& out) { append_with_fraction(number, out); }

}  // namespace wire
