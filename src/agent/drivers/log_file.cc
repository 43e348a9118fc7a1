// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "wire/timestamp.h"

namespace agent::drivers {
namespace {

constexpr std::size_t kTailBytes = 4 * kMaxRecordBytes;  // contains a complete record, if there is one

// 64-bit nanoseconds cover the years 1677 to 2262.
constexpr base::Time kEarliest = std::chrono::sys_days(std::chrono::year(1970) / 1 / 1);
constexpr base::Time kLatest = std::chrono::sys_days(std::chrono::year(2260) / 1 / 1);

struct RecordParts {
  std::string_view time, stream, tag, text;
};

std::optional<RecordParts> split_record(std::string_view record) {
  RecordParts parts;
  for (std::string_view* part : {&parts.time, &parts.stream, &parts.tag}) {
    const std::size_t space = record.find(' ');
    if (space == record.npos) return std::nullopt;
    *part = record.substr(0, space);
    record.remove_prefix(space + 1);
  }
  if (parts.stream != "stdout" && parts.stream != "stderr") return std::nullopt;
  if (parts.tag != "F" && parts.tag != "P") return std::nullopt;
  parts.text = record;
  return parts;
}

std::optional<LogTime> parse_time(std::string_view text) {
  const auto time = wire::from_iso8601(text);
  if (!time || *time < kEarliest || *time > kLatest) return std::nullopt;
  LogTime exact = *time;
  // Milliseconds are in `time`; digits four to nine of the fraction are not.
  const std::size_t point = text.find('.');
  if (point == text.npos) return exact;
  std::int64_t unit = 100'000;
  for (std::size_t i = point + 4; i < text.size() && unit > 0 && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10) {
    exact += std::chrono::nanoseconds((text[i] - '0') * unit);
  }
  return exact;
}

void append_time(std::string& out, LogTime at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(at - day);
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", int(date.year()),
                 unsigned(date.month()), unsigned(date.day()), time.hours().count(), time.minutes().count(),
                 time.seconds().count(), time.subseconds().count());
}

// The time of the last valid record of a file.
std::optional<LogTime> last_time_in(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct stat status {};
  ::fstat(fd, &status);
  std::string tail(std::min<std::size_t>(kTailBytes, status.st_size), '\0');
  const ssize_t got = ::pread(fd, tail.data(), tail.size(), status.st_size - off_t(tail.size()));
  ::close(fd);
  tail.resize(std::max<ssize_t>(got, 0));
  std::string_view left(tail);
  while (!left.empty()) {
    const std::size_t newline = left.rfind('\n', left.size() - 1);
    const std::size_t start = newline == left.npos ? 0 : newline + 1;
    if (const auto time = parse_log_time(left.substr(start))) return time;
    left = left.substr(0, newline == left.npos ? 0 : newline);
  }
  return std::nullopt;
}

}  // namespace

std::optional<LogLine> parse_log_line(std::string_view record) {
  const auto parts = split_record(record);
  if (!parts) return std::nullopt;
  const auto time = parse_time(parts->time);
  if (!time) return std::nullopt;
  return LogLine{std::chrono::floor<base::Duration>(*time), std::string(parts->stream), parts->tag == "P",
                 std::string(parts->text)};
}

std::optional<LogTime> parse_log_time(std::string_view record) {
  const auto parts = split_record(record);
  return parts ? parse_time(parts->time) : std::nullopt;
}

std::uint64_t log_floor(std::uint64_t disk_bytes) {
  return std::clamp(disk_bytes / kLogFloorShare, kLeastLogFloor, kMostLogFloor);
}

