// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/metrics.h"

#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

class SqsMetrics : public SqsTest {
 protected:
  // Measures what is due, as "name=value x count @seconds past the test's start", sorted.
  std::vector<std::string> measure(bool minute, bool second, std::set<std::string> names = {},
                                   const std::string& queue = "q") {
    std::set<MetricKey> interest;
    for (const std::string& name : names) {
      interest.insert({caller_.account, caller_.region, "AWS/SQS", name, {{"QueueName", queue}}});
    }
    store_->read_now([&](store::Tx& tx) {
      Call call{tx, nobody_, now_, now_, &locals_};
      measured_ = meter_.measure(call, {minute, second, interest});
    });
    std::vector<std::string> shown;
    for (const Measurement& point : measured_.points) {
      EXPECT_EQ(point.metric.account, caller_.account);
      EXPECT_EQ(point.metric.space, "AWS/SQS");
      shown.push_back(show(point));
    }
    std::sort(shown.begin(), shown.end());
    return shown;
  }
  std::string show(const Measurement& point) {
    std::string text = point.metric.name + (point.high_resolution ? "!" : "") + "=";
    for (std::size_t i = 0; i < point.values.size(); ++i) {
      text += (i ? "," : "") + std::to_string(static_cast<std::int64_t>(point.values[i])) + "x" +
              std::to_string(static_cast<std::int64_t>(point.counts[i]));
    }
    return text + "@" + std::to_string((point.at - start_).count() / 1000);
  }
  // The points of one metric.
  std::vector<std::string> of(const std::string& name, const std::vector<std::string>& all) {
    std::vector<std::string> found;
    for (const std::string& one : all) {
      if (one.starts_with(name + "=") || one.starts_with(name + "!=")) found.push_back(one);
    }
    return found;
  }
  using Texts = std::vector<std::string>;

  const base::Time start_ = now_;  // the start of a minute
  QueueMeter meter_;
  Measured measured_;
};

TEST_F(SqsMetrics, AnActiveQueueHasAllItsMetricsOnceAMinute) {
  const std::string url = make_queue("q");
  send(url, "four");
  send(url, "four");
  send(url, "sixsix");
  advance(std::chrono::seconds(1));
  auto message = receive(url, 1).at(0);
  remove(url, message);
  remove(url, message);  // deleting again counts
  receive(url, 1);
  receive(make_queue("empty"));
  now_ = start_ + std::chrono::seconds(60);
  EXPECT_EQ(measure(true, false), (Texts{
                                      "ApproximateAgeOfOldestMessage=0x1@60",
                                      "ApproximateAgeOfOldestMessage=60x1@60",
                                      "ApproximateNumberOfMessagesDelayed=0x1@60",
                                      "ApproximateNumberOfMessagesDelayed=0x1@60",
                                      "ApproximateNumberOfMessagesNotVisible=0x1@60",
                                      "ApproximateNumberOfMessagesNotVisible=0x1@60",
                                      "ApproximateNumberOfMessagesVisible=0x1@60",
                                      "ApproximateNumberOfMessagesVisible=2x1@60",
                                      "NumberOfEmptyReceives=0x1@0",
                                      "NumberOfEmptyReceives=1x1@0",
                                      "NumberOfMessagesDeleted=0x1@0",
                                      "NumberOfMessagesDeleted=1x2@0",
                                      "NumberOfMessagesReceived=0x1@0",
                                      "NumberOfMessagesReceived=1x2@0",
                                      "NumberOfMessagesSent=0x1@0",
                                      "NumberOfMessagesSent=1x3@0",
                                      "SentMessageSize=4x2,6x1@0",
                                  }));
}

TEST_F(SqsMetrics, AMinuteIsPublishedWhenItIsOverAndOnlyOnce) {
  const std::string url = make_queue("q");
  send(url, "a");
  advance(std::chrono::seconds(59));
  EXPECT_EQ(of("NumberOfMessagesSent", measure(true, false)), Texts{"NumberOfMessagesSent=0x1@-60"});
  advance(std::chrono::seconds(1));
  send(url, "b");
  EXPECT_EQ(of("NumberOfMessagesSent", measure(true, false)), Texts{"NumberOfMessagesSent=1x1@0"});
  advance(std::chrono::minutes(1));
  EXPECT_EQ(of("NumberOfMessagesSent", measure(true, false)), Texts{"NumberOfMessagesSent=1x1@60"});
  advance(std::chrono::minutes(1));
  EXPECT_EQ(of("NumberOfMessagesSent", measure(true, false)), Texts{"NumberOfMessagesSent=0x1@120"});
}

