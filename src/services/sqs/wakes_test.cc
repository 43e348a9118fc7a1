// SPDX-License-Identifier: Apache-2.0
// Which waiters each operation wakes: those that it forgets would wait until their deadline.
#include <gmock/gmock.h>

#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Wakes : public SqsTest {
 protected:
  std::string topic(const std::string& name) {
    return with_call([&](Call& call) { return load_queue(call.tx, {"111111111111", "us-east-1", name})->topic(); });
  }
  static std::string redrive_to(const std::string& name) {
    return R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:)" + name + R"(","maxReceiveCount":1})";
  }

  const std::string url_ = make_queue("q"), fifo_url_ = make_queue("q.fifo", {{"FifoQueue", "true"}});
  const std::string topic_ = topic("q"), fifo_topic_ = topic("q.fifo");
};

TEST_F(Wakes, SendMessageWakesOneReceiver) {
  send(url_, "m");
  EXPECT_THAT(wakes(), ElementsAre(topic_ + " x 1"));
  send_to_group(fifo_url_, "m", "g");
  EXPECT_THAT(wakes(), ElementsAre(fifo_topic_ + " x 1"));
}

TEST_F(Wakes, SendMessageBatchWakesAReceiverForEachMessage) {
  SendMessageBatchRequest request{.QueueUrl = url_};
  for (std::string id : {"a", "b", "c"}) request.Entries.push_back({.Id = id, .MessageBody = "m"});
  request.Entries.push_back({.Id = "invalid", .MessageBody = "m", .DelaySeconds = 901});
  with_call([&](Call& call) { send_message_batch(call, request); });
  EXPECT_THAT(wakes(), ElementsAre(topic_ + " x 3"));
}

TEST_F(Wakes, ReceiveMessageWakesAReceiverOfTheDeadLetterQueueToWhichItMovesAMessage) {
  make_queue("dead");
  const std::string source = make_queue("source", {{"RedrivePolicy", redrive_to("dead")}});
  const std::string dead_topic = topic("dead");
  send(source, "poison");
  receive(source, 1, 0);
  EXPECT_THAT(wakes(), IsEmpty());
  EXPECT_TRUE(receive(source).empty());
  EXPECT_THAT(wakes(), ElementsAre(dead_topic + " x 1"));
}

TEST_F(Wakes, DeleteMessageWakesAReceiverOfTheNextMessageInTheGroup) {
  for (std::string body : {"1", "2"}) send_to_group(fifo_url_, body, "g");
  remove(fifo_url_, receive(fifo_url_, 1)[0]);
  EXPECT_THAT(wakes(), ElementsAre(fifo_topic_ + " x 1"));
}

TEST_F(Wakes, DeleteMessageBatchWakesAReceiverForEachMessage) {
  for (std::string body : {"1", "2"}) send_to_group(fifo_url_, body, "g");
  DeleteMessageBatchRequest request{.QueueUrl = fifo_url_};
  for (const Message& message : receive(fifo_url_, 2)) {
    request.Entries.push_back({.Id = *message.Body, .ReceiptHandle = *message.ReceiptHandle});
  }
  with_call([&](Call& call) { delete_message_batch(call, request); });
  EXPECT_THAT(wakes(), ElementsAre(fifo_topic_ + " x 1", fifo_topic_ + " x 1"));
}

TEST_F(Wakes, ChangeMessageVisibilityWakesAReceiver) {
  send(url_, "m");
  const Message message = receive(url_)[0];
  with_call([&](Call& call) { change_message_visibility(call, {url_, *message.ReceiptHandle, 0}); });
  EXPECT_THAT(wakes(), ElementsAre(topic_ + " x 1"));
}

TEST_F(Wakes, ChangeMessageVisibilityBatchWakesAReceiverForEachMessage) {
  for (std::string body : {"1", "2"}) send(url_, body);
  ChangeMessageVisibilityBatchRequest request{.QueueUrl = url_};
  for (const Message& message : receive(url_)) {
    request.Entries.push_back({.Id = *message.Body, .ReceiptHandle = *message.ReceiptHandle, .VisibilityTimeout = 0});
  }
  with_call([&](Call& call) { change_message_visibility_batch(call, request); });
  EXPECT_THAT(wakes(), ElementsAre(topic_ + " x 1", topic_ + " x 1"));
}

TEST_F(Wakes, SetQueueAttributesWakesAllReceivers) {
  with_call([&](Call& call) { set_queue_attributes(call, {url_, {{"DelaySeconds", "1"}}}); });
  EXPECT_THAT(wakes(), ElementsAre(topic_ + " x all"));
}

TEST_F(Wakes, DeleteQueueWakesAllReceiversAndTheSweep) {
  with_call([&](Call& call) { delete_queue(call, {url_}); });
  EXPECT_THAT(wakes(), UnorderedElementsAre(topic_ + " x all", "sqs/sweep x all"));
}

TEST_F(Wakes, PurgeQueueWakesTheSweep) {
  with_call([&](Call& call) { purge_queue(call, {url_}); });
  EXPECT_THAT(wakes(), ElementsAre("sqs/sweep x all"));
}

TEST_F(Wakes, StartMessageMoveTaskWakesTheMovesAndAMoveWakesAReceiverOfItsDestination) {
  make_queue("source", {{"RedrivePolicy", redrive_to("q")}});
  const std::string source_topic = topic("source");
  send(url_, "m");
  with_call([&](Call& call) {
    const auto arn = [](const std::string& name) { return "arn:aws:sqs:us-east-1:111111111111:" + name; };
    start_message_move_task(call, {.SourceArn = arn("q"), .DestinationArn = arn("source")});
  });
  EXPECT_THAT(wakes(), ElementsAre("sqs/moves x all"));
  take_turn("sqs moves");
  EXPECT_THAT(wakes(), ElementsAre(source_topic + " x 1"));
}

TEST_F(Wakes, TheSweepWakesAReceiverOfTheMessageBehindAnExpiredOne) {
  with_call([&](Call& call) { set_queue_attributes(call, {fifo_url_, {{"MessageRetentionPeriod", "60"}}}); });
  send_to_group(fifo_url_, "old", "g");
  advance(seconds(30));
  send_to_group(fifo_url_, "young", "g");
  receive(fifo_url_, 1, 600);
  advance(seconds(30));
  take_turn("sqs sweep");
  EXPECT_THAT(wakes(), ElementsAre(fifo_topic_ + " x 1"));
  EXPECT_EQ(receive_bodies(fifo_url_), std::vector<std::string>{"young"});
}

TEST_F(Wakes, OperationsThatMakeNothingReceivableWakeNobody) {
  send(url_, "m");
  const Message message = receive(url_)[0];
  EXPECT_THAT(wakes(), IsEmpty());
  remove(url_, message);
  EXPECT_THAT(wakes(), IsEmpty());
  attributes(url_);
  EXPECT_THAT(wakes(), IsEmpty());
}

}  // namespace
}  // namespace services::sqs
