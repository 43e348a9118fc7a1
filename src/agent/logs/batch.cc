// SPDX-License-Identifier: Apache-2.0
#include "agent/logs/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace agent::logs {
namespace {

constexpr int kRecordsPerLook = 64;

std::size_t bytes_of(const std::vector<Event>& events) {
  std::size_t bytes = 0;
  for (const Event& event : events) bytes += event.message.size() + kEventOverhead;
  return bytes;
}

}  // namespace

BatchReader::BatchReader(std::string path, AwslogsOptions options)
    : options_(std::move(options)), follower_(std::move(path)), assembly_(options_.event_start) {
  seek({});
}

void BatchReader::seek(const Cursor& cursor) {
  assembly_ = Assembly(options_.event_start);
  held_.reset();
  carried_.clear();
  replay_.reset();
  batch_ = {};
  batch_.end = cursor;
  unnoted_ = 0;
  lost_ = false;
  if (follower_.seek(cursor.resume)) {
    in_replay_file_ = cursor.resume.file == cursor.done.file;
    if (cursor.resume != cursor.done) replay_ = cursor.done;
  } else {
    lost_ = !follower_.seek(cursor.done);
  }
}

BatchReader::Step BatchReader::make_step(std::vector<Event> events, const LogPosition& end) const {
  return {std::move(events), end, assembly_.pending_since().value_or(end)};
}

const Batch& BatchReader::read() {
  if (held_ && !take(*held_)) return batch_;
  held_.reset();
  while (!batch_.full) {
    auto record = follower_.next();
    if (follower_.take_lost()) {
      lost_ = true;
      replay_.reset();
    }
    if (!record) break;
    std::vector<Event> events = std::exchange(carried_, {});
    if (unnoted_ > 0 || lost_) note_dropped(base::to_millis(record->line.at), events);
    assembly_.add(record->line, record->begin, events);
    if (was_sent(record->end)) continue;
    Step step = make_step(std::move(events), record->end);
    if (!take(step)) held_ = std::move(step);
  }
  return batch_;
}

bool BatchReader::was_sent(const LogPosition& end) {
  if (!replay_) return false;
  const bool here = end.file == replay_->file;
  const bool sent = here ? end.offset <= replay_->offset : !in_replay_file_;
  in_replay_file_ = in_replay_file_ || here;
  if (!sent || (here && end.offset == replay_->offset)) replay_.reset();
  return sent;
}

const Batch& BatchReader::flush(bool ended) {
  if (held_ || batch_.full || replay_) return batch_;
  std::vector<Event> events;
  if (ended) {
    assembly_.finish(events);
  } else {
    assembly_.flush(events);
  }
  Step step = make_step(std::move(events), follower_.position());
  if (!step.events.empty() && !take(step)) held_ = std::move(step);
  return batch_;
}

bool BatchReader::take(Step& step) {
  std::int64_t last = batch_.end.last_ms;
  for (Event& event : step.events) {
    const bool first = &event == &step.events.front();
    const bool stepped = first && last - event.timestamp_ms > kMaxStepBackMs;
    if (event.timestamp_ms < last && !stepped) event.timestamp_ms = last;
    last = event.timestamp_ms;
  }
  const std::size_t bytes = batch_.bytes + bytes_of(step.events);
  if (!batch_.events.empty() && !step.events.empty()) {
    const std::int64_t first = batch_.events.front().timestamp_ms, before = batch_.end.last_ms;
    const bool in_order = std::ranges::all_of(step.events, [&](const Event& event) {
      return event.timestamp_ms >= before && event.timestamp_ms - first <= kMaxBatchSpanMs;
    });
    if (batch_.events.size() + step.events.size() > kMaxBatchEvents || bytes > kMaxBatchBytes || !in_order) {
      batch_.full = true;
      return false;
    }
  }
  batch_.bytes = bytes;
  std::ranges::move(step.events, std::back_inserter(batch_.events));
  batch_.end = {step.end, step.resume, last};
  return true;
}

void BatchReader::next() {
  const Cursor end = batch_.end;
  batch_ = {};
  batch_.end = end;
}

bool BatchReader::skip_excess(std::int64_t slice) {
  if (follower_.unread_bytes() <= options_.max_unsent_bytes) return false;
  assembly_.finish(carried_);
  for (std::int64_t read = 0; read < slice;) {
    // Many records for each look at the size.
    for (int i = 0; i < kRecordsPerLook; ++i) {
      const auto record = follower_.next();
      if (follower_.take_lost()) lost_ = true;
      if (!record) return false;
      read += record->end.offset - record->begin.offset;
      if (!was_sent(record->end) && !record->line.partial) ++unnoted_;
    }
    if (follower_.unread_bytes() <= options_.max_unsent_bytes) return false;
  }
  return true;
}

// An event in place of the dropped lines, with the time of the line that follows them.
void BatchReader::note_dropped(std::int64_t at_ms, std::vector<Event>& events) {
  const std::string count = lost_ ? fmt::format("{} or more", unnoted_) : fmt::format("{}", unnoted_);
  events.push_back({at_ms, fmt::format("[stoker] {} lines dropped: more than {} bytes of the log were not sent", count,
                                       options_.max_unsent_bytes)});
  dropped_ += std::max<std::int64_t>(unnoted_, 1);
  unnoted_ = 0;
  lost_ = false;
}

}  // namespace agent::logs
