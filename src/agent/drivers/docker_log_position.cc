// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_log_position.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace agent::drivers {
namespace {

constexpr std::streamoff kPositionTailBytes = 1024 * 1024;

struct FileTail {
  std::string bytes;
  bool whole = true;
};

FileTail read_tail(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  const std::streamoff from = std::max<std::streamoff>(0, size - kPositionTailBytes);
  FileTail tail{std::string(static_cast<std::size_t>(size - from), '\0'), from == 0};
  file.seekg(from);
  file.read(tail.bytes.data(), size - from);
  tail.bytes.resize(static_cast<std::size_t>(file.gcount()));
  return tail;
}

}  // namespace

DockerLogPosition DockerLogPosition::end_of(const std::string& path) {
  FileTail tail = read_tail(path);
  // The file was just rotated: the last records are in the older file.
  if (tail.whole && tail.bytes.size() < kMaxRecordBytes) {
    FileTail older = read_tail(path + ".1");
    older.bytes += tail.bytes;
    tail = std::move(older);
  }
  DockerLogPosition position;
  position.add_records(tail.bytes);
  // More records of the first time may precede the tail.
  if (!tail.whole && position.seen_.size() > 1) position.seen_.erase(position.seen_.begin());
  return position;
}

void DockerLogPosition::add_records(std::string_view records) {
  while (!records.empty()) {
    const std::size_t newline = records.find('\n');
    if (newline == records.npos) return;  // an incomplete record is copied again
    const std::string_view record = records.substr(0, newline);
    records.remove_prefix(newline + 1);
    const auto line = parse_log_line(record);
    const auto at = parse_log_time(record);
    if (!line || !at) continue;
    Seen& seen = seen_[*at][line->stream == "stderr"];
    if (seen.perhaps_line_end) ++seen.bytes;  // another record follows, so the line ended
    seen.bytes += line->text.size();
    seen.perhaps_line_end = !line->partial;
    trim();
  }
}

void DockerLogPosition::trim() {
  const LogTime oldest = seen_.rbegin()->first - kLogOverlap;
  while (seen_.size() > kMaxLogOverlapTimes || seen_.begin()->first < oldest) seen_.erase(seen_.begin());
}

std::string DockerLogPosition::begin() {
  before_ = seen_;
  if (seen_.empty()) {
    since_ = LogTime();
    return "0";
  }
  since_ = seen_.begin()->first;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_);
  return fmt::format("{}.{:09}", seconds.time_since_epoch().count(), (since_ - seconds).count());
}

std::string_view DockerLogPosition::take(LogStream stream, LogTime at, std::string_view text) {
  // An engine that counts in seconds sends more than requested.
  if (at < since_) return "";
  const auto known = before_.find(at);
  if (known != before_.end()) {
    Seen& old = known->second[std::size_t(stream)];
    const std::size_t again = std::min(old.bytes, text.size());
    old.bytes -= again;
    text.remove_prefix(again);
    if (old.bytes == 0 && old.perhaps_line_end && !text.empty()) {
      old.perhaps_line_end = false;
      if (text.front() == '\n') text.remove_prefix(1);
    }
  }
  if (text.empty()) return text;
  seen_[at][std::size_t(stream)].bytes += text.size();
  trim();
  return text;
}

}  // namespace agent::drivers
