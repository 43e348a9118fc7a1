// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/head.h"

#include <gtest/gtest.h>

#include "telemetry/metrics/metric.h"

namespace telemetry {
namespace {

const base::Time kNoon = base::from_seconds(1800000000);
const std::string kKey = metric_key({"111111111111", "us-east-1", "Jobs", "Latency", {}});

Batch batch_of(BatchId id, base::Time arrived) {
  Batch batch{.id = id, .bytes = 20, .arrived = arrived};
  batch.points.push_back({stream_id(7, 0), base::to_seconds(arrived), 1, {}});
  return batch;
}

TEST(Head, ASeriesThatABatchOnItsWayRefersToStaysInMemory) {
  Head head;
  Batch first = batch_of(head.next_batch(), kNoon);
  first.new_series.push_back({7, kKey});
  head.append(std::move(first));
  head.set_sealed(stream_id(7, 0), 1, kNoon);

  const base::Time later = kNoon + std::chrono::hours(5);
  const std::string_view key = kKey;
  ASSERT_EQ(head.use(std::span(&key, 1), later).at(0), 7);
  Batch second = batch_of(head.next_batch(), later);
  head.trim(later - std::chrono::seconds(5), later - std::chrono::hours(3));  // before the commit
  head.append(std::move(second));
  EXPECT_EQ(head.last_arrival(7), later);
}

TEST(Head, ASeriesWithoutPointsForHoursLeavesTheMemory) {
  Head head;
  Batch batch = batch_of(head.next_batch(), kNoon);
  batch.new_series.push_back({7, kKey});
  head.append(std::move(batch));
  EXPECT_EQ(head.find(kKey), 7);
  head.trim(kNoon + std::chrono::hours(5), kNoon + std::chrono::hours(2));
  EXPECT_EQ(head.find(kKey), 7) << "its point is not in a block yet";
  head.set_sealed(stream_id(7, 0), 1, kNoon);
  head.trim(kNoon + std::chrono::hours(5), kNoon + std::chrono::hours(2));
  EXPECT_EQ(head.find(kKey), 0);
}

}  // namespace
}  // namespace telemetry
