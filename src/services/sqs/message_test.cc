// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/message.h"
#include "services/sqs/receipt.h"
#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

using Messages = SqsTest;
using std::chrono::seconds;
using Bodies = std::vector<std::string>;

TEST_F(Messages, AReceivedMessageIsInvisibleUntilItsTimeoutAndThenReceivedAgain) {
  std::string url = make_queue("q");
  send(url, "m");
  EXPECT_EQ(receive_bodies(url, 1, 30), Bodies{"m"});
  EXPECT_EQ(counts(url), "0/1/0");
  advance(seconds(29));
  EXPECT_TRUE(receive(url).empty());
  advance(seconds(1));
  EXPECT_EQ(counts(url), "1/0/0");
  auto again = receive(url);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].Attributes->at("ApproximateReceiveCount"), "2");
}

TEST_F(Messages, ADelayedMessageIsCountedAsDelayedUntilItsTime) {
  std::string url = make_queue("q", {{"DelaySeconds", "10"}});
  send(url, "m");
  EXPECT_EQ(counts(url), "0/0/1");
  EXPECT_TRUE(receive(url).empty());
  advance(seconds(10));
  EXPECT_EQ(receive_bodies(url), Bodies{"m"});
}

TEST_F(Messages, ALongPollWaitsForItsQueueAndForTheNextMessageToBecomeVisible) {
  std::string url = make_queue("q");
  ReceiveMessageRequest request{.QueueUrl = url};
  request.WaitTimeSeconds = 20;
  EXPECT_TRUE(receive(request).empty());
  ASSERT_TRUE(wait_);
  EXPECT_EQ(wait_->until, now_ + seconds(20));
  EXPECT_FALSE(wait_->again);
  const std::string topic = wait_->topic;
  SendMessageRequest later{.QueueUrl = url, .MessageBody = "m"};
  later.DelaySeconds = 5;
  with_call([&](Call& call) { send_message(call, later); });
  ASSERT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_[0].topic, topic);
  EXPECT_EQ(wakes_[0].most, 1u);
  EXPECT_TRUE(receive(request).empty());
  EXPECT_EQ(wait_->again, now_ + seconds(5));
  advance(seconds(5));
  EXPECT_EQ(receive(request).size(), 1u);
  EXPECT_FALSE(wait_);
}

TEST_F(Messages, LargeBodiesAreReceivedWholeAndDeletedWithTheirMessage) {
  std::string url = make_queue("q");
  const std::string body(1000000, 'x');
  send(url, body);
  auto messages = receive(url);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(*messages[0].Body, body);
  remove(url, messages[0]);
  EXPECT_EQ(count_rows("sqs_large_bodies"), 0);
}

TEST_F(Messages, AnOlderHandleOfAMessageRemainsValid) {
  std::string url = make_queue("q");
  send(url, "m");
  auto first = receive(url, 1, 1);
  advance(seconds(1));
  auto second = receive(url, 1, 30);
  with_call([&](Call& call) { change_message_visibility(call, {url, *first[0].ReceiptHandle, 0}); });
  EXPECT_EQ(counts(url), "1/0/0");
  remove(url, first[0]);
  EXPECT_EQ(counts(url), "0/0/0");
  remove(url, second[0]);
}

TEST_F(Messages, AHandleOfADeletedMessageDoesNotDeleteALaterMessageInTheSameRow) {
  std::string url = make_queue("q");
  send(url, "first");
  auto messages = receive(url);
  remove(url, messages[0]);
  send(url, "second");
  remove(url, messages[0]);
  EXPECT_EQ(counts(url), "1/0/0");
}

TEST_F(Messages, AHandleThatTimedOutStillDeletesTheMessage) {
  std::string url = make_queue("q");
  send(url, "m");
  auto messages = receive(url, 1, 1);
  advance(seconds(5));
  remove(url, messages[0]);
  EXPECT_EQ(counts(url), "0/0/0");
}