base::Result<LogWriter> LogWriter::open(std::string path, std::size_t max_bytes) {
  LogWriter writer(std::move(path), max_bytes);
  writer.fd_ = ::open(writer.path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (writer.fd_ < 0) return base::Error{writer.path_ + ": " + std::strerror(errno)};
  struct stat status {};
  ::fstat(writer.fd_, &status);
  writer.size_ = status.st_size;
  writer.last_time_ = last_time_in(writer.path_);
  if (!writer.last_time_) writer.last_time_ = last_time_in(writer.path_ + ".1");
  // A killed writer may leave an incomplete record: end it, so that it does not corrupt the next one.
  char last = '\n';
  if (writer.size_ > 0 && ::pread(writer.fd_, &last, 1, status.st_size - 1) == 1 && last != '\n')
    writer.out_.push_back('\n');
  writer.write_out();
  return writer;
}

LogWriter::LogWriter(LogWriter&& other) noexcept
    : path_(std::move(other.path_)),
      max_bytes_(other.max_bytes_),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      lost_bytes_(other.lost_bytes_),
      reported_bytes_(other.reported_bytes_),
      last_time_(other.last_time_),
      pending_(std::move(other.pending_)),
      out_(std::move(other.out_)) {}

LogWriter::~LogWriter() {
  if (fd_ < 0) return;
  finish();
  if (fd_ >= 0) ::close(fd_);
}

void LogWriter::append(LogStream stream, LogTime at, std::string_view bytes) {
  Pending& pending = pending_[std::size_t(stream)];
  while (!bytes.empty()) {
    if (pending.text.empty()) pending.at = at;
    const std::size_t room = kMaxLineBytes - pending.text.size();
    const std::size_t newline = bytes.find('\n');
    if (newline != bytes.npos && newline <= room) {
      pending.text += bytes.substr(0, newline);
      add_record(stream, pending.at, false, pending.text);
      bytes.remove_prefix(newline + 1);
    } else if (bytes.size() > room) {
      pending.text += bytes.substr(0, room);
      add_record(stream, pending.at, true, pending.text);
      bytes.remove_prefix(room);
    } else {
      pending.text += bytes;
      break;
    }
    pending.text.clear();
  }
  write_out();
}

void LogWriter::write_partial(LogStream stream) {
  Pending& pending = pending_[std::size_t(stream)];
  if (pending.text.empty()) return;
  add_record(stream, pending.at, true, pending.text);
  pending.text.clear();
  write_out();
}

void LogWriter::finish() {
  for (LogStream stream : {LogStream::Stdout, LogStream::Stderr}) {
    Pending& pending = pending_[std::size_t(stream)];
    if (!pending.text.empty()) add_record(stream, pending.at, false, pending.text);
    pending.text.clear();
  }
  write_out();
}

void LogWriter::add_record(LogStream stream, LogTime at, bool partial, std::string_view text) {
  append_time(out_, at);
  out_ += stream == LogStream::Stdout ? " stdout " : " stderr ";
  out_ += partial ? "P " : "F ";
  out_ += text;
  out_ += '\n';
  last_time_ = at;
}

void LogWriter::write_out() {
  if (out_.empty()) return;
  if (!has_room()) {
    lost_bytes_ += out_.size();
    out_.clear();
    return;
  }
  if (lost_bytes_ > reported_bytes_ && last_time_) add_loss(*last_time_);
  if (size_ > 0 && size_ + out_.size() > max_bytes_) rotate();
  std::size_t written = 0;
  while (fd_ >= 0 && written < out_.size()) {
    const ssize_t n = ::write(fd_, out_.data() + written, out_.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += n;
  }
  if (written < out_.size()) {
    lost_bytes_ += out_.size();
    // All or nothing: an incomplete record would corrupt the next one.
    if (fd_ >= 0 && ::ftruncate(fd_, off_t(size_)) == 0) written = 0;
  }
  size_ += written;
  out_.clear();
}

bool LogWriter::has_room() const {
  struct statvfs disk {};
  if (fd_ < 0 || ::fstatvfs(fd_, &disk) != 0 || disk.f_blocks == 0) return true;
  const std::uint64_t block = disk.f_frsize;
  return disk.f_bavail * block >= log_floor(disk.f_blocks * block) + out_.size();
}

// Before the records to write.
void LogWriter::add_loss(LogTime at) {
  const std::string rest = std::exchange(out_, "");
  const std::size_t lost = lost_bytes_ - reported_bytes_;
  add_record(LogStream::Stderr, at, false, fmt::format("stoker: {} bytes of output lost: the disk was almost full", lost));
  out_ += rest;
  reported_bytes_ = lost_bytes_;
}

void LogWriter::rotate() {
  // On failure it continues with the old file: a log that is too long is better than none.
  if (::rename(path_.c_str(), (path_ + ".1").c_str()) != 0) return;
  const int next = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (next < 0) return;
  ::close(fd_);
  fd_ = next;
  size_ = 0;
}

}  // namespace agent::drivers
