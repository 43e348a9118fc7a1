// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "telemetry/metrics/block.h"
#include "telemetry/metrics/metric_store.h"

namespace telemetry {
namespace {

// Points of one stream, combined by period.
class Buckets {
 public:
  explicit Buckets(const ReadRange& range)
      : from_(base::to_seconds(range.from)), period_(range.period_s), values_(range.values) {}

  Combiner& at(std::int64_t second) {
    const std::int64_t index = (second - from_) / period_;
    // Neighbours are mostly of the same bucket.
    if (!last_ || index != last_index_) {
      last_ = &combiners_.try_emplace(index, values_).first->second;
      last_index_ = index;
    }
    return *last_;
  }

  std::vector<Bucket> take() {
    std::vector<Bucket> buckets;
    buckets.reserve(combiners_.size());
    for (auto& [index, combiner] : combiners_) buckets.push_back({from_ + index * period_, combiner.take()});
    return buckets;
  }

 private:
  std::int64_t from_, period_;
  bool values_;
  std::map<std::int64_t, Combiner> combiners_;
  Combiner* last_ = nullptr;
  std::int64_t last_index_ = 0;
};

void add_blocks(store::Tx& tx, StreamId stream, std::int64_t first, std::int64_t until, bool values, Buckets& buckets) {
  bool damaged = false;
  const auto within = [&](std::int64_t second) { return second >= first && second < until; };
  tx.query("SELECT points FROM telemetry_blocks WHERE stream = $1 AND last_at >= $2 AND first_at < $3 ORDER BY last_at, id",
           stream, first, until)
      .each([&](const store::Row& row) {
        const auto points = decode_block(row.text(0), values);
        damaged = damaged || !points;
        if (!points) return;
        for (const BlockSample& one : points->samples) {
          if (within(one.second)) buckets.at(one.second).add(one.value);
        }
        for (const BlockAggregate& one : points->aggregates) {
          if (within(one.second)) buckets.at(one.second).add(one.aggregate);
        }
      });
  // Not within the query: the transaction can go on with other metrics.
  if (damaged) throw store::Error(store::ErrorKind::Damaged, "a block of metric points is damaged");
}

void add_head(const HeadStream& points, Buckets& buckets) {
  for (const HeadPoint& point : points.points) buckets.at(point.second).add(point.value);
  for (const HeadAggregate& point : points.aggregates) buckets.at(point.second).add(*point.aggregate);
}

// The streams of a series, in memory or in the database, and their sealed batches.
std::map<StreamId, BatchId> streams_of(store::Tx& tx, const Head& head, std::int64_t series) {
  std::map<StreamId, BatchId> streams;
  for (Unit unit : head.units(series)) streams[stream_id(series, unit)] = 0;
  tx.query("SELECT id, sealed_to FROM telemetry_streams WHERE id >= $1 AND id < $2", stream_id(series, 0),
           stream_id(series + 1, 0))
      .each([&](const store::Row& row) { streams[row.integer(0)] = row.integer(1); });
  return streams;
}

}  // namespace

std::vector<UnitBuckets> MetricStore::read(store::Tx& tx, const Metric& metric, const ReadRange& range) {
  std::vector<UnitBuckets> result;
  const auto series = find_series(tx, metric_key(metric));
  if (!series) return result;
  // A time within a second is after the points of that second.
  const std::int64_t first = base::to_seconds(range.from), until = base::to_seconds(range.until + base::Duration(999));
  for (const auto& [stream, sealed_to] : streams_of(tx, head_, *series)) {
    if (range.unit && *range.unit != unit_of(stream)) continue;
    Buckets buckets(range);
    const auto head = head_.read(stream, sealed_to, first, until);
    if (!head) throw store::Error(store::ErrorKind::Busy, "the snapshot is older than the newest points");
    add_blocks(tx, stream, first, until, range.values, buckets);
    add_head(*head, buckets);
    UnitBuckets one{unit_of(stream), buckets.take()};
    if (!one.buckets.empty()) result.push_back(std::move(one));
  }
  return result;
}

}  // namespace telemetry
