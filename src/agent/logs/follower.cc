// SPDX-License-Identifier: Apache-2.0
#include "agent/logs/follower.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace agent::logs {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::size_t kNameBytes = 48;  // more than a record's time

// The time of the first record, as text. "" for an empty file.
std::string read_name(int fd) {
  std::array<char, kNameBytes> head;
  const ssize_t got = ::pread(fd, head.data(), head.size(), 0);
  if (got <= 0) return "";
  std::string name(head.data(), static_cast<std::size_t>(got));
  name.resize(std::min(name.find_first_of(" \n,@"), name.size()));
  return name;
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_ino == b.st_ino && a.st_dev == b.st_dev; }

std::int64_t size_of(const struct stat& status) { return status.st_size; }

}  // namespace

Follower::~Follower() {
  if (fd_ >= 0) ::close(fd_);
}

bool Follower::open_file(const std::string& path, bool create) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (create ? O_CREAT : 0), 0640);
  if (fd < 0) return false;
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
  file_ = read_name(fd);
  offset_ = 0;
  buffer_.clear();
  used_ = 0;
  skip_ = false;
  return true;
}

bool Follower::open_oldest() { return open_file(path_ + ".1", false) || open_file(path_, true); }

bool Follower::seek(const LogPosition& position) {
  if (position.file.empty()) {
    open_oldest();
    return true;
  }
  for (const std::string& path : {path_ + ".1", path_}) {
    if (!open_file(path, false) || file_ != position.file) continue;
    offset_ = position.offset;
    return true;
  }
  open_oldest();
  return false;
}

bool Follower::is_rotated() const {
  struct stat here {
  }, current{};
  return ::fstat(fd_, &here) == 0 && ::stat(path_.c_str(), &current) == 0 && !same_file(here, current);
}

// After more than one rotation, files between this one and the next may be gone.
bool Follower::next_file() {
  struct stat here {
  }, older{};
  const bool twice = ::fstat(fd_, &here) == 0 && ::stat((path_ + ".1").c_str(), &older) == 0 && !same_file(here, older);
  lost_ = lost_ || twice;
  return open_file(twice ? path_ + ".1" : path_, true);
}

// Reads one more block. False at the end of the file.
bool Follower::fill() {
  buffer_.erase(0, std::exchange(used_, 0));
  if (buffer_.size() > drivers::kMaxRecordBytes) {  // no record is so long
    offset_ += std::int64_t(buffer_.size());
    buffer_.clear();
    skip_ = true;
  }
  struct stat status {};
  // The writer takes back records that it could not write as a whole.
  if (::fstat(fd_, &status) == 0 && size_of(status) < offset_) {
    offset_ = size_of(status);
    buffer_.clear();
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kBlockBytes);
  const ssize_t got = ::pread(fd_, buffer_.data() + before, kBlockBytes, offset_ + off_t(before));
  buffer_.resize(before + std::size_t(std::max<ssize_t>(got, 0)));
  return got > 0;
}

std::optional<Record> Follower::next() {
  if (fd_ < 0 && !open_oldest()) return std::nullopt;
  for (;;) {
    const std::size_t newline = buffer_.find('\n', used_);
    if (newline != buffer_.npos) {
      if (file_.empty()) file_ = read_name(fd_);
      const std::string_view text(buffer_.data() + used_, newline - used_);
      const LogPosition begin = position();
      offset_ += std::int64_t(text.size()) + 1;
      auto line = std::exchange(skip_, false) ? std::nullopt : drivers::parse_log_line(text);
      used_ = newline + 1;
      if (line) return Record{std::move(*line), begin, position()};
      continue;
    }
    if (fill()) continue;
    // The writer may have appended between the read and its rotation. After that the file does not grow.
    if (!is_rotated()) return std::nullopt;
    if (fill()) continue;
    if (!next_file()) return std::nullopt;
  }
}

std::int64_t Follower::unread_bytes() const {
  struct stat here {
  }, older{}, current{};
  if (fd_ < 0 || ::fstat(fd_, &here) != 0) return 0;
  std::int64_t bytes = std::max<std::int64_t>(size_of(here) - offset_, 0);
  if (::stat((path_ + ".1").c_str(), &older) == 0 && !same_file(here, older) && is_rotated()) bytes += size_of(older);
  if (::stat(path_.c_str(), &current) == 0 && !same_file(here, current)) bytes += size_of(current);
  return bytes;
}

bool Follower::take_lost() { return std::exchange(lost_, false); }

}  // namespace agent::logs
