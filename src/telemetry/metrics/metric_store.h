// SPDX-License-Identifier: Apache-2.0
// Metric points: durable when put, compressed later, aggregated when read.
//
// A batch is one row of the journal. Its points are also in memory, in the head, from the commit on. A loop seals the
// head's points into blocks (seal.h), and rolls blocks up as they age (rollup.h). A read combines blocks and head.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "store/store.h"
#include "telemetry/metrics/aggregate.h"
#include "telemetry/metrics/head.h"
#include "telemetry/metrics/journal.h"
#include "telemetry/metrics/metric.h"

namespace telemetry {

// Series that an account published to within kIdleAfter. They are in memory, at about 500 bytes each.
inline constexpr std::size_t kMaxActiveSeries = 200'000;
inline constexpr std::size_t kMaxActiveSeriesOfAll = 500'000;
// Series of an account on disk; each is deleted with its last block.
inline constexpr std::int64_t kMaxStoredSeries = 2'000'000;
// Points that are in the journal and the head, as bytes of the journal. Sealing begins long before.
inline constexpr std::int64_t kMaxJournalBytes = 512 << 20;

// A limit that rejects a batch.
enum class PutLimit { ActiveSeries, StoredSeries, Journal };

// A point to be stored. The key must stay valid until put() returns.
struct NewPoint {
  std::string_view key;  // metric_key()
  Unit unit = 0;
  std::int64_t second = 0;  // since 1970
  double value = 0;
  std::shared_ptr<const Aggregate> aggregate = {};  // instead of the value
};

// Periods of `period_s` seconds that step from `from`. Points at or after `until` are left out.
struct ReadRange {
  base::Time from, until;
  std::int64_t period_s = 60;
  std::optional<Unit> unit = {};  // absent: each unit apart
  bool values = false;            // with Aggregate::values, for percentiles
};

struct Bucket {
  std::int64_t start_s = 0;
  Aggregate aggregate = {};
};

// The points of one unit; buckets ascend, and none is empty.
struct UnitBuckets {
  Unit unit = 0;
  std::vector<Bucket> buckets = {};
};

// Metrics that pass all of these; at most `most` of them.
struct MetricFilter {
  std::string account, region;
  std::optional<std::string> space = {}, name = {};
  struct DimensionFilter {
    std::string name;
    std::optional<std::string> value = {};
  };
  std::vector<DimensionFilter> dimensions = {};
  base::Time active_since = {};
  std::size_t most = 500;
  std::string after = {};  // ListedMetrics::next of the page before
};

struct ListedMetrics {
  std::vector<Metric> metrics = {};
  std::string next = {};  // "": there are no more. A page may be short although there are more
};

struct MetricLimits {
  std::size_t active_series = kMaxActiveSeries, active_series_of_all = kMaxActiveSeriesOfAll;
  std::int64_t stored_series = kMaxStoredSeries;
  std::int64_t journal_bytes = kMaxJournalBytes;
};

class MetricStore {
 public:
  // Tests have smaller limits.
  explicit MetricStore(const MetricLimits& limits = {}) : limits_(limits) {}

  // Fills the head from the journal. Before anything else.
  void recover(store::Tx& tx);

  // Writes the points; reads see them once the transaction is committed. A limit: nothing is written.
  std::optional<PutLimit> put(store::Tx& tx, base::Time now, std::span<const NewPoint> points);

  // One entry for each unit that has points in the range.
  std::vector<UnitBuckets> read(store::Tx& tx, const Metric& metric, const ReadRange& range);

  // nullopt: `after` is not a position.
  std::optional<ListedMetrics> list(store::Tx& tx, const MetricFilter& filter);

  // When points of this metric last arrived; nullopt if never. Exact for the last hours.
  std::optional<base::Time> last_arrival(store::Tx& tx, const Metric& metric);

  Head& head() { return head_; }

 private:
  std::optional<std::int64_t> find_series(store::Tx& tx, std::string_view key);

  const MetricLimits limits_;
  Head head_;
};

}  // namespace telemetry
