// SPDX-License-Identifier: Apache-2.0
// A container's output on disk, in the format of the Kubernetes CRI, which other tools can read:
//   2026-11-15T21:00:13.123456789Z stdout F one line of text
// F ends a line; after P the next record of that stream continues the line. One writer and any number
// of readers. A full file is renamed to `<name>.1` and replaces the previous one. On a disk that is almost full nothing
// is written: the database of a server may be on the same one.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace agent::drivers {

inline constexpr std::size_t kMaxLineBytes = 16 * 1024;  // of text in one record, as Docker and CRI
inline constexpr std::size_t kMaxRecordBytes = kMaxLineBytes + 64;
inline constexpr std::size_t kMaxLogBytes = 64 * 1024 * 1024;  // of one file; there are at most two
// The part of a disk that logs leave free: more than a server keeps for itself.
inline constexpr std::uint64_t kLogFloorShare = 8, kLeastLogFloor = 8ull << 20, kMostLogFloor = 1ull << 30;
inline constexpr std::size_t kAllLines = std::numeric_limits<std::size_t>::max();

// Finer than base::Time, which converts implicitly: engines resume a log at a nanosecond.
using LogTime = std::chrono::sys_time<std::chrono::nanoseconds>;

enum class LogStream { Stdout, Stderr };

struct LogLine {
  base::Time at;
  std::string stream;    // "stdout" or "stderr"
  bool partial = false;  // the stream's next record continues this line
  std::string text;      // without its newline; any bytes
};

// Parses a record without its newline. None when it is invalid.
std::optional<LogLine> parse_log_line(std::string_view record);
// The time of a record, to the nanosecond.
std::optional<LogTime> parse_log_time(std::string_view record);
// The free space below which nothing is written, for a disk of this size.
std::uint64_t log_floor(std::uint64_t disk_bytes);

class LogWriter {
 public:
  // Appends to an existing file. Rotates a file that would exceed `max_bytes`.
  static base::Result<LogWriter> open(std::string path, std::size_t max_bytes = kMaxLogBytes);
  LogWriter(LogWriter&& other) noexcept;
  ~LogWriter();

  // Takes any piece of a stream. A line has the time of its first piece. Each call writes the
  // complete lines at once; an incomplete line waits for its rest. What cannot be written is lost
  // and counted, and the next record that can be written says so: a log must not block a program.
  void append(LogStream stream, LogTime at, std::string_view bytes);
  // Writes an incomplete line as a partial record, so that its readers see it now: progress bars end no line.
  void write_partial(LogStream stream);
  // Writes incomplete lines: there is no more input.
  void finish();

  // The time of the last record in the file.
  std::optional<LogTime> last_time() const { return last_time_; }
  std::size_t lost_bytes() const { return lost_bytes_; }

 private:
  struct Pending {
    LogTime at;
    std::string text;
  };

  LogWriter(std::string path, std::size_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}
  void add_record(LogStream stream, LogTime at, bool partial, std::string_view text);
  void write_out();
  bool has_room() const;
  void add_loss(LogTime at);
  void rotate();

  std::string path_;
  std::size_t max_bytes_;
  int fd_ = -1;
  std::size_t size_ = 0;
  std::size_t lost_bytes_ = 0, reported_bytes_ = 0;
  std::optional<LogTime> last_time_;
  std::array<Pending, 2> pending_;  // by stream, each under kMaxLineBytes
  std::string out_;                 // records to write
};

// Reads on from its position. The owner calls read() again when there may be more (inotify on the
// folder, or a timer). The file may not exist yet.
class LogReader {
 public:
  // Begins with the last `last` lines, or with the first record.
  explicit LogReader(std::string path, std::size_t last = kAllLines);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;
  ~LogReader();

  // Returns the next records, at most `most`. Continues with the next file after a rotation. Skips
  // invalid records.
  std::vector<LogLine> read(std::size_t most);

 private:
  void begin();
  bool next_file();
  bool fill();
  bool take(std::vector<LogLine>& lines);

  std::string path_;
  std::size_t last_;
  bool begun_ = false;
  int fd_ = -1;
  off_t offset_ = 0;      // of the data after buffer_
  std::string buffer_;    // read but not parsed; at most two blocks
  std::size_t used_ = 0;  // of buffer_
  bool skip_ = false;     // inside of a record that is too long
};

}  // namespace agent::drivers
