// SPDX-License-Identifier: Apache-2.0
// Makes log events of records, by the rules of Docker's awslogs driver: a line is an event; with a pattern, an
// event begins with a line that matches it and contains the lines that follow.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/drivers/log_file.h"
#include "agent/logs/cursor.h"

namespace re2 {
class RE2;
}

namespace agent::logs {

// As of Docker's driver: CloudWatch's older limit for an event, less 26.
inline constexpr std::size_t kMaxEventBytes = 262118;

struct Event {
  std::int64_t timestamp_ms = 0;
  std::string message;  // UTF-8, not empty
  bool operator==(const Event&) const = default;
};

// The same text with U+FFFD in place of each invalid byte.
std::string to_utf8(std::string_view text);
// The longest part, from the start, that to_utf8() makes at most `limit` bytes of. Ends between characters.
std::size_t cut_at(std::string_view text, std::size_t limit);

class Assembly {
 public:
  // `event_start` is a valid regular expression, or "".
  explicit Assembly(const std::string& event_start);
  ~Assembly();
  Assembly(Assembly&&) noexcept;
  Assembly& operator=(Assembly&&) noexcept;

  // Adds a record that begins at `begin`, and appends the events that it completes to `out`.
  void add(const drivers::LogLine& record, const LogPosition& begin, std::vector<Event>& out);
  // Completes lines without an end: the container has ended.
  void finish(std::vector<Event>& out);
  // Completes the event of several lines.
  void flush(std::vector<Event>& out);

  // Where the oldest line begins that is in no complete event.
  std::optional<LogPosition> pending_since() const;
  // An event of several lines waits for its next line, and no line is incomplete: only then may flush() be
  // called before the end, because otherwise reading would not continue at the same place with the same result.
  bool can_flush() const;

 private:
  struct Pending {
    std::string text;
    std::int64_t at_ms = 0;
    std::uint64_t order = 0;  // of the record that it began with; 0: nothing is pending
    LogPosition begin;
  };
  void add_line(std::string text, const Pending& line, std::vector<Event>& out);

  std::unique_ptr<re2::RE2> event_start_;  // null: each line is an event
  std::array<Pending, 2> lines_;           // incomplete lines, of stdout and stderr
  Pending event_;
  std::size_t event_bytes_ = 0;  // of event_.text in UTF-8
  std::uint64_t order_ = 0;
};

}  // namespace agent::logs
