// SPDX-License-Identifier: Apache-2.0
#include "control/metric_publisher.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/log.h"
#include "base/random.h"
#include "services/directory.h"
#include "shapes/cloudwatch/metric_data.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace control {
namespace {

using services::Call;
using services::Due;
using services::MetricKey;
using shapes::cloudwatch::MetricDatum;
using shapes::cloudwatch::PutMetricDataInput;

struct Published {
  std::string principal, account, region;
  PutMetricDataInput request;
};
struct Recorder {
  std::vector<Published> calls;
  std::string reject_account;
};

void put_metric_data(Call& call, const PutMetricDataInput& request) {
  auto& recorder = call.local<Recorder>();
  if (call.caller.account == recorder.reject_account) throw wire::ApiError("LimitExceeded", "too many metrics");
  Published published{call.caller.service, call.caller.account, call.caller.region, request};
  call.tx.on_end([&recorder, published](bool committed) {
    if (committed) recorder.calls.push_back(published);
  });
}

const MetricKey kDepth{"111111111111", "us-east-1", "AWS/SQS", "Depth", {{"QueueName", "q"}}};

class MetricPublisherTest : public testing::Test {
 protected:
  MetricPublisherTest() : folder_(testing::TempDir() + "publisher-" + base::random_uuid()) {
    base::set_log_level(base::LogLevel::Off);
    store_ = store::open_test_store(folder_, {{"test", {"CREATE TABLE rows (id INTEGER PRIMARY KEY)"}}});
    directory_.add("cloudwatch", {services::operation<&put_metric_data>("PutMetricData", services::Access::Write)});
    locals_.add<services::MetricInterest>();
    locals_.add<Recorder>();
  }
  ~MetricPublisherTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
    base::set_log_level(base::LogLevel::Info);
  }

  services::Measured measure(const Due& due) {
    turns_.push_back(std::string(due.minute ? "minute" : "") + (due.second ? "second" : "") + "/" +
                     std::to_string(due.interest.size()));
    services::Measured result = std::move(next_);
    next_ = {};
    return result;
  }
  static services::Measurement point(const MetricKey& metric, double value, base::Time at) {
    services::Measurement point{.metric = metric, .unit = "Count", .at = at};
    point.values = {value};
    point.counts = {1};
    return point;
  }

  // One turn of the loop. When the next is due, in milliseconds from now.
  std::int64_t turn() {
    services::Decision decision;
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, &locals_, &directory_};
      decision = publisher_.look(call);
    });
    applied_ = decision.apply != nullptr;
    if (applied_) {
      store_->write_now([&](store::Tx& tx) {
        Call call{tx, nobody_, now_, now_, &locals_, &directory_};
        decision.apply(call);
        if (fail_) throw std::runtime_error("the disk is full");
      });
    }
    return (*decision.next - now_).count();
  }
  void use(const MetricKey& metric) { locals_.get<services::MetricInterest>().add(metric, now_); }
  const std::vector<Published>& calls() { return locals_.get<Recorder>().calls; }

  std::string folder_;
  std::unique_ptr<store::Store> store_;
  services::Directory directory_;
  services::Locals locals_;
  const services::Caller nobody_;
  base::Time now_ = base::from_seconds(1800000000) + std::chrono::milliseconds(250);  // a quarter past a minute
  std::vector<std::string> turns_;
  services::Measured next_;
  bool applied_ = false, fail_ = false;
  MetricPublisher publisher_{{{"sqs.amazonaws.com", [this](Call&, const Due& due) { return measure(due); }}}};
};

TEST_F(MetricPublisherTest, WithoutInterestItSleepsUntilTheMinuteAndWritesNothing) {
  EXPECT_EQ(turn(), 59750);
  EXPECT_FALSE(applied_);
  now_ += std::chrono::milliseconds(59750);
  EXPECT_EQ(turn(), 60000);
  EXPECT_EQ(turns_, (std::vector<std::string>{"/0", "minute/0"}));
  EXPECT_TRUE(calls().empty());
}