TEST_F(SqsMetrics, ACallThatIsUndoneAndRunAgainCountsOnce) {
  const std::string url = make_queue("q");
  EXPECT_THROW(with_call([&](Call& call) {
                 send_message(call, {.QueueUrl = url, .MessageBody = "a"});
                 throw std::runtime_error("undone");
               }),
               std::runtime_error);
  send(url, "a");
  now_ = start_ + std::chrono::minutes(1);
  EXPECT_EQ(of("NumberOfMessagesSent", measure(true, false)), Texts{"NumberOfMessagesSent=1x1@0"});
}

TEST_F(SqsMetrics, OfAnInterestingQueueOnlyTheUsedMetricsArePublishedEverySecond) {
  const std::string url = make_queue("q");
  measure(false, true, {"ApproximateNumberOfMessagesVisible", "NumberOfMessagesSent"});
  send(url, "a");
  advance(std::chrono::seconds(1));
  EXPECT_EQ(measure(false, true, {"ApproximateNumberOfMessagesVisible", "NumberOfMessagesSent"}),
            (Texts{"ApproximateNumberOfMessagesVisible!=1x1@1", "NumberOfMessagesSent!=1x1@0"}));
  now_ = start_ + std::chrono::minutes(1);
  const Texts minute = measure(true, true, {"ApproximateNumberOfMessagesVisible", "NumberOfMessagesSent"});
  EXPECT_EQ(of("ApproximateNumberOfMessagesVisible", minute), Texts{"ApproximateNumberOfMessagesVisible!=1x1@60"});
  EXPECT_EQ(of("NumberOfMessagesSent", minute), Texts{});  // its sample is published already
  EXPECT_EQ(of("SentMessageSize", minute), Texts{"SentMessageSize=1x1@0"});
}

TEST_F(SqsMetrics, AChangeOfAnInterestingQueueWakesThePublisherAndIsMeasuredAtOnce) {
  const std::string url = make_queue("q"), other = make_queue("other");
  const std::string wake = std::string(kPublishTopic) + " x all";
  auto woken = [&] { return std::ranges::count(wakes(), wake); };
  send(url, "a");
  EXPECT_EQ(woken(), 0);
  measure(false, true, {"ApproximateNumberOfMessagesVisible"});
  advance(std::chrono::milliseconds(100));
  send(url, "b");
  EXPECT_EQ(woken(), 1);
  send(other, "b");
  EXPECT_EQ(woken(), 0);
  EXPECT_EQ(measure(false, false, {"ApproximateNumberOfMessagesVisible"}),
            Texts{"ApproximateNumberOfMessagesVisible!=2x1@0"});
  // Once more soon, in case that the snapshot was older than the change; then not again.
  ASSERT_TRUE(measured_.again);
  EXPECT_EQ(*measured_.again, now_ + std::chrono::milliseconds(20));
  EXPECT_EQ(measure(false, false, {"ApproximateNumberOfMessagesVisible"}), Texts{});
  advance(std::chrono::milliseconds(20));
  EXPECT_EQ(measure(false, false, {"ApproximateNumberOfMessagesVisible"}).size(), 1u);
  EXPECT_FALSE(measured_.again);
  advance(std::chrono::milliseconds(20));
  EXPECT_EQ(measure(false, false, {"ApproximateNumberOfMessagesVisible"}), Texts{});
}

