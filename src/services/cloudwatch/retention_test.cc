// SPDX-License-Identifier: Apache-2.0
// Points on their way from the journal into blocks of seconds, minutes, five minutes and hours.
#include <gmock/gmock.h>

#include <thread>

#include "services/cloudwatch/cloudwatch_fixture.h"
#include "telemetry/metrics/rollup.h"
#include "telemetry/metrics/seal.h"

namespace services::cloudwatch {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class RetentionTest : public CloudWatchTest {
 protected:
  void put_seconds(int count, base::Time from) {
    for (int done = 0; done < count; done += 500) {
      PutMetricDataInput input{.Namespace = "Jobs", .MetricData = std::vector<MetricDatum>()};
      for (int i = done; i < std::min(count, done + 500); ++i) input.MetricData->push_back(datum(i % 60, from + seconds(i)));
      put(input);
    }
  }
  // Until the loop has nothing to do for a while.
  void run_loop(const std::string& name) {
    for (int turn = 0; turn < 1000; ++turn) {
      const auto next = take_turn(name);
      if (!next || *next >= now_ + seconds(1)) return;
    }
    FAIL() << "the loop does not end";
  }
  void age(base::Duration duration) {
    now_ += duration;
    run_loop("metric seal");
    run_loop("metric rollup");
  }
  Decision look(const std::string& name) {
    auto loop = std::find_if(module_.loops.begin(), module_.loops.end(), [&](const Loop& l) { return l.name == name; });
    Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, locals_.get(), &directory_};
      decision = loop->look(call);
    });
    return decision;
  }
  telemetry::Aggregate total(base::Time from, base::Time until, bool values = true) {
    std::vector<telemetry::UnitBuckets> read;
    const telemetry::ReadRange range{
        .from = from, .until = until, .period_s = (until - from) / seconds(1), .values = values};
    with_call([&](Call& call) {
      read = points().read(call.tx, {"111111111111", "us-east-1", "Jobs", "Latency", {}}, range);
    });
    return read.empty() ? telemetry::Aggregate() : read[0].buckets[0].aggregate;
  }
  std::int64_t blocks(int tier) {
    std::int64_t count = 0;
    with_call([&](Call& call) {
      count = call.tx.query("SELECT count(*) FROM telemetry_blocks WHERE tier = $1", tier).integer();
    });
    return count;
  }
};

TEST_F(RetentionTest, OldPointsAreSealedAndTheJournalIsEmpty) {
  const base::Time start = now_;
  put_seconds(600, start);
  const auto before = total(start, start + seconds(600));
  EXPECT_EQ(before.count, 600);
  take_turn("metric seal");
  EXPECT_EQ(count_rows("telemetry_blocks"), 0);
  age(telemetry::kSealAge);
  EXPECT_EQ(count_rows("telemetry_blocks"), 1);
  EXPECT_EQ(count_rows("telemetry_journal"), 0);
  EXPECT_EQ(total(start, start + seconds(600)), before);
  open();
  EXPECT_EQ(total(start, start + seconds(600)), before);
}

TEST_F(RetentionTest, GaugesCountActiveSeriesAndTheJournal) {
  const auto gauges = [&] {
    std::vector<double> values;
    with_call([&](Call& call) {
      for (const Gauge& gauge : module_.gauges(call)) values.push_back(gauge.value);
    });
    return values;
  };
  EXPECT_EQ(gauges(), (std::vector<double>{0, 0}));
  put_seconds(10, now_);
  EXPECT_EQ(gauges().at(0), 1);
  EXPECT_GT(gauges().at(1), 80);
  age(telemetry::kSealAge);
  EXPECT_EQ(gauges(), (std::vector<double>{1, 0}));
}

TEST_F(RetentionTest, ReadersWithAnOlderSnapshotStillSeePointsThatWereSealedMeanwhile) {
  const base::Time start = now_;
  put_seconds(10, start);
  now_ += telemetry::kSealAge;
  telemetry::Aggregate old;
  store_->read_now([&](store::Tx& tx) {
    // The snapshot begins with its first statement.
    tx.query("SELECT count(*) FROM telemetry_blocks").integer();
    std::thread other([&] { run_loop("metric seal"); });
    other.join();
    const telemetry::ReadRange range{.from = start, .until = start + seconds(60), .period_s = 60};
    old = points().read(tx, {"111111111111", "us-east-1", "Jobs", "Latency", {}}, range).at(0).buckets.at(0).aggregate;
  });
  EXPECT_EQ(old.count, 10);
  EXPECT_EQ(count_rows("telemetry_blocks"), 1);
}