TEST_F(Messages, InvalidHandlesAreRejected) {
  std::string url = make_queue("q"), other = make_queue("other");
  send(url, "m");
  auto messages = receive(url);
  for (std::string handle : {std::string("x"), std::string("AAAA"), messages[0].ReceiptHandle->substr(4)}) {
    EXPECT_EQ(error_of([&] { with_call([&](Call& call) { delete_message(call, {url, handle}); }); }),
              "ReceiptHandleIsInvalid");
  }
  EXPECT_EQ(error_of([&] { remove(other, messages[0]); }), "ReceiptHandleIsInvalid");
}

TEST_F(Messages, VisibilityCanBeChangedUpToTwelveHoursAfterTheReceive) {
  std::string url = make_queue("q");
  send(url, "m");
  auto messages = receive(url, 1, 30);
  auto change = [&](std::int32_t timeout_s) {
    return error_of([&] {
      with_call([&](Call& call) { change_message_visibility(call, {url, *messages[0].ReceiptHandle, timeout_s}); });
    });
  };
  EXPECT_EQ(change(43200), "");
  advance(seconds(1));
  EXPECT_EQ(change(43200), "InvalidParameterValueException");
  EXPECT_EQ(change(43199), "");
  EXPECT_EQ(change(0), "");
  EXPECT_EQ(counts(url), "1/0/0");
  EXPECT_EQ(change(10), "");
  EXPECT_EQ(counts(url), "0/1/0");
  remove(url, messages[0]);
  EXPECT_EQ(change(10), "InvalidParameterValueException");
}

TEST_F(Messages, AreMovedToTheDeadLetterQueueAfterTooManyReceives) {
  std::string dead = make_queue("dead");
  std::string url = make_queue(
      "q", {{"RedrivePolicy", R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead","maxReceiveCount":"2"})"}});
  auto sent = send(url, "poison");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(receive(url, 1, 1).size(), 1u);
    advance(seconds(1));
  }
  send(url, "good");
  EXPECT_EQ(receive_bodies(url), Bodies{"good"});
  auto messages = receive(dead);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].MessageId, sent.MessageId);
  EXPECT_EQ(messages[0].Attributes->at("DeadLetterQueueSourceArn"), "arn:aws:sqs:us-east-1:111111111111:q");
  EXPECT_EQ(messages[0].Attributes->at("ApproximateReceiveCount"), "3");
}

TEST_F(Messages, ADeadLetterIsAllowedItsNewQueuesOwnReceives) {
  std::string last = make_queue("last");
  std::string dead = make_queue(
      "dead", {{"RedrivePolicy", R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:last","maxReceiveCount":1})"}});
  std::string url = make_queue(
      "q", {{"RedrivePolicy", R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead","maxReceiveCount":1})"}});
  send(url, "poison");
  for (const std::string& queue : {url, dead}) {
    EXPECT_EQ(receive(queue, 1, 0).size(), 1u);
    EXPECT_EQ(receive(queue, 1, 0).size(), 0u);
  }
  auto messages = receive(last);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].Attributes->at("ApproximateReceiveCount"), "3");
}

TEST_F(Messages, AQueueMayBeItsOwnDeadLetterQueue) {
  std::string url = make_queue("q");
  SetQueueAttributesRequest request{
      url, {{"RedrivePolicy", R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:q","maxReceiveCount":1})"}}};
  with_call([&](Call& call) { set_queue_attributes(call, request); });
  send(url, "again");
  for (const char* count : {"1", "2", "3"}) {
    auto messages = receive(url, 1, 0);
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].Attributes->at("ApproximateReceiveCount"), count);
  }
}

TEST_F(Messages, AreTracedByTheHeaderOfTheirRequest) {
  std::string url = make_queue("q");
  caller_.trace = "Root=1-5759e988-bd862e3fe1be46a994272793";
  auto sent = send(url, "traced");
  EXPECT_FALSE(sent.MD5OfMessageSystemAttributes.has_value());
  auto messages = receive(url);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].Attributes->at("AWSTraceHeader"), caller_.trace);
}

