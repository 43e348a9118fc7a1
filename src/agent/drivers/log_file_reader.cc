// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/drivers/log_file.h"

namespace agent::drivers {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
static_assert(kBlockBytes > kMaxRecordBytes);

int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

struct LineTail {
  off_t offset = 0;       // of the first record of the last lines
  std::size_t count = 0;  // lines from there on, at most `most`
};

// Whether the record at this offset is a part of a line that the next record continues.
bool is_partial(int fd, off_t record) {
  char head[kMaxRecordBytes - kMaxLineBytes];
  const ssize_t got = ::pread(fd, head, sizeof head, record);
  const std::string_view text(head, std::size_t(std::max<ssize_t>(got, 0)));
  const std::size_t stream = text.find(' ');
  const std::size_t tag = stream == text.npos ? stream : text.find(' ', stream + 1);
  return tag != text.npos && text.substr(tag + 1, 2) == "P ";
}

// Searches backwards for the ends of lines, block by block.
class TailSearch {
 public:
  TailSearch(int fd, std::size_t most) : fd_(fd), most_(most) {}

  LineTail find() {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) return {};
    tail_.offset = status.st_size;
    std::string block(kBlockBytes, '\0');
    for (off_t end = status.st_size; end > 0;) {
      const off_t start = std::max<off_t>(0, end - off_t(kBlockBytes));
      const ssize_t got = ::pread(fd_, block.data(), end - start, start);
      if (got <= 0) return tail_;
      for (ssize_t i = got - 1; i >= 0; --i) {
        if (block[i] == '\n' && !add_record(start + i + 1)) return tail_;
      }
      end = start;
    }
    add_record(0);
    return tail_;
  }

 private:
  // Returns false when the tail is complete. What follows the last newline is no record yet.
  bool add_record(off_t record) {
    if (!std::exchange(seen_newline_, true)) {
      tail_.offset = record;
      return true;
    }
    const bool last = !std::exchange(seen_record_, true);
    if (last || !is_partial(fd_, record)) {
      if (tail_.count == most_) return false;
      ++tail_.count;
    }
    tail_.offset = record;
    return true;
  }

  int fd_;
  std::size_t most_;
  LineTail tail_;
  bool seen_newline_ = false, seen_record_ = false;
};

LineTail find_tail(int fd, std::size_t most) { return TailSearch(fd, most).find(); }

bool same_file(const struct stat& a, const struct stat& b) { return a.st_ino == b.st_ino && a.st_dev == b.st_dev; }

}  // namespace

LogReader::LogReader(std::string path, std::size_t last) : path_(std::move(path)), last_(last) {}

LogReader::~LogReader() {
  if (fd_ >= 0) ::close(fd_);
}

void LogReader::begin() {
  const int current = open_to_read(path_);
  const int older = open_to_read(path_ + ".1");
  begun_ = current >= 0 || older >= 0;
  LineTail in_current;
  if (current >= 0 && last_ != kAllLines) in_current = find_tail(current, last_);
  const bool enough = in_current.count == last_ && last_ != kAllLines;
  if (older >= 0 && !enough) {
    fd_ = older;
    if (last_ != kAllLines) offset_ = find_tail(older, last_ - in_current.count).offset;
    if (current >= 0) ::close(current);
    return;
  }
  if (older >= 0) ::close(older);
  fd_ = current;
  offset_ = in_current.offset;
}

// Moves to the next file once the writer has rotated.
bool LogReader::next_file() {
  struct stat here {
  }, older{}, current{};
  if (::fstat(fd_, &here) != 0) return false;
  if (::stat(path_.c_str(), &current) != 0 || same_file(here, current)) return false;
  // After two rotations the older file has not been read either.
  const bool skipped = ::stat((path_ + ".1").c_str(), &older) == 0 && !same_file(here, older);
  const int next = open_to_read(skipped ? path_ + ".1" : path_);
  if (next < 0) return false;
  ::close(fd_);
  fd_ = next;
  offset_ = 0;
  buffer_.clear();  // an incomplete record at the end of a file stays incomplete
  used_ = 0;
  skip_ = false;
  return true;
}

// Reads one more block. Returns false at the end of the file.
bool LogReader::fill() {
  buffer_.erase(0, std::exchange(used_, 0));
  if (buffer_.size() > kMaxRecordBytes) {
    buffer_.clear();
    skip_ = true;
  }
  struct stat status {};
  if (::fstat(fd_, &status) == 0 && status.st_size < offset_) offset_ = 0;  // the file was truncated
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kBlockBytes);
  const ssize_t got = ::pread(fd_, buffer_.data() + before, kBlockBytes, offset_);
  buffer_.resize(before + std::max<ssize_t>(got, 0));
  offset_ += std::max<ssize_t>(got, 0);
  return got > 0;
}

// Takes the next record of the buffer. Returns false when there is no complete one.
bool LogReader::take(std::vector<LogLine>& lines) {
  const std::size_t newline = buffer_.find('\n', used_);
  if (newline == buffer_.npos) return false;
  const std::string_view record(buffer_.data() + used_, newline - used_);
  used_ = newline + 1;
  if (std::exchange(skip_, false) || record.size() > kMaxRecordBytes) return true;
  if (auto line = parse_log_line(record)) lines.push_back(std::move(*line));
  return true;
}

std::vector<LogLine> LogReader::read(std::size_t most) {
  std::vector<LogLine> lines;
  if (!begun_) begin();
  if (fd_ < 0) return lines;
  while (lines.size() < most) {
    if (take(lines) || fill()) continue;
    // The writer may have appended to this file between our last read and its rotation. After the
    // rotation the file does not grow.
    struct stat here {
    }, current{};
    const bool rotated = ::fstat(fd_, &here) == 0 && ::stat(path_.c_str(), &current) == 0 && !same_file(here, current);
    if (!rotated) break;
    if (fill()) continue;
    if (!next_file()) break;
  }
  return lines;
}

}  // namespace agent::drivers