TEST_F(RetentionTest, ACrashBetweenSealAndJournalDoesNotDoublePoints) {
  const base::Time start = now_;
  put_seconds(100, start);
  now_ += telemetry::kSealAge;
  take_turn("metric seal");  // blocks are written, the journal is not yet shortened
  EXPECT_EQ(count_rows("telemetry_blocks"), 1);
  EXPECT_EQ(count_rows("telemetry_journal"), 1);
  open();
  EXPECT_EQ(total(start, start + seconds(100)).count, 100);
  put_seconds(1, start + seconds(200));
  open();
  EXPECT_EQ(total(start, start + seconds(300)).count, 101);
}

TEST_F(RetentionTest, NumbersOfBatchesAreNotUsedAgainAfterARestart) {
  const base::Time start = now_;
  put_seconds(100, start);
  age(telemetry::kSealAge);
  EXPECT_EQ(count_rows("telemetry_journal"), 0);
  open();
  put_seconds(1, now_);
  EXPECT_EQ(total(now_, now_ + seconds(60)).count, 1);
  open();
  EXPECT_EQ(total(now_, now_ + seconds(60)).count, 1);
}

TEST_F(RetentionTest, ResolutionFallsWithAgeAndSumsRemain) {
  const base::Time start = now_;
  put_seconds(7200, start);
  const auto fresh = total(start, start + hours(2));
  age(hours(2));
  EXPECT_GT(blocks(0), 0);
  age(hours(5));
  EXPECT_EQ(blocks(0), 0);
  EXPECT_GT(blocks(1), 0);
  const auto minutes = total(start, start + hours(2));
  EXPECT_EQ(minutes.count, fresh.count);
  EXPECT_EQ(minutes.sum, fresh.sum);
  EXPECT_EQ(minutes.values, fresh.values) << "whole numbers below 1000 are not rounded";
  age(hours(24 * 17));
  EXPECT_EQ(blocks(1), 0);
  EXPECT_EQ(blocks(2), 1);
  age(hours(24 * 60));
  EXPECT_EQ(blocks(2), 0);
  EXPECT_EQ(blocks(3), 1);
  const auto old = total(start, start + hours(2));
  EXPECT_EQ(old.count, fresh.count);
  EXPECT_EQ(old.sum, fresh.sum);
  EXPECT_EQ(old.min, 0);
  EXPECT_EQ(old.max, 59);
  EXPECT_EQ(old.values, fresh.values);
  age(hours(24 * 400));
  EXPECT_EQ(count_rows("telemetry_blocks"), 0);
  EXPECT_EQ(count_rows("telemetry_series"), 0);
  EXPECT_EQ(count_rows("telemetry_streams"), 0);
}

TEST_F(RetentionTest, LatePointsAreAddedToMinutesThatWereRolledUp) {
  const base::Time start = now_;
  put_seconds(120, start);
  age(hours(2));
  age(hours(5));
  EXPECT_EQ(blocks(0), 0);
  put_seconds(60, start);
  EXPECT_EQ(total(start, start + seconds(120)).count, 180);
  age(hours(2));
  EXPECT_EQ(blocks(0), 0);
  EXPECT_EQ(total(start, start + seconds(120)).count, 180);
}

TEST_F(RetentionTest, AMetricThatGetsAPointAtTheMomentItExpiresIsKept) {
  put_seconds(1, now_);
  age(hours(2));
  age(hours(2));
  now_ += hours(24 * 460);
  const Decision expiry = look("metric rollup");
  ASSERT_TRUE(expiry.apply);
  const auto& rows = module_.service.operations;
  auto row =
      std::find_if(rows.begin(), rows.end(), [](const Operation& one) { return one.wire.name == "PutMetricData"; });
  const PutMetricDataInput input{.Namespace = "Jobs", .MetricData = {{datum(1, now_)}}};
  with_call([&](Call& call) {
    row->run(call, &input);
    expiry.apply(call);
  });
  EXPECT_EQ(count_rows("telemetry_series"), 1);
  open();
  EXPECT_EQ(total(now_, now_ + seconds(60)).count, 1);
}

class LimitsTest : public RetentionTest {
 protected:
  // As if the server had started with these.
  void set_limits(const telemetry::MetricLimits& limits) { locals_->add<telemetry::MetricStore>(limits); }
  // One point for each of `count` metrics that differ by a dimension.
  std::string put_metrics(int first, int count) {
    PutMetricDataInput input{.Namespace = "Jobs", .MetricData = std::vector<MetricDatum>()};
    for (int i = first; i < first + count; ++i) {
      input.MetricData->push_back(datum(1, now_));
      input.MetricData->back().Dimensions = std::vector<Dimension>{{"Task", std::to_string(i)}};
    }
    return error_of([&] { put(input); });
  }
};