TEST_F(Messages, ABatchesAnswerHasOnlyListsWithEntries) {
  std::string url = make_queue("q");
  SendMessageBatchRequest request{url, {{.Id = "a", .MessageBody = "one"}}};
  auto sent = with_call([&](Call& call) { return send_message_batch(call, request); });
  EXPECT_EQ(sent.Successful->size(), 1u);
  EXPECT_FALSE(sent.Failed.has_value());
  DeleteMessageBatchRequest wrong{url, {{"a", "no handle"}}};
  auto deleted = with_call([&](Call& call) { return delete_message_batch(call, wrong); });
  EXPECT_FALSE(deleted.Successful.has_value());
  EXPECT_EQ(deleted.Failed->size(), 1u);
}

TEST_F(Messages, ManyDeadMessagesDoNotHideADeliverableOne) {
  make_queue("dead");
  std::string url = make_queue(
      "q", {{"RedrivePolicy", R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead","maxReceiveCount":1})"}});
  for (int i = 0; i < 1500; ++i) send(url, "poison");
  while (counts(url).substr(0, 2) != "0/") receive(url, 10, 1);
  advance(seconds(2));
  send(url, "good");
  ReceiveMessageRequest patient{.QueueUrl = url, .WaitTimeSeconds = 20};
  EXPECT_TRUE(receive(patient).empty());
  ASSERT_TRUE(wait_);
  EXPECT_EQ(wait_->again, now_);  // to run again at once
  auto found = receive(patient);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(*found[0].Body, "good");
  EXPECT_EQ(counts(caller_.endpoint + "/111111111111/dead"), "1500/0/0");
}

TEST_F(Messages, AreNeverInFlightBeyondTheLimit) {
  std::string url = make_queue("q");
  constexpr int kLimit = 120000, kChunk = 600;
  Message one;
  for (int done = 0; done <= kLimit; done += kChunk) {
    with_call([&](Call& call) {
      SendMessageRequest request{.QueueUrl = url, .MessageBody = "m"};
      for (int i = 0; i < kChunk; ++i) send_message(call, request);
    });
  }
  for (int done = 0; done < kLimit; done += kChunk) {
    with_call([&](Call& call) {
      ReceiveMessageRequest request{.QueueUrl = url, .MaxNumberOfMessages = 10};
      for (int i = 0; i < kChunk / 10; ++i) one = receive_message(call, request).Messages->back();
    });
  }
  EXPECT_EQ(error_of([&] { receive(url); }), "OverLimit");
  remove(url, one);
  EXPECT_EQ(receive(url).size(), 1u);
  ReceiveMessageRequest patient{.QueueUrl = url, .WaitTimeSeconds = 1};
  EXPECT_TRUE(receive(patient).empty());
  EXPECT_TRUE(wait_);
}

TEST(MessageAttributesTest, AreStoredAsTheBytesThatAmazonHashes) {
  MessageAttributes attributes;
  attributes["b"] = {.StringValue = "two", .DataType = "Number.int"};
  attributes["a"] = {.BinaryValue = base::Blob{std::string("\0\1", 2)}, .DataType = "Binary"};
  std::string bytes = encode_attributes(attributes);
  EXPECT_EQ(bytes.substr(0, 5), std::string("\0\0\0\1a", 5));
  EXPECT_EQ(decode_attributes(bytes), attributes);
  EXPECT_TRUE(decode_attributes("").empty());
}

TEST(ReceiptTest, AHandleIdentifiesItsDelivery) {
  Receipt receipt{1, 2, 3, message_tag("id"), new_token(base::from_millis(1234567890123))};
  auto parsed = parse_handle(to_handle(receipt));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->seq, 3);
  EXPECT_EQ(received_at(*parsed), base::from_millis(1234567890123));
  std::string broken = to_handle(receipt);
  broken[3] = broken[3] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(parse_handle(broken));
}

}  // namespace
}  // namespace services::sqs
