// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/clock_repair.h"

#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

using namespace std::chrono_literals;

class ClockRepairTest : public SqsTest {
 protected:
  void restart() { with_call(module_.recover); }
};

class ClockAhead : public ClockRepairTest, public testing::WithParamInterface<std::chrono::hours> {};

// 26 hours: hardly more than what a server's clock makes up for.
INSTANTIATE_TEST_SUITE_P(By, ClockAhead, testing::Values(26h, 24h * 3650));

TEST_P(ClockAhead, MessagesAreReceivedAgain) {
  const std::string url = make_queue("q"), fifo = make_queue("q.fifo", {{"FifoQueue", "true"}});
  const base::Time right = now_;
  advance(GetParam());
  send(url, "sent");
  send(url, "received");
  EXPECT_EQ(receive(url, 1).size(), 1u);
  send_to_group(fifo, "first", "g");
  send_to_group(fifo, "second", "g");
  now_ = right;
  EXPECT_TRUE(receive(url).empty());
  restart();
  EXPECT_EQ(receive(url).size(), 2u);
  EXPECT_EQ(receive_bodies(fifo), std::vector<std::string>{"first"}) << "the group's order holds";
}

TEST_P(ClockAhead, ADeduplicationIdOfTheFutureIsForgotten) {
  const std::string url = make_queue("q.fifo", {{"FifoQueue", "true"}});
  SendMessageRequest request{.QueueUrl = url, .MessageBody = "x"};
  request.MessageGroupId = "g";
  request.MessageDeduplicationId = "d";
  const base::Time right = now_;
  advance(GetParam());
  with_call([&](Call& call) { return send_message(call, request); });
  now_ = right;
  restart();
  with_call([&](Call& call) { return send_message(call, request); });
  EXPECT_EQ(count_rows("sqs_messages"), 2);
}

TEST_F(ClockRepairTest, TimeoutsAndDelaysStay) {
  const std::string url = make_queue("q");
  send(url, "x");
  EXPECT_EQ(receive(url, 1, 12 * 3600).size(), 1u);
  with_call([&](Call& call) { return send_message(call, {.QueueUrl = url, .MessageBody = "y", .DelaySeconds = 900}); });
  restart();
  EXPECT_EQ(counts(url), "0/1/1");
}

TEST_F(ClockRepairTest, AStartBeforeTheMachinesClockIsSetChangesNothing) {
  const std::string url = make_queue("q"), fifo = make_queue("q.fifo", {{"FifoQueue", "true"}});
  SendMessageRequest once{.QueueUrl = fifo, .MessageBody = "x"};
  once.MessageGroupId = "g";
  once.MessageDeduplicationId = "d";
  with_call([&](Call& call) { return send_message(call, once); });
  send(url, "x");
  EXPECT_EQ(receive(url, 1, 600).size(), 1u);
  const base::Time right = now_;
  now_ = base::from_seconds(30);
  restart();
  now_ = right + 1min;
  EXPECT_EQ(counts(url), "0/1/0") << "it is still in flight";
  with_call([&](Call& call) { return send_message(call, once); });
  EXPECT_EQ(count_rows("sqs_messages"), 2) << "the second one is a duplicate";
}

TEST_F(ClockRepairTest, TimesAfterTheLastRecordedOneStay) {
  const std::string url = make_queue("q"), fifo = make_queue("q.fifo", {{"FifoQueue", "true"}});
  SendMessageRequest once{.QueueUrl = fifo, .MessageBody = "x"};
  once.MessageGroupId = "g";
  once.MessageDeduplicationId = "d";
  const base::Time recorded = now_;
  advance(1min);
  with_call([&](Call& call) { return send_message(call, {.QueueUrl = url, .MessageBody = "y", .DelaySeconds = 900}); });
  with_call([&](Call& call) { return send_message(call, once); });
  now_ = recorded;
  restart();
  EXPECT_EQ(counts(url), "0/0/1");
  with_call([&](Call& call) { return send_message(call, once); });
  EXPECT_EQ(count_rows("sqs_messages"), 2);
}

}  // namespace
}  // namespace services::sqs
