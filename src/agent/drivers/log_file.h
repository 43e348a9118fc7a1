// SPDX-License-Identifier: Apache-2.0
// A container's output on disk, in the format of Kubernetes' CRI, so that other tools can read it:
//   2026-11-15T21:00:13.123456789Z stdout F one line of text
// F ends a line; P says that the next record of that stream goes on with it. One writer and any
// number of readers; a full file becomes `<name>.1`, in place of the one before it.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace agent::drivers {

inline constexpr std::size_t kMaxLineBytes = 16 * 1024;  // of text in one record; Docker's and CRI's bound
inline constexpr std::size_t kMaxRecordBytes = kMaxLineBytes + 64;
inline constexpr std::size_t kMaxLogBytes = 64 * 1024 * 1024;  // of one file; there are two at most
inline constexpr std::size_t kAllLines = std::numeric_limits<std::size_t>::max();

// Finer than base::Time, which turns into it by itself: engines resume a log at a nanosecond.
using LogTime = std::chrono::sys_time<std::chrono::nanoseconds>;

enum class LogStream { Stdout, Stderr };

struct LogLine {
  base::Time at;
  std::string stream;    // "stdout" or "stderr"
  bool partial = false;  // the stream's next record goes on with this line
  std::string text;      // without its newline; any bytes
};

// One record without its newline; none for what is not one.
std::optional<LogLine> parse_log_line(std::string_view record);
// The time of a record, to the nanosecond.
std::optional<LogTime> parse_log_time(std::string_view record);

class LogWriter {
 public:
  // Goes on with the file that is there. `max_bytes`: of a file before it is set aside.
  static base::Result<LogWriter> open(std::string path, std::size_t max_bytes = kMaxLogBytes);
  LogWriter(LogWriter&& other) noexcept;
  ~LogWriter();

  // Any piece of a stream, ends of lines or not. A line has the time of its first piece. Each
  // call is one write of the lines that it ends; the start of one more waits for the rest of it.
  // What the disk does not take is lost, and counted: a program is never held up by its log.
  void append(LogStream stream, LogTime at, std::string_view bytes);
  // What waits for the rest of its line is written as a line: there is no more.
  void finish();

  // Of the last record written, before this object was made or by it.
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
  void rotate();

  std::string path_;
  std::size_t max_bytes_;
  int fd_ = -1;
  std::size_t size_ = 0;
  std::size_t lost_bytes_ = 0;
  std::optional<LogTime> last_time_;
  std::array<Pending, 2> pending_;  // by stream, each under kMaxLineBytes
  std::string out_;                 // records on their way to the file
};

// Reads on from where it is; whoever holds it looks again when there may be more (inotify on the
// folder, or a timer). The file need not be there yet.
class LogReader {
 public:
  // Begins at the last `last` records, or at the first that is left.
  explicit LogReader(std::string path, std::size_t last = kAllLines);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;
  ~LogReader();

  // The next records, `most` of them or as many as there are now. Follows the file into its
  // successor. What is no record is passed over.
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
  off_t offset_ = 0;      // of what comes after buffer_
  std::string buffer_;    // read, not cut into records yet; two blocks at most
  std::size_t used_ = 0;  // of buffer_
  bool skip_ = false;     // in the middle of something too long to be a record
};

}  // namespace agent::drivers
