// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/event.h"

#include <charconv>

namespace telemetry {
namespace {

constexpr std::size_t kTimeDigits = 19, kBatchDigits = 19, kIndexDigits = 18;

void append_digits(std::string& out, std::int64_t value, std::size_t digits) {
  const std::string text = std::to_string(value);
  out.append(digits - text.size(), '0').append(text);
}

std::optional<std::int64_t> read_digits(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || text[0] == '-') return std::nullopt;
  return value;
}

}  // namespace

std::string event_id(const EventKey& key) {
  std::string id;
  append_digits(id, key.timestamp_ms, kTimeDigits);
  append_digits(id, key.batch, kBatchDigits);
  append_digits(id, key.index, kIndexDigits);
  return id;
}

std::optional<EventKey> parse_event_id(std::string_view text) {
  if (text.size() != kTimeDigits + kBatchDigits + kIndexDigits) return std::nullopt;
  const auto time = read_digits(text.substr(0, kTimeDigits));
  const auto batch = read_digits(text.substr(kTimeDigits, kBatchDigits));
  const auto index = read_digits(text.substr(kTimeDigits + kBatchDigits));
  if (!time || !batch || !index || *index > kMaxEventIndex) return std::nullopt;
  return EventKey{*time, *batch, *index};
}

}  // namespace telemetry