TEST_F(SqsMetrics, ReceivesDeletionsVisibilityAndPurgesWakeThePublisher) {
  const std::string url = make_queue("q");
  send(url, "a");
  measure(false, true, {"ApproximateNumberOfMessagesVisible"});
  auto woken = [&] { return std::ranges::count(wakes(), std::string(kPublishTopic) + " x all"); };
  const Message message = receive(url, 1).at(0);
  EXPECT_EQ(woken(), 1);
  with_call([&](Call& call) { change_message_visibility(call, {url, *message.ReceiptHandle, 0}); });
  EXPECT_EQ(woken(), 1);
  remove(url, message);
  EXPECT_EQ(woken(), 1);
  with_call([&](Call& call) { purge_queue(call, {url}); });
  EXPECT_EQ(woken(), 1);
}

TEST_F(SqsMetrics, AQueueIsActiveForSixHoursAfterItsLastUseOrWhileItHoldsMessages) {
  const std::string empty = make_queue("empty"), full = make_queue("full");
  EXPECT_EQ(measure(true, false), Texts{});  // nobody used them
  attributes(empty);
  send(full, "a");
  EXPECT_EQ(of("ApproximateNumberOfMessagesVisible", measure(true, false)).size(), 2u);
  advance(std::chrono::hours(5));
  EXPECT_EQ(of("ApproximateNumberOfMessagesVisible", measure(true, false)).size(), 2u);
  advance(std::chrono::hours(1));
  EXPECT_EQ(of("ApproximateNumberOfMessagesVisible", measure(true, false)),
            Texts{"ApproximateNumberOfMessagesVisible=1x1@21600"});
}

TEST_F(SqsMetrics, AfterAStartQueuesWithMessagesAreActive) {
  make_queue("empty");
  send(make_queue("full"), "a");
  locals_.add<QueueActivity>();  // as after a start
  with_call([&](Call& call) { module_.recover(call); });
  EXPECT_EQ(of("ApproximateNumberOfMessagesVisible", measure(true, false)).size(), 1u);
}

TEST_F(SqsMetrics, ADeletedQueueHasNoMetrics) {
  const std::string url = make_queue("q");
  send(url, "a");
  with_call([&](Call& call) { delete_queue(call, {url}); });
  EXPECT_EQ(measure(true, true, {"ApproximateNumberOfMessagesVisible"}), Texts{});
}

TEST_F(SqsMetrics, TheAgeSkipsMessagesThatWereReceivedThreeTimes) {
  const std::string url = make_queue("q");
  send(url, "old");
  advance(std::chrono::seconds(10));
  for (int i = 0; i < 2; ++i) receive(url, 1, 0);
  send(url, "new");
  advance(std::chrono::seconds(5));
  auto age = [&] { return measure(false, true, {"ApproximateAgeOfOldestMessage"}); };
  EXPECT_EQ(age(), Texts{"ApproximateAgeOfOldestMessage!=15x1@15"});
  receive(url, 1, 0);
  receive(url, 1, 0);  // both have been received now, the old one three times
  EXPECT_EQ(age(), Texts{"ApproximateAgeOfOldestMessage!=5x1@15"});
}

TEST_F(SqsMetrics, TheAgeOfADeadLetterStartsWhenItIsMoved) {
  const std::string dead = make_queue("dead");
  const std::string url = make_queue(
      "q", {{"RedrivePolicy",
             R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead","maxReceiveCount":1})"}});
  send(url, "a");
  receive(url, 1, 0);
  advance(std::chrono::seconds(30));
  receive(url, 1, 0);
  advance(std::chrono::seconds(3));
  EXPECT_EQ(measure(false, true, {"ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible"}, "dead"),
            (Texts{"ApproximateAgeOfOldestMessage!=3x1@33", "ApproximateNumberOfMessagesVisible!=1x1@33"}));
}