TEST_F(MetricPublisherTest, AMetricOfInterestIsMeasuredAtOnceAndThenEverySecond) {
  turn();
  use(kDepth);
  EXPECT_EQ(turn(), 750);
  now_ += std::chrono::milliseconds(100);
  EXPECT_EQ(turn(), 650);  // woken: something may have changed
  now_ += std::chrono::milliseconds(650);
  EXPECT_EQ(turn(), 1000);
  EXPECT_EQ(turns_, (std::vector<std::string>{"/0", "second/1", "/1", "second/1"}));
  now_ += services::MetricInterest::kLasts;
  turn();
  EXPECT_EQ(turns_.back(), "minute/0");
}

TEST_F(MetricPublisherTest, ADelayedMeasurementSetsTheNextTurn) {
  next_.again = now_ + std::chrono::milliseconds(20);
  EXPECT_EQ(turn(), 20);
}

TEST_F(MetricPublisherTest, AClockThatWasSetBackDoesNotStopIt) {
  use(kDepth);
  turn();
  now_ -= std::chrono::hours(5);
  use(kDepth);
  EXPECT_LE(turn(), 1000);
  now_ += std::chrono::minutes(1);
  turn();
  EXPECT_EQ(turns_.back(), "minutesecond/1");
}

TEST_F(MetricPublisherTest, PointsAreWrittenByTheServiceForTheirAccountRegionAndNamespace) {
  MetricKey other = kDepth;
  other.account = "222222222222";
  other.region = "eu-west-1";
  next_.points = {point(kDepth, 7, now_), point(other, 8, now_)};
  next_.points[0].high_resolution = true;
  turn();
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(calls()[0].principal, "sqs.amazonaws.com");
  EXPECT_EQ(calls()[0].account, "111111111111");
  EXPECT_EQ(calls()[1].region, "eu-west-1");
  EXPECT_EQ(calls()[0].request.Namespace, "AWS/SQS");
  const MetricDatum& datum = calls()[0].request.MetricData->at(0);
  EXPECT_EQ(datum.MetricName, "Depth");
  EXPECT_EQ(datum.Dimensions->at(0).Name, "QueueName");
  EXPECT_EQ(datum.Dimensions->at(0).Value, "q");
  EXPECT_EQ(datum.Values->at(0), 7);
  EXPECT_EQ(datum.Unit, "Count");
  EXPECT_EQ(datum.Timestamp, now_);
  EXPECT_EQ(datum.StorageResolution, 1);
  EXPECT_EQ(calls()[1].request.MetricData->at(0).StorageResolution, 60);
}

TEST_F(MetricPublisherTest, RequestsStayWithinCloudWatchsLimits) {
  next_.points.assign(2001, point(kDepth, 1, now_));
  for (int size = 0; size < 301; ++size) {
    next_.points[0].values.push_back(size);
    next_.points[0].counts.push_back(2);
  }
  turn();
  ASSERT_EQ(calls().size(), 3u);
  EXPECT_EQ(calls()[0].request.MetricData->size(), 1000u);
  EXPECT_EQ(calls()[2].request.MetricData->size(), 3u);
  EXPECT_EQ(calls()[0].request.MetricData->at(0).Values->size(), 150u);
  EXPECT_EQ(calls()[0].request.MetricData->at(2).Counts->size(), 2u);
}

TEST_F(MetricPublisherTest, AFailedWriteIsRepeatedWithTheNextTurnAndPublishedOnce) {
  next_.points = {point(kDepth, 7, now_)};
  fail_ = true;
  EXPECT_THROW(turn(), std::runtime_error);
  EXPECT_TRUE(calls().empty());
  fail_ = false;
  turn();
  ASSERT_EQ(calls().size(), 1u);
  EXPECT_EQ(calls()[0].request.MetricData->at(0).Values->at(0), 7);
  turn();
  EXPECT_EQ(calls().size(), 1u);
}

TEST_F(MetricPublisherTest, ARejectedAccountDoesNotKeepOthersFromBeingPublished) {
  MetricKey other = kDepth;
  other.account = "222222222222";
  locals_.get<Recorder>().reject_account = "111111111111";
  next_.points = {point(kDepth, 7, now_), point(other, 8, now_)};
  turn();
  ASSERT_EQ(calls().size(), 1u);
  EXPECT_EQ(calls()[0].account, "222222222222");
}

}  // namespace
}  // namespace control
