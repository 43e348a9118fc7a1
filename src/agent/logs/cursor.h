// SPDX-License-Identifier: Apache-2.0
// How much of a container's log was sent. The server stores the cursor with the stream and moves it in the
// transaction that stores the events, so that it decides whether a batch was received already; the
// agent's copy only saves a question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent::logs {

// The end of a record. A log file is renamed when it is full, and inodes are reused: so a file is identified by
// the time of its first record, to the nanosecond.
struct LogPosition {
  std::string file;  // "": before the first record of the oldest file
  std::int64_t offset = 0;

  bool operator==(const LogPosition&) const = default;
};

struct Cursor {
  // All events that are complete here were sent.
  LogPosition done;
  // Begin of the oldest line that is part of an incomplete event; `done` if there is none. Reading continues here.
  LogPosition resume;
  // The time of the last event. Times of a stream do not decrease, so that its lines stay in order.
  std::int64_t last_ms = 0;

  bool operator==(const Cursor&) const = default;
};

// Without spaces: "2026-11-15T21:00:13.123456789Z@4711,...@4000,1794776413123".
std::string to_text(const Cursor& cursor);
std::optional<Cursor> parse_cursor(std::string_view text);

// The sequenceToken of a batch: it is stored only if the stream's cursor is `from`, and moves the cursor to
// `to`. Amazon ignores sequence tokens; for this one see services/logs/sequence_token.h.
std::string batch_token(const std::string& from, const std::string& to);
// The stream's cursor in the message of InvalidSequenceTokenException; nothing where there is none.
std::optional<std::string> expected_token(std::string_view message);

}  // namespace agent::logs
