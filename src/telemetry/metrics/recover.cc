// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "telemetry/metrics/metric_store.h"
#include "telemetry/metrics/series_rows.h"

namespace telemetry {
namespace {

constexpr int kBatchesPerQuery = 64;

// Adds the journal to the head: all points but those that are in blocks.
class Replay {
 public:
  Replay(store::Tx& tx, Head& head) : tx_(tx), head_(head) {}

  // Returns the newest batch; 0 if there is none.
  BatchId run() {
    BatchId last = 0;
    while (true) {
      auto batches = next_batches(last);
      if (batches.empty()) return last;
      last = batches.back().id;
      for (Batch& batch : batches) append(std::move(batch));
    }
  }

 private:
  std::vector<Batch> next_batches(BatchId after) {
    return tx_.query("SELECT id, arrived_at, points FROM telemetry_journal WHERE id > $1 ORDER BY id LIMIT $2", after,
                     kBatchesPerQuery)
        .all([](const store::Row& row) {
          auto points = decode_batch(row.text(2));
          CHECK(points) << "batch " << row.integer(0) << " of the metrics' journal is damaged";
          return Batch{.id = row.integer(0),
                       .bytes = static_cast<std::int64_t>(row.text(2).size()),
                       .arrived = row.time(1),
                       .points = std::move(*points)};
        });
  }

  void append(Batch batch) {
    std::erase_if(batch.points, [&](const StreamPoint& point) { return batch.id <= sealed_to(point.stream); });
    for (const StreamPoint& point : batch.points) {
      const std::int64_t series = series_of(point.stream);
      if (!known_.try_emplace(series, true).second) continue;
      batch.new_series.push_back({series, read_series_key(tx_, series)});
    }
    head_.append(std::move(batch));
  }

  BatchId sealed_to(StreamId stream) {
    auto [found, is_new] = sealed_.try_emplace(stream, 0);
    if (is_new) found->second = tx_.query("SELECT sealed_to FROM telemetry_streams WHERE id = $1", stream).integer();
    return found->second;
  }

  store::Tx& tx_;
  Head& head_;
  std::unordered_map<std::int64_t, bool> known_;
  std::unordered_map<StreamId, BatchId> sealed_;
};

}  // namespace

void MetricStore::recover(store::Tx& tx) {
  head_.set_stored(count_series_rows(tx));
  const BatchId newest = Replay(tx, head_).run();
  // The journal may be empty. Its ids must not be used again: blocks refer to them.
  const BatchId sealed = tx.query("SELECT max(sealed_to) FROM telemetry_streams").integer();
  head_.set_last_batch(std::max(newest, sealed));
}

}  // namespace telemetry
