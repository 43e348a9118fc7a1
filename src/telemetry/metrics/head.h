// SPDX-License-Identifier: Apache-2.0
// The newest points, in memory: those of the journal that are not yet in a block. Follows committed transactions.
#pragma once

#include <cstdint>
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

class Head {
 public:
  BatchId next_batch() {
    return state_.with([](State& state) { return ++state.last_batch; });
  }
  void set_last_batch(BatchId id) {
    state_.with([&](State& state) { state.last_batch = id; });
  }

  // The ids of the series in memory; 0 for others.
  std::vector<std::int64_t> find(std::span<const std::string_view> keys) const;
  std::int64_t find(std::string_view key) const;

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

 private:
  struct Stream {
    HeadStream points;
    std::int64_t left_to = 0;  // batches up to this one have left the head
  };
  struct Series {
    std::string key;
    base::Time arrived;
    std::vector<std::pair<Unit, Stream>> streams = {};
    Stream& stream(Unit unit);
  };
  struct KeyHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  struct State {
    BatchId last_batch = 0;
    std::int64_t journal_bytes = 0;
    std::unordered_map<std::string, std::int64_t, KeyHash, std::equal_to<>> ids = {};  // by key
    std::unordered_map<std::int64_t, Series> series = {};                              // by id
    std::map<std::string, std::size_t> active = {};       // series in memory, by account
    std::map<std::string, std::int64_t> stored = {};      // series in the database, by account
  };

  base::Guarded<State> state_;
};

}  // namespace telemetry
