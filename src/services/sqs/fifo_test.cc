// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

using std::chrono::seconds;
using Bodies = std::vector<std::string>;

class Fifo : public SqsTest {
 protected:
  std::string url_ = make_queue("q.fifo", {{"FifoQueue", "true"}});
};

TEST_F(Fifo, AGroupIsDeliveredInOrderAndHeldWhileOneOfItIsInFlight) {
  for (std::string body : {"1", "2", "3"}) send_to_group(url_, body, "g");
  auto first = receive(url_, 1);
  ASSERT_EQ(*first[0].Body, "1");
  EXPECT_TRUE(receive(url_).empty());
  EXPECT_EQ(counts(url_), "2/1/0");
  remove(url_, first[0]);
  EXPECT_EQ(receive_bodies(url_), (Bodies{"2", "3"}));
}

TEST_F(Fifo, OtherGroupsAreNotHeldUp) {
  for (std::string body : {"a1", "a2"}) send_to_group(url_, body, "a");
  for (std::string body : {"b1", "b2"}) send_to_group(url_, body, "b");
  EXPECT_EQ(receive_bodies(url_, 1), Bodies{"a1"});
  EXPECT_EQ(receive_bodies(url_), (Bodies{"b1", "b2"}));
  EXPECT_TRUE(receive(url_).empty());
}

TEST_F(Fifo, AfterATimeoutTheOrderIsTheSame) {
  for (std::string body : {"1", "2", "3"}) send_to_group(url_, body, "g");
  EXPECT_EQ(receive_bodies(url_, 2, 10), (Bodies{"1", "2"}));
  advance(seconds(10));
  EXPECT_EQ(receive_bodies(url_), (Bodies{"1", "2", "3"}));
}

TEST_F(Fifo, AMessageInFlightHoldsThoseBehindIt) {
  for (std::string body : {"1", "2", "3"}) send_to_group(url_, body, "g");
  auto held = receive(url_, 2, 10);
  with_call([&](Call& call) { change_message_visibility(call, {url_, *held[1].ReceiptHandle, 60}); });
  advance(seconds(10));
  EXPECT_EQ(receive_bodies(url_, 10, 40), Bodies{"1"});
  advance(seconds(45));
  EXPECT_EQ(receive_bodies(url_, 10, 1), Bodies{"1"});
  advance(seconds(5));
  EXPECT_EQ(receive_bodies(url_), (Bodies{"1", "2", "3"}));
}

TEST_F(Fifo, DeletingInAnyOrderNeverLetsALaterMessageOvertake) {
  for (std::string body : {"1", "2", "3"}) send_to_group(url_, body, "g");
  auto held = receive(url_, 2, 10);
  remove(url_, held[1]);
  EXPECT_TRUE(receive(url_).empty());
  advance(seconds(10));
  EXPECT_EQ(receive_bodies(url_), (Bodies{"1", "3"}));
}

TEST_F(Fifo, AnExpiredHandleCannotDelete) {
  send_to_group(url_, "1", "g");
  auto held = receive(url_, 1, 10);
  advance(seconds(10));
  EXPECT_EQ(error_of([&] { remove(url_, held[0]); }), "InvalidParameterValueException");
}

TEST_F(Fifo, ADuplicateWithinFiveMinutesReturnsTheFirstMessage) {
  SendMessageRequest request{.QueueUrl = url_, .MessageBody = "m"};
  request.MessageGroupId = "g";
  request.MessageDeduplicationId = "d";
  auto first = with_call([&](Call& call) { return send_message(call, request); });
  remove(url_, receive(url_)[0]);
  advance(seconds(299));
  auto second = with_call([&](Call& call) { return send_message(call, request); });
  EXPECT_EQ(first.MessageId, second.MessageId);
  EXPECT_EQ(first.SequenceNumber, second.SequenceNumber);
  EXPECT_TRUE(receive(url_).empty());
  advance(seconds(1));
  auto third = with_call([&](Call& call) { return send_message(call, request); });
  EXPECT_NE(first.MessageId, third.MessageId);
  EXPECT_GT(*third.SequenceNumber, *first.SequenceNumber);
  EXPECT_EQ(receive(url_).size(), 1u);
}

