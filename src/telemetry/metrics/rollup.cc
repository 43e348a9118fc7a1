// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/rollup.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include "base/log.h"
#include "telemetry/metrics/block.h"

namespace telemetry {
namespace {

constexpr int kLastTier = static_cast<int>(std::size(kTiers)) - 1;
// A slice.
constexpr int kSliceStreams = 64;
constexpr std::int64_t kSliceBlocks = 64;  // of one stream
constexpr int kSliceExpired = 500;
constexpr base::Duration kBetweenRollups = std::chrono::milliseconds(5);
constexpr base::Duration kRollupEvery = std::chrono::minutes(10);

// Blocks of a stream, and those that take their place.
struct Replacement {
  StreamId stream = 0;
  int tier = 0;  // of the new blocks
  std::vector<std::int64_t> old_ids = {};
  std::vector<EncodedBlock> blocks = {};
};

struct AgedBlock {
  std::int64_t id = 0;
  std::string bytes;
};

std::vector<StreamId> streams_to_roll(store::Tx& tx, int tier, std::int64_t now_s) {
  const Tier& rules = kTiers[tier];
  auto streams = tx.query("SELECT stream FROM telemetry_blocks WHERE tier = $1 AND last_at <= $2 ORDER BY last_at LIMIT $3",
                          tier, now_s - rules.kept_s - rules.slack_s, kSliceStreams)
                     .all([](const store::Row& row) { return row.integer(0); });
  std::sort(streams.begin(), streams.end());
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
  return streams;
}

// One point for each period of `resolution_s` seconds.
BlockPoints roll_up(const std::vector<BlockPoints>& parts, std::int64_t resolution_s) {
  std::map<std::int64_t, Combiner> periods;
  for (const BlockPoints& part : parts) {
    for (const BlockSample& one : part.samples) periods[one.second - one.second % resolution_s].add(one.value);
    for (const BlockAggregate& one : part.aggregates) periods[one.second - one.second % resolution_s].add(one.aggregate);
  }
  BlockPoints rolled;
  for (auto& [second, combiner] : periods) {
    Aggregate aggregate = combiner.take();
    if (aggregate.count == 1 && aggregate.has_values()) {
      rolled.samples.push_back({second, aggregate.values[0].value});
      continue;
    }
    // Percentiles of negative values don't exist.
    if (aggregate.min < 0) aggregate.values.clear();
    round_values(aggregate);
    rolled.aggregates.push_back({second, std::move(aggregate)});
  }
  return rolled;
}

Replacement replace_blocks(store::Tx& tx, StreamId stream, int tier, std::int64_t now_s) {
  const auto aged = tx.query("SELECT id, points FROM telemetry_blocks WHERE stream = $1 AND tier = $2 AND last_at <= $3"
                             " ORDER BY last_at LIMIT $4",
                             stream, tier, now_s - kTiers[tier].kept_s, kSliceBlocks)
                        .all([](const store::Row& row) { return AgedBlock{row.integer(0), row.str(1)}; });
  Replacement replacement{.stream = stream, .tier = tier + 1};
  std::vector<BlockPoints> parts;
  for (const AgedBlock& block : aged) {
    replacement.old_ids.push_back(block.id);
    auto points = decode_block(block.bytes, true);
    if (points) {
      parts.push_back(std::move(*points));
    } else {
      base::log_error("dropped a damaged block of metric points", {{"stream", std::to_string(stream)}});
    }
  }
  replacement.blocks = encode_blocks(roll_up(parts, kTiers[tier + 1].resolution_s));
  return replacement;
}

void write_replacement(store::Tx& tx, const Replacement& replacement) {
  for (std::int64_t id : replacement.old_ids) {
    // Only this loop deletes blocks, but a failed apply is looked at again.
    if (tx.exec("DELETE FROM telemetry_blocks WHERE id = $1", id) == 0) return;
  }
  for (const EncodedBlock& block : replacement.blocks) {
    tx.exec("INSERT INTO telemetry_blocks (stream, tier, first_at, last_at, points) VALUES ($1, $2, $3, $4, $5)",
            replacement.stream, replacement.tier, block.first, block.last, store::BlobView{block.bytes});
  }
}

struct ExpiredSeries {
  std::int64_t id = 0;
  std::string account;
};

// Series without points for as long as hours are kept.
std::vector<ExpiredSeries> find_expired(store::Tx& tx, base::Time before) {
  return tx
      .query("SELECT id, account FROM telemetry_series WHERE active_at < $1 ORDER BY active_at LIMIT $2", before,
             kSliceExpired)
      .all([](const store::Row& row) { return ExpiredSeries{row.integer(0), row.str(1)}; });
}

void delete_series(store::Tx& tx, Head& head, const ExpiredSeries& series, base::Time before) {
  if (head.last_arrival(series.id)) return;  // it has points again
  if (tx.exec("DELETE FROM telemetry_series WHERE id = $1 AND active_at < $2", series.id, before) == 0) return;
  tx.exec("DELETE FROM telemetry_streams WHERE id >= $1 AND id < $2", stream_id(series.id, 0),
          stream_id(series.id + 1, 0));
  tx.on_end([&head, account = series.account](bool committed) {
    if (committed) head.count_deleted(account, 1);
  });
}

std::vector<std::int64_t> find_expired_blocks(store::Tx& tx, std::int64_t now_s) {
  return tx
      .query("SELECT id FROM telemetry_blocks WHERE tier = $1 AND last_at <= $2 ORDER BY last_at LIMIT $3", kLastTier,
             now_s - kTiers[kLastTier].kept_s, kSliceExpired)
      .all([](const store::Row& row) { return row.integer(0); });
}

}  // namespace

SealStep look_for_rollup(MetricStore& metrics, store::Tx& tx, base::Time now) {
  const std::int64_t now_s = base::to_seconds(now);
  auto replacements = std::make_shared<std::vector<Replacement>>();
  for (int tier = 0; tier < kLastTier && replacements->empty(); ++tier) {
    for (StreamId stream : streams_to_roll(tx, tier, now_s)) {
      replacements->push_back(replace_blocks(tx, stream, tier, now_s));
    }
  }
  const auto blocks = find_expired_blocks(tx, now_s);
  // A day more: a series must not disappear before its last block.
  const base::Time before = now - std::chrono::seconds(kTiers[kLastTier].kept_s + 86400);
  const auto series = find_expired(tx, before);
  SealStep step;
  if (replacements->empty() && blocks.empty() && series.empty()) {
    const bool any = tx.query("SELECT 1 FROM telemetry_blocks LIMIT 1").integer() == 1;
    if (any) step.next = now + kRollupEvery;
    return step;
  }
  step.next = now + kBetweenRollups;
  step.apply = [&head = metrics.head(), replacements, blocks, series, before](store::Tx& write) {
    for (const Replacement& one : *replacements) write_replacement(write, one);
    for (std::int64_t id : blocks) write.exec("DELETE FROM telemetry_blocks WHERE id = $1", id);
    for (const ExpiredSeries& one : series) delete_series(write, head, one, before);
  };
  return step;
}

}  // namespace telemetry