TEST_F(LimitsTest, MoreDimensionsThanTheLimitAreRejectedAndKnownMetricsGoOn) {
  set_limits({.active_series = 100});
  EXPECT_EQ(put_metrics(0, 100), "");
  EXPECT_THAT(put_metrics(99, 2), testing::StartsWith("LimitExceeded: The account has"));
  EXPECT_EQ(count_rows("telemetry_series"), 100) << "a rejected batch leaves nothing behind";
  EXPECT_EQ(put_metrics(0, 100), "");
  caller_.account = "222222222222";
  EXPECT_EQ(put_metrics(0, 100), "") << "accounts have their own limit";
}

TEST_F(LimitsTest, AMetricWithoutPointsForHoursMakesRoomForAnother) {
  set_limits({.active_series = 100});
  EXPECT_EQ(put_metrics(0, 100), "");
  age(telemetry::kSealAge);
  age(std::chrono::hours(4));
  EXPECT_EQ(put_metrics(100, 100), "");
  EXPECT_EQ(count_rows("telemetry_series"), 200);
}

// A client that is rejected writes nothing, and so nothing wakes the loop.
TEST_F(LimitsTest, TheLoopComesBackByItselfForMetricsThatBecomeIdle) {
  set_limits({.active_series = 100});
  EXPECT_EQ(put_metrics(0, 100), "");
  for (int turn = 0; turn < 1000; ++turn) {
    const auto next = take_turn("metric seal");
    if (!next) break;
    now_ = std::max(now_, *next);
  }
  EXPECT_EQ(points().head().size("").series, 0u);
  EXPECT_EQ(put_metrics(100, 100), "");
}

TEST_F(LimitsTest, StoredMetricsHaveALimitToo) {
  set_limits({.stored_series = 50});
  EXPECT_EQ(put_metrics(0, 50), "");
  EXPECT_THAT(put_metrics(50, 1), testing::HasSubstr("stored metrics already"));
}

// The writer of log events goes on when its embedded metrics are rejected.
TEST_F(LimitsTest, ARejectedBatchLeavesNothingBehindInATransactionThatGoesOn) {
  set_limits({.active_series = 3});
  std::vector<std::string> keys;
  for (int i = 0; i < 5; ++i) {
    keys.push_back(telemetry::metric_key({"111111111111", "us-east-1", "Jobs", "m" + std::to_string(i), {}}));
  }
  std::vector<telemetry::NewPoint> batch;
  for (const std::string& key : keys) batch.push_back({.key = key, .second = base::to_seconds(now_), .value = 1});
  with_call([&](Call& call) { EXPECT_EQ(points().put(call.tx, now_, batch), telemetry::PutLimit::ActiveSeries); });
  EXPECT_EQ(count_rows("telemetry_series"), 0);
}

TEST_F(LimitsTest, PointsThatAreNotSealedInTimeAreThrottled) {
  set_limits({.journal_bytes = 1000});
  EXPECT_EQ(put_metrics(0, 200), "");
  EXPECT_THAT(put_metrics(0, 1), testing::StartsWith("Throttling: "));
  age(telemetry::kSealAge);
  EXPECT_EQ(put_metrics(0, 1), "");
}

TEST_F(RetentionTest, BusySeriesAreSealedWithoutWaiting) {
  const base::Time start = now_;
  PutMetricDataInput input{.Namespace = "Jobs", .MetricData = std::vector<MetricDatum>()};
  for (int i = 0; i < 1000; ++i) {
    input.MetricData->push_back(datum(i, start));
    // Long batches: the journal must grow by megabytes.
    input.MetricData->back().Value.reset();
    input.MetricData->back().Values = std::vector<double>(150, 1.0 / (i + 1));
    for (int k = 0; k < 150; ++k) (*input.MetricData->back().Values)[static_cast<std::size_t>(k)] += k;
  }
  int batches = 0;
  while (!telemetry::is_seal_due(points().head(), now_) && batches < 100) {
    put(input);
    ++batches;
  }
  put(input);
  ASSERT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_[0].topic, "cloudwatch/seal");
  take_turn("metric seal");
  ASSERT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_[0].topic, "cloudwatch/rollup") << "new blocks age";
  run_loop("metric seal");
  EXPECT_EQ(count_rows("telemetry_journal"), 0);
  EXPECT_EQ(total(start, start + seconds(60), false).count, 150'000.0 * (batches + 1));
}

}  // namespace
}  // namespace services::cloudwatch
