// SPDX-License-Identifier: Apache-2.0
// The newest points, in memory: those of the journal that are not yet in a block. Follows committed transactions.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"
#include "telemetry/metrics/journal.h"

namespace telemetry {

// The batches of the journal are numbered. 32 bits will do to compare those that are in memory at the same time.
using BatchId = std::int64_t;

struct HeadPoint {
  std::uint32_t second = 0;
  std::uint32_t batch = 0;  // the low bits of its BatchId
  double value = 0;
};
struct HeadAggregate {
  std::uint32_t second = 0;
  std::uint32_t batch = 0;
  std::shared_ptr<const Aggregate> aggregate;
};

struct HeadStream {
  std::vector<HeadPoint> points = {};
  std::vector<HeadAggregate> aggregates = {};
  std::size_t size() const { return points.size() + aggregates.size(); }
};

// A series that a committed batch has points of.
struct ActiveSeries {
  std::int64_t id = 0;
  std::string key;
};

struct Batch {
  BatchId id = 0;
  std::int64_t bytes = 0;  // of its row
  base::Time arrived;
  std::vector<StreamPoint> points = {};
  std::vector<ActiveSeries> new_series = {};      // those that were not in memory
  std::map<std::string, std::int64_t> created = {};  // by account: series that are new in the database as well
};

// Points that leave the head for blocks.
struct SealCandidate {
  StreamId stream = 0;
  BatchId to = 0;  // the newest batch among them
  base::Time arrived;
  HeadStream points = {};
};

// Which streams a pass over the head seals: those with many points, and those with points of old batches.
struct SealRule {
  std::size_t points = 0;
  BatchId oldest = 0;  // streams with points of this batch or an older one
};

// What is in the journal, as far as the head has it.
struct JournalSize {
  std::int64_t bytes = 0;
  std::size_t batches = 0;
  base::Time oldest_arrived = {};
  BatchId oldest = 0, newest = 0;
  // Since the last pass.
  std::int64_t new_bytes = 0, new_batches = 0;
};

class Head {
 public:
  BatchId next_batch() {
    return state_.with([](State& state) { return ++state.last_batch; });
  }
  void set_last_batch(BatchId id) {
    state_.with([&](State& state) { state.last_batch = state.newest = id; });
  }

  // The ids of the series in memory; 0 for others.
  std::int64_t find(std::string_view key) const;
  // For a batch of this time, which is about to be appended: the series stay in memory until then.
  std::vector<std::int64_t> use(std::span<const std::string_view> keys, base::Time now);

  void append(Batch batch);
  // Before the first append.
  void set_stored(std::map<std::string, std::int64_t> series_by_account);

  struct Size {
    std::int64_t journal_bytes = 0;
    std::size_t series = 0;         // in memory
    std::size_t account_series = 0;  // of one account, in memory
    std::int64_t account_stored = 0;  // of one account, in the database
  };
  Size size(const std::string& account) const;

  // The points of a stream after batch `after`, from `first` to before `until`. nullopt: some of them have left the head,
  // so they must be in blocks that the reader's snapshot is too old to see.
  std::optional<HeadStream> read(StreamId stream, BatchId after, std::int64_t first, std::int64_t until) const;
  // The units in which the series has points here.
  std::vector<Unit> units(std::int64_t series) const;
  std::optional<base::Time> last_arrival(std::int64_t series) const;

  // For the loop that seals. Points stay in the head for a while after they were sealed, for readers with an older
  // snapshot, and leave with trim().
  JournalSize journal() const;
  void start_pass();
  // The newest batch that arrived by then; 0 if there is none.
  BatchId newest_batch_by(base::Time arrived) const;
  // Candidates among the next series, up to `most_points` or so; `cursor` moves on, and is 0 after the last series.
  std::vector<SealCandidate> candidates(const SealRule& rule, std::size_t most_points, std::size_t& cursor) const;
  void set_sealed(StreamId stream, BatchId to, base::Time now);
  // Every batch up to this one is in blocks.
  BatchId sealed_batch() const;
  // Batches up to this one have left the journal.
  void forget_batches(BatchId to);
  // Drops points that were sealed before `sealed_before`, and series without points since `idle_before`. True if sealed
  // points remain.
  bool trim(base::Time sealed_before, base::Time idle_before);
  void count_deleted(const std::string& account, std::int64_t series);

 private:
  struct Stream {
    HeadStream points;
    BatchId sealed_to = 0;
    BatchId left_to = 0;  // batches up to this one have left the head
    base::Time sealed_at = {};
  };
  struct Series {
    std::string key;
    base::Time arrived;
    std::vector<std::pair<Unit, Stream>> streams = {};
    Stream& stream(Unit unit);
  };
  struct KnownSeries {
    std::int64_t id = 0;
    base::Time used = {};  // by the newest batch, which may not be committed yet
  };
  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  struct JournalBatch {
    BatchId id = 0;
    std::int64_t bytes = 0;
    base::Time arrived;
  };
  struct State {
    BatchId last_batch = 0;  // that was numbered
    BatchId newest = 0;      // that was committed
    std::int64_t journal_bytes = 0;
    std::deque<JournalBatch> journal = {};
    std::int64_t new_bytes = 0, new_batches = 0;  // since the last pass
    std::vector<std::int64_t> order = {};  // the series, for passes over them
    std::unordered_map<std::string, KnownSeries, KeyHash, std::equal_to<>> ids = {};   // by key
    std::unordered_map<std::int64_t, Series> series = {};                              // by id
    std::map<std::string, std::size_t> active = {};       // series in memory, by account
    std::map<std::string, std::int64_t> stored = {};      // series in the database, by account
  };

  base::Guarded<State> state_;
};

}  // namespace telemetry
