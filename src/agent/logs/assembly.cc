// SPDX-License-Identifier: Apache-2.0
#include "agent/logs/assembly.h"

#include <re2/re2.h>

#include <utility>

#include "base/check.h"
#include "base/utf8.h"

namespace agent::logs {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::size_t utf8_bytes(std::string_view text) {
  if (base::is_utf8(text)) return text.size();
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    bytes += base::next_character(text, at) < 0 ? kReplacement.size() : at - start;
  }
  return bytes;
}

}  // namespace

std::string to_utf8(std::string_view text) {
  if (base::is_utf8(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (base::next_character(text, at) < 0) {
      out += kReplacement;
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

std::size_t cut_at(std::string_view text, std::size_t limit) {
  if (text.size() <= limit / kReplacement.size()) return text.size();
  std::size_t bytes = 0, at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    bytes += base::next_character(text, at) < 0 ? kReplacement.size() : at - start;
    if (bytes > limit) return start;
  }
  return at;
}

Assembly::Assembly(const std::string& event_start) {
  if (event_start.empty()) return;
  event_start_ = std::make_unique<re2::RE2>(event_start, re2::RE2::Quiet);
  CHECK(event_start_->ok()) << "an invalid pattern was not rejected: " << event_start;
}

Assembly::~Assembly() = default;
Assembly::Assembly(Assembly&&) noexcept = default;
Assembly& Assembly::operator=(Assembly&&) noexcept = default;

void Assembly::add(const drivers::LogLine& record, const LogPosition& begin, std::vector<Event>& out) {
  Pending& line = lines_[record.stream == "stderr" ? 1 : 0];
  ++order_;
  if (line.order == 0) {
    line.order = order_;
    line.begin = begin;
    line.at_ms = base::to_millis(record.at);
  }
  line.text += record.text;
  // Each piece of a longer line is an event.
  while (line.text.size() > kMaxEventBytes / kReplacement.size()) {
    const std::size_t size = cut_at(line.text, kMaxEventBytes);
    if (size == line.text.size()) break;
    add_line(line.text.substr(0, size), line, out);
    line.text.erase(0, size);
  }
  if (record.partial) return;
  const Pending whole = std::exchange(line, Pending());
  add_line(whole.text, whole, out);
}

void Assembly::add_line(std::string text, const Pending& line, std::vector<Event>& out) {
  if (!event_start_) {
    if (!text.empty()) out.push_back({line.at_ms, to_utf8(text)});
    return;
  }
  const std::size_t bytes = utf8_bytes(text);
  if (re2::RE2::PartialMatch(text, *event_start_) || event_bytes_ + bytes > kMaxEventBytes) flush(out);
  if (event_.order == 0) event_.at_ms = line.at_ms;
  // A long line may have begun before the event's first line, and ended after it.
  if (event_.order == 0 || line.order < event_.order) {
    event_.order = line.order;
    event_.begin = line.begin;
  }
  event_.text += text;
  event_bytes_ += bytes;
  if (event_bytes_ < kMaxEventBytes) {
    event_.text += '\n';
    ++event_bytes_;
  }
}

void Assembly::finish(std::vector<Event>& out) {
  for (Pending& line : lines_) {
    if (line.order == 0) continue;
    const Pending whole = std::exchange(line, Pending());
    add_line(whole.text, whole, out);
  }
  flush(out);
}

void Assembly::flush(std::vector<Event>& out) {
  const Pending event = std::exchange(event_, Pending());
  event_bytes_ = 0;
  if (!event.text.empty()) out.push_back({event.at_ms, to_utf8(event.text)});
}

std::optional<LogPosition> Assembly::pending_since() const {
  const Pending* oldest = nullptr;
  for (const Pending* one : {&lines_[0], &lines_[1], &event_}) {
    if (one->order != 0 && (!oldest || one->order < oldest->order)) oldest = one;
  }
  return oldest ? std::optional(oldest->begin) : std::nullopt;
}

bool Assembly::can_flush() const { return event_.order != 0 && lines_[0].order == 0 && lines_[1].order == 0; }

}  // namespace agent::logs