TEST_F(Fifo, ADeletedQueueLeavesNoDeduplicationIds) {
  SendMessageRequest request{.QueueUrl = url_, .MessageBody = "m"};
  request.MessageGroupId = "g";
  request.MessageDeduplicationId = "d";
  for (int round = 0; round < 3; ++round) {
    with_call([&](Call& call) { send_message(call, request); });
    EXPECT_EQ(receive(url_).size(), 1u);
    with_call([&](Call& call) { delete_queue(call, {url_}); });
    sweep_all();
    make_queue("q.fifo", {{"FifoQueue", "true"}});
  }
}

TEST_F(Fifo, DeduplicationCanBeWithinAGroup) {
  with_call([&](Call& call) {
    set_queue_attributes(call, {url_, {{"DeduplicationScope", "messageGroup"}, {"ContentBasedDeduplication", "true"}}});
  });
  for (std::string group : {"a", "a", "b"}) {
    SendMessageRequest request{.QueueUrl = url_, .MessageBody = "same"};
    request.MessageGroupId = group;
    with_call([&](Call& call) { send_message(call, request); });
  }
  EXPECT_EQ(counts(url_), "2/0/0");
}

TEST_F(Fifo, TheSameAttemptReceivesTheSameMessages) {
  for (std::string body : {"1", "2"}) send_to_group(url_, body, "g");
  ReceiveMessageRequest request{.QueueUrl = url_, .VisibilityTimeout = 30, .ReceiveRequestAttemptId = "try"};
  auto first = receive(request);
  advance(seconds(20));
  auto again = receive(request);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(first[0].ReceiptHandle, again[0].ReceiptHandle);
  advance(seconds(20));
  EXPECT_EQ(counts(url_), "1/1/0");
  remove(url_, first[0]);
  EXPECT_EQ(*receive(request)[0].Body, "2");
}

TEST_F(Fifo, ADeadOrExpiredHeadOfAGroupUnblocksTheNextMessage) {
  make_queue("dead.fifo", {{"FifoQueue", "true"}});
  const std::string redrive =
      R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead.fifo","maxReceiveCount":1})";
  with_call([&](Call& call) {
    set_queue_attributes(call, {url_, {{"RedrivePolicy", redrive}, {"MessageRetentionPeriod", "60"}}});
  });
  send_to_group(url_, "poison", "g");
  advance(seconds(5));
  for (std::string body : {"2", "3"}) send_to_group(url_, body, "g");
  EXPECT_EQ(receive_bodies(url_, 1, 1), Bodies{"poison"});
  advance(seconds(1));
  EXPECT_EQ(receive_bodies(url_, 1, 1), Bodies{"2"});
  EXPECT_EQ(receive_bodies(caller_.endpoint + "/111111111111/dead.fifo"), Bodies{"poison"});
  advance(seconds(58));
  send_to_group(url_, "4", "g");
  advance(seconds(1));
  EXPECT_EQ(receive_bodies(url_), Bodies{"4"});
}

TEST_F(Fifo, AnExpiredBacklogIsDeletedAndDoesNotHideALaterMessage) {
  with_call([&](Call& call) { set_queue_attributes(call, {url_, {{"MessageRetentionPeriod", "60"}}}); });
  for (int i = 0; i < 700; ++i) send_to_group(url_, "old", "g");
  advance(seconds(60));
  send_to_group(url_, "young", "g");
  EXPECT_EQ(receive_bodies(url_, 1, 0), Bodies{"young"});
  for (int i = 0; i < 700; ++i) send_to_group(url_, "old", "h");
  advance(seconds(60));
  sweep_all();
  EXPECT_EQ(count_rows("sqs_messages"), 0);
}

TEST_F(Fifo, AnAttemptThatCannotBeRepeatedChangesNothing) {
  for (std::string body : {"1", "2"}) send_to_group(url_, body, "g");
  ReceiveMessageRequest request{.QueueUrl = url_, .MaxNumberOfMessages = 10, .VisibilityTimeout = 5,
                                .ReceiveRequestAttemptId = "try"};
  auto first = receive(request);
  remove(url_, first[1]);
  request.VisibilityTimeout = 600;
  EXPECT_TRUE(receive(request).empty());
  advance(seconds(5));
  EXPECT_EQ(receive_bodies(url_), Bodies{"1"});
}

TEST_F(Fifo, AChangedDelayAppliesToTheMessagesInTheQueue) {
  send_to_group(url_, "1", "g");
  with_call([&](Call& call) { set_queue_attributes(call, {url_, {{"DelaySeconds", "10"}}}); });
  EXPECT_TRUE(receive(url_).empty());
  advance(seconds(10));
  EXPECT_EQ(receive_bodies(url_), Bodies{"1"});
}

}  // namespace
}  // namespace services::sqs
