// SPDX-License-Identifier: Apache-2.0
// Reads a log file from a cursor on, and cuts its events into batches for PutLogEvents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/logs/assembly.h"
#include "agent/logs/awslogs_options.h"
#include "agent/logs/cursor.h"
#include "agent/logs/follower.h"

namespace agent::logs {

inline constexpr std::size_t kMaxBatchEvents = 10'000;
inline constexpr std::size_t kMaxBatchBytes = 1'048'576;  // with kEventOverhead for each event
inline constexpr std::size_t kEventOverhead = 26;
inline constexpr std::int64_t kMaxBatchSpanMs = 24 * 60 * 60 * 1000;
// A clock that steps back further than this is followed; a smaller step keeps the last time.
inline constexpr std::int64_t kMaxStepBackMs = 5 * 60 * 1000;

struct Batch {
  std::vector<Event> events;
  std::size_t bytes = 0;
  Cursor end;         // once the batch is stored
  bool full = false;  // the next event does not fit
};

class BatchReader {
 public:
  BatchReader(std::string path, AwslogsOptions options);

  // Continues at a cursor. Drops the current batch.
  void seek(const Cursor& cursor);
  // Adds what the file has to the current batch, until it is full.
  const Batch& read();
  // Adds events that wait for more lines. `ended`: no more lines will come.
  const Batch& flush(bool ended);
  const Batch& batch() const { return batch_; }
  // The current batch is stored, or given up: begins the next one.
  void next();

  // Moves forward to keep at most the options' bytes unread. Reads about `slice` bytes: true if there is more
  // to skip. Call it before the first read() of a batch, which then tells how many lines were dropped.
  bool skip_excess(std::int64_t slice);

  bool can_flush() const { return assembly_.can_flush(); }
  // The file has grown since the last read().
  bool has_more() const { return follower_.unread_bytes() > follower_.incomplete_bytes(); }
  const std::string& path() const { return follower_.path(); }
  // Lines that skip_excess() has dropped in all.
  std::int64_t dropped() const { return dropped_; }

 private:
  // The events that one record completes; they are sent together.
  struct Step {
    std::vector<Event> events;
    LogPosition end;
    LogPosition resume;
  };
  Step make_step(std::vector<Event> events, const LogPosition& end) const;
  // False: it does not fit.
  bool take(Step& step);
  bool was_sent(const LogPosition& end);
  void note_dropped(std::int64_t at_ms, std::vector<Event>& events);

  AwslogsOptions options_;
  Follower follower_;
  Assembly assembly_;
  Batch batch_;
  std::optional<Step> held_;            // did not fit into the last batch
  std::vector<Event> carried_;          // completed by skip_excess()
  // Events that are complete here were sent, but reading began earlier; see Cursor::resume.
  std::optional<LogPosition> replay_;
  bool in_replay_file_ = false;  // the file of replay_ was reached
  std::int64_t unnoted_ = 0;     // dropped lines that no event mentions yet
  bool lost_ = false;            // lines were lost, in a number that is unknown
  std::int64_t dropped_ = 0;
};

}  // namespace agent::logs
