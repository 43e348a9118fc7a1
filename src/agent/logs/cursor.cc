// SPDX-License-Identifier: Apache-2.0
#include "agent/logs/cursor.h"

#include <array>
#include <charconv>

namespace agent::logs {
namespace {

constexpr std::size_t kMaxFileName = 64;
constexpr std::string_view kTokenPrefix = "stoker/1 ";
constexpr std::string_view kExpected = "The next expected sequenceToken is: ";

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::string to_text(const LogPosition& position) { return position.file + "@" + std::to_string(position.offset); }

std::optional<LogPosition> parse_position(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == text.npos || at > kMaxFileName) return std::nullopt;
  const auto offset = parse_number(text.substr(at + 1));
  if (!offset) return std::nullopt;
  return LogPosition{std::string(text.substr(0, at)), *offset};
}

}  // namespace

std::string to_text(const Cursor& cursor) {
  return to_text(cursor.done) + "," + to_text(cursor.resume) + "," + std::to_string(cursor.last_ms);
}

std::optional<Cursor> parse_cursor(std::string_view text) {
  std::array<std::string_view, 3> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t comma = i + 1 < parts.size() ? text.find(',') : text.size();
    if (comma == text.npos) return std::nullopt;
    parts[i] = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  const auto done = parse_position(parts[0]), resume = parse_position(parts[1]);
  const auto last = parse_number(parts[2]);
  if (!done || !resume || !last) return std::nullopt;
  return Cursor{*done, *resume, *last};
}

std::string batch_token(const std::string& from, const std::string& to) {
  return std::string(kTokenPrefix) + from + " " + to;
}

std::optional<std::string> expected_token(std::string_view message) {
  const std::size_t at = message.find(kExpected);
  if (at == message.npos) return std::nullopt;
  return std::string(message.substr(at + kExpected.size()));
}

}  // namespace agent::logs
