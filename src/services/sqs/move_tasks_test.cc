// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

using std::chrono::milliseconds;

constexpr char kDeadArn[] = "arn:aws:sqs:us-east-1:111111111111:dead";

class MoveTasks : public SqsTest {
 protected:
  MoveTasks() {
    dead_ = make_queue("dead");
    source_ = make_queue("q", {{"RedrivePolicy", std::string(R"({"deadLetterTargetArn":")") + kDeadArn +
                                                     R"(","maxReceiveCount":1})"}});
  }

  // Puts `count` messages into the dead-letter queue by way of their source.
  void bury(int count) {
    for (int i = 0; i < count; ++i) send(source_, "m" + std::to_string(i));
    while (!receive(source_, 10, 0).empty()) {
    }
    advance(milliseconds(1));
  }
  std::string start(StartMessageMoveTaskRequest request = {.SourceArn = kDeadArn}) {
    return *with_call([&](Call& call) { return start_message_move_task(call, request); }).TaskHandle;
  }
  // Takes turns of the loop until it has nothing to do, each at the time when it is due.
  void run_to_end() {
    for (int turn = 0; turn < 1000; ++turn) {
      auto next = take_turn("sqs moves");
      if (!next) return;
      now_ = std::max(now_, *next);
    }
    FAIL() << "a move task did not end";
  }
  ListMessageMoveTasksResultEntry latest() {
    return with_call([](Call& call) { return list_message_move_tasks(call, {kDeadArn, {}}); }).Results->at(0);
  }

  std::string dead_, source_;
};

TEST_F(MoveTasks, MoveMessagesBackToTheirSourceAsNewOnes) {
  bury(3);
  ASSERT_EQ(counts(dead_), "3/0/0");
  start();
  run_to_end();
  EXPECT_EQ(counts(dead_), "0/0/0");
  auto messages = receive(source_);
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(messages[0].Attributes->at("ApproximateReceiveCount"), "1");
  EXPECT_EQ(latest().Status, "COMPLETED");
  EXPECT_EQ(latest().ApproximateNumberOfMessagesMoved, 3);
  EXPECT_EQ(latest().ApproximateNumberOfMessagesToMove, 3);
}

TEST_F(MoveTasks, MoveNoFasterThanTheirRate) {
  bury(30);
  const base::Time began = now_;
  start({.SourceArn = kDeadArn, .MaxNumberOfMessagesPerSecond = 10});
  run_to_end();
  EXPECT_GE(now_ - began, std::chrono::seconds(3));
  EXPECT_EQ(counts(source_), "30/0/0");
}

TEST_F(MoveTasks, StopWhenCancelledAndReportTheNumberOfMovedMessages) {
  bury(10);
  std::string handle = start({.SourceArn = kDeadArn, .MaxNumberOfMessagesPerSecond = 1});
  EXPECT_EQ(latest().TaskHandle, handle);
  advance(std::chrono::seconds(3));
  take_turn("sqs moves");
  auto cancelled = with_call([&](Call& call) { return cancel_message_move_task(call, {handle}); });
  EXPECT_EQ(cancelled.ApproximateNumberOfMessagesMoved, 3);
  run_to_end();
  EXPECT_EQ(latest().Status, "CANCELLED");
  EXPECT_EQ(counts(dead_), "7/0/0");
}

TEST_F(MoveTasks, FailWhereTheSourceOfAMessageIsUnknown) {
  send(dead_, "sent here directly");
  start();
  run_to_end();
  EXPECT_EQ(latest().Status, "FAILED");
  EXPECT_EQ(latest().FailureReason, "CouldNotDetermineMessageSource");
}

TEST_F(MoveTasks, RunOneAtATimeForAQueueAndOnlyForDeadLetterQueues) {
  bury(1);
  start();
  EXPECT_EQ(error_of([&] { start(); }), "InvalidParameterValueException");
  EXPECT_EQ(error_of([&] { start({.SourceArn = "arn:aws:sqs:us-east-1:111111111111:q"}); }),
            "InvalidParameterValueException");
  EXPECT_EQ(error_of([&] { start({.SourceArn = "arn:aws:sqs:us-east-1:111111111111:none"}); }),
            "ResourceNotFoundException");
}

}  // namespace
}  // namespace services::sqs
