// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/reader.h"

#include <algorithm>
#include <memory>

#include "telemetry/logs/source.h"

namespace telemetry {
namespace {

constexpr std::int64_t kMaxBatch = INT64_MAX;  // beyond any batch of an event

EventKey lowest_at(std::int64_t timestamp_ms) { return {timestamp_ms, 0, 0}; }
EventKey highest_at(std::int64_t timestamp_ms) { return {timestamp_ms, kMaxBatch, kMaxEventIndex}; }

EventKey key_after(const EventKey& key) { return {key.timestamp_ms, key.batch, key.index + 1}; }
EventKey key_before(const EventKey& key) {
  if (key.index > 0) return {key.timestamp_ms, key.batch, key.index - 1};
  return {key.timestamp_ms, key.batch - 1, kMaxEventIndex};
}

Bounds bounds_of(const LogRange& range) {
  Bounds bounds{lowest_at(range.first_ms), highest_at(range.last_ms)};
  if (range.from && range.backward) bounds.high = std::min(bounds.high, *range.from);
  if (range.from && !range.backward) bounds.low = std::max(bounds.low, *range.from);
  return bounds;
}

// The sources that a read has to look at from here on.
LogRange remaining(LogRange range, const Bounds& bounds) {
  range.first_ms = bounds.low.timestamp_ms;
  range.last_ms = bounds.high.timestamp_ms;
  return range;
}

// Merges the sources of a range. A source is opened when the next event may be in it.
class Merge {
 public:
  Merge(store::Tx& tx, const ChunkFiles& files, const LogRange& range)
      : tx_(tx), files_(files), bounds_(bounds_of(range)), range_(remaining(range, bounds_)), unopened_(tx, range_) {}

  LogPage run(std::uint64_t budget, const EachEvent& fn) {
    LogPage page;
    const auto later = [this](const auto& a, const auto& b) { return comes_first(b->row().key, a->row().key); };
    for (;;) {
      while (const SourceRow* due = next_due()) {
        if (page.read_bytes >= budget && is_ahead(*due)) {
          page.next = range_.backward ? highest_at(due->last_ms) : lowest_at(due->first_ms);
          return page;
        }
        open(page.read_bytes);
        if (!open_.empty()) std::push_heap(open_.begin(), open_.end(), later);
      }
      if (open_.empty()) return page;
      std::pop_heap(open_.begin(), open_.end(), later);
      OpenSource& source = *open_.back();
      const EventTable::Row& row = source.row();
      const LogEvent event{row.key, row.ingested_ms, row.stream, source.table.message(row)};
      if (!fn(event)) {
        const bool is_last = source.picks.size() == 1 && open_.size() == 1 && !unopened_.front();
        if (!is_last) page.next = range_.backward ? key_before(event.key) : key_after(event.key);
        return page;
      }
      source.picks.pop_back();
      if (source.picks.empty()) {
        open_bytes_ -= source.bytes;
        open_.pop_back();
      } else {
        std::push_heap(open_.begin(), open_.end(), later);
      }
    }
  }

 private:
  bool comes_first(const EventKey& a, const EventKey& b) const { return range_.backward ? a > b : a < b; }

  // The next source, if it may have an event before all those of the open sources.
  const SourceRow* next_due() {
    const SourceRow* row = unopened_.front();
    if (!row || open_.empty()) return row;
    const EventKey& first = open_.front()->row().key;
    const bool due = range_.backward ? row->last_ms >= first.timestamp_ms : row->first_ms <= first.timestamp_ms;
    return due ? row : nullptr;
  }

  // To stop here is progress: the next call begins later than this one did.
  bool is_ahead(const SourceRow& row) const {
    return range_.backward ? row.last_ms < bounds_.high.timestamp_ms : row.first_ms > bounds_.low.timestamp_ms;
  }

  // Opens the next source; it is the last of open_ where it has events, and the others are a heap.
  void open(std::uint64_t& read_bytes) {
    auto source = open_source(tx_, files_, *unopened_.front(), range_, bounds_, read_bytes);
    unopened_.pop();
    if (!source) return;
    open_bytes_ += source->bytes;
    open_.push_back(std::move(source));
    if (open_.size() > kMaxOverlap || open_bytes_ > kMaxOverlapBytes) throw TooManyOverlaps();
  }

  store::Tx& tx_;
  const ChunkFiles& files_;
  const Bounds bounds_;
  const LogRange range_;
  SourceList unopened_;
  std::vector<std::unique_ptr<OpenSource>> open_;  // a heap, the next event's source first
  std::uint64_t open_bytes_ = 0;
};

}  // namespace

TooManyOverlaps::TooManyOverlaps()
    : std::runtime_error("too many of the group's requests overlap at this time: read a shorter range") {}

LogPage read_log(store::Tx& tx, const ChunkFiles& files, const LogRange& range, std::uint64_t budget,
                 const EachEvent& fn) {
  return Merge(tx, files, range).run(budget, fn);
}

}  // namespace telemetry
