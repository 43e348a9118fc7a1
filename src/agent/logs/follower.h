// SPDX-License-Identifier: Apache-2.0
// Reads the records of a log file (agent/drivers/log_file.h) with their positions, over rotations.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "agent/drivers/log_file.h"
#include "agent/logs/cursor.h"

namespace agent::logs {

struct Record {
  drivers::LogLine line;
  LogPosition begin, end;
};

class Follower {
 public:
  // The file is created if it does not exist, so that it can be watched.
  explicit Follower(std::string path) : path_(std::move(path)) {}
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  // False: the file of that position is gone. Then the next record is the oldest one.
  bool seek(const LogPosition& position);
  // The next valid record; nothing at the end.
  std::optional<Record> next();
  LogPosition position() const { return {file_, offset_}; }
  // Bytes of all files after the position, an incomplete record included.
  std::int64_t unread_bytes() const;
  // Of a record whose end is not written yet.
  std::int64_t incomplete_bytes() const { return std::int64_t(buffer_.size() - used_); }
  // True once: a file may have been deleted before it was read.
  bool take_lost();

  const std::string& path() const { return path_; }

 private:
  bool open_file(const std::string& path, bool create);
  bool open_oldest();
  bool is_rotated() const;
  bool next_file();
  bool fill();

  std::string path_;
  int fd_ = -1;
  std::string file_;          // identifies the open file; see LogPosition
  std::int64_t offset_ = 0;   // of the next record
  std::string buffer_;        // the bytes from offset_ on
  std::size_t used_ = 0;      // of buffer_, before offset_
  bool skip_ = false;         // inside of a record that is too long
  bool lost_ = false;
};

}  // namespace agent::logs