TEST_F(SqsMetrics, AFifoQueueCountsGroupsInFlightAndDuplicates) {
  const std::string url = make_queue("q.fifo", {{"FifoQueue", "true"}, {"ContentBasedDeduplication", "true"}});
  for (const char* group : {"a", "a", "b"}) send_to_group(url, "x", group);
  SendMessageRequest twice{.QueueUrl = url, .MessageBody = "same"};
  twice.MessageGroupId = "c";
  for (int i = 0; i < 2; ++i) with_call([&](Call& call) { return send_message(call, twice); });
  receive(url, 3);
  now_ = start_ + std::chrono::minutes(1);
  with_call([&](Call& call) { call.tx.exec("UPDATE sqs_messages SET visible_at = visible_at + 60000"
                                           " WHERE receive_count > 0"); });
  const Texts all = measure(true, false);
  EXPECT_EQ(of("ApproximateNumberOfGroupsWithInflightMessages", all),
            Texts{"ApproximateNumberOfGroupsWithInflightMessages=2x1@60"});
  EXPECT_EQ(of("ApproximateNumberOfMessagesVisible", all), Texts{"ApproximateNumberOfMessagesVisible=1x1@60"});
  EXPECT_EQ(of("NumberOfMessagesSent", all), Texts{"NumberOfMessagesSent=1x4@0"});
  EXPECT_EQ(of("NumberOfDeduplicatedSentMessages", all), Texts{"NumberOfDeduplicatedSentMessages=1x1@0"});
}

TEST_F(SqsMetrics, ALongPollWithoutAMessageIsOneEmptyReceive) {
  const std::string url = make_queue("q");
  ReceiveMessageRequest request{.QueueUrl = url};
  request.WaitTimeSeconds = 5;
  const base::Time started = now_;
  auto run = [&] {
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, started, &locals_};
      receive_message(call, request);
    });
  };
  run();
  advance(std::chrono::seconds(2));
  run();
  advance(std::chrono::seconds(3));
  run();
  now_ = start_ + std::chrono::minutes(1);
  EXPECT_EQ(of("NumberOfEmptyReceives", measure(true, false)), Texts{"NumberOfEmptyReceives=1x1@0"});
}

// Counts the statements of a transaction.
class CountedTx final : public store::Tx {
 public:
  explicit CountedTx(store::Tx& tx) : tx_(tx) {}
  std::int64_t run(std::string_view sql, std::span<const store::Param> params, const EachRow& each) override {
    ++statements;
    return tx_.run(sql, params, each);
  }

  int statements = 0;

 private:
  store::Tx& tx_;
};

TEST_F(SqsMetrics, TenThousandIdleQueuesCostNothing) {
  const std::string url = make_queue("used");
  with_call([&](Call& call) {
    call.tx.exec("INSERT INTO sqs_queues (account, region, name, lot, next_sequence, created_at, modified_at, fifo,"
                 " delay_s, max_message_bytes, retention_s, receive_wait_s, visibility_s, content_deduplication,"
                 " attributes, tags) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
                 " SELECT $1, 'us-east-1', 'idle' || i, 1000000 + i, 0, 0, 0, 0, 0, 1024, 60, 0, 30, 0, '{}', '{}' FROM n",
                 caller_.account);
    add_usage(call.tx, caller_.account, {.queues = 10000});
  });
  auto statements = [&](bool minute, bool second, const std::set<MetricKey>& interest) {
    int count = 0;
    store_->read_now([&](store::Tx& tx) {
      CountedTx counted(tx);
      Call call{counted, nobody_, now_, now_, &locals_};
      meter_.measure(call, {minute, second, interest});
      count = counted.statements;
    });
    return count;
  };
  EXPECT_EQ(statements(true, true, {}), 0);
  send(url, "a");
  const int of_one = statements(true, false, {});
  EXPECT_GT(of_one, 0);
  EXPECT_LE(of_one, 5);
  const MetricKey depth{caller_.account, "us-east-1", "AWS/SQS", "ApproximateNumberOfMessagesVisible",
                        {{"QueueName", "idle7"}}};
  EXPECT_LE(statements(false, true, {depth}), 5);
  EXPECT_EQ(statements(false, false, {depth}), 0);
}

TEST_F(SqsMetrics, VeryManyDistinctSizesAreRoundedUp) {
  QueueActivity activity;
  QueueEvents events;
  for (std::int64_t size = 1; size <= 1000; ++size) events.sent_sizes.push_back(size);
  activity.add(1, start_, events);
  const Samples samples = activity.take(1, Counter::SentSize, start_ + std::chrono::minutes(1)).begin()->second;
  EXPECT_EQ(samples.size(), QueueActivity::kMaxDistinctSizes);
  double count = 0;
  for (const auto& [size, times] : samples) count += times;
  EXPECT_EQ(count, 1000);
}

}  // namespace
}  // namespace services::sqs
