// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "services/directory.h"
#include "services/invoke.h"
#include "services/sqs/metrics.h"
#include "services/sqs/sqs_fixture.h"
#include "shapes/stoker/pipeline_hooks.h"

namespace services::sqs {
namespace {

using shapes::stoker::BuryMessage;
using shapes::stoker::FindMissingMessages;
using shapes::stoker::MessageDeadLettered;
using shapes::stoker::MissingMessages;
using shapes::stoker::PrioritizeMessage;
using shapes::stoker::RemoveMessage;
using testing::ElementsAre;
using testing::IsEmpty;

struct DeadLetters {
  std::vector<MessageDeadLettered> all;
  std::vector<Caller> senders;
};

void record_dead_letter(Call& call, const MessageDeadLettered& dead) {
  call.local<DeadLetters>().all.push_back(dead);
  call.local<DeadLetters>().senders.push_back(call.caller);
}

class TrackedMessage : public SqsTest {
 protected:
  TrackedMessage() {
    directory_.add("sqs", module_.internal_operations);
    directory_.add("pipelines", {operation<&record_dead_letter>("MessageDeadLettered", Access::Write)});
  }

  template <class Input>
  void invoke_sqs(const char* name, const Input& input, const std::string& account = "111111111111") {
    with_call([&](Call& call) {
      call.directory = &directory_;
      invoke(call, as_service(call, "pipelines.stoker", "", account), "sqs", name, input);
    });
  }
  void prioritize(const std::string& id, std::int64_t priority) {
    invoke_sqs("PrioritizeMessage", PrioritizeMessage{arn_, id, now_, priority});
  }
  void remove_by_id(const std::string& id, base::Time sent_at) {
    invoke_sqs("RemoveMessage", RemoveMessage{arn_, id, sent_at});
  }
  void bury(const std::string& queue, const std::string& id, base::Time sent_at) {
    invoke_sqs("BuryMessage", BuryMessage{"arn:aws:sqs:us-east-1:111111111111:" + queue, id, sent_at});
  }
  std::vector<std::string> missing(const std::vector<shapes::stoker::SentMessage>& messages) {
    return with_call([&](Call& call) {
      call.directory = &directory_;
      return invoke<MissingMessages>(call, as_service(call, "pipelines.stoker", "", "111111111111"), "sqs",
                                     "FindMissingMessages", FindMissingMessages{arn_, messages})
          .messageIds;
    });
  }
  std::string send_one(const std::string& body) { return *send(url_, body).MessageId; }

  Directory directory_;
  DeadLetters& dead_letters_ = locals_.add<DeadLetters>();
  const std::string url_ = make_queue("q");
  const std::string arn_ = "arn:aws:sqs:us-east-1:111111111111:q";
};

TEST_F(TrackedMessage, AHigherPriorityIsReceivedFirstWhateverTheOrderOfArrival) {
  prioritize(send_one("two"), 2);
  advance(std::chrono::hours(20));
  send_one("none");
  prioritize(send_one("nine"), 9);
  prioritize(send_one("one"), 1);
  EXPECT_THAT(receive_bodies(url_), ElementsAre("nine", "two", "one", "none"));
}

TEST_F(TrackedMessage, PrioritizedMessagesAreCountedAndNotTakenForExpired) {
  prioritize(send_one("a"), 9);
  advance(std::chrono::hours(1));
  EXPECT_EQ(counts(url_), "1/0/0");
  sweep_all();
  EXPECT_EQ(counts(url_), "1/0/0");
  const QueueLevels levels = with_call([&](Call& call) {
    return read_levels(call.tx, *load_queue(call.tx, QueueName{"111111111111", "us-east-1", "q"}), now_);
  });
  EXPECT_EQ(levels.visible, 1);
  EXPECT_EQ(levels.age_s, 3600);
  advance(std::chrono::days(4));
  sweep_all();
  EXPECT_EQ(count_rows("sqs_messages"), 0);
}

TEST_F(TrackedMessage, TheAgeInADeadLetterQueueDoesNotCountAPriority) {
  make_queue("source", {{"RedrivePolicy", R"({"deadLetterTargetArn":")" + arn_ + R"(","maxReceiveCount":"1"})"}});
  prioritize(send_one("a"), 9);
  advance(std::chrono::minutes(2));
  const QueueLevels levels = with_call([&](Call& call) {
    return read_levels(call.tx, *load_queue(call.tx, QueueName{"111111111111", "us-east-1", "q"}), now_);
  });
  EXPECT_EQ(levels.age_s, 120);
}

TEST_F(TrackedMessage, AReceivedMessageKeepsItsPlace) {
  const std::string id = send_one("a");
  const base::Time sent = now_;
  receive(url_, 1, 10);
  invoke_sqs("PrioritizeMessage", PrioritizeMessage{arn_, id, sent, 5});
  EXPECT_EQ(counts(url_), "0/1/0");
}

TEST_F(TrackedMessage, ADelayedMessageStaysDelayed) {
  const std::string url = make_queue("slow", {{"DelaySeconds", "30"}});
  const std::string id = *send(url, "a").MessageId;
  invoke_sqs("PrioritizeMessage", PrioritizeMessage{"arn:aws:sqs:us-east-1:111111111111:slow", id, now_, 5});
  EXPECT_EQ(counts(url), "0/0/1");
}

TEST_F(TrackedMessage, AMessageIsRemovedWhetherItWasReceivedOrNot) {
  const base::Time sent = now_;
  const std::string waiting = send_one("waiting"), held = send_one("held"), urgent = send_one("urgent");
  prioritize(urgent, 3);
  advance(std::chrono::seconds(5));
  const auto first = receive(url_, 1);
  ASSERT_EQ(first.at(0).Body, "urgent");
  remove_by_id(urgent, sent);
  EXPECT_EQ(counts(url_), "2/0/0");
  remove_by_id(waiting, sent);
  EXPECT_EQ(counts(url_), "1/0/0");
  remove_by_id(waiting, sent);
  EXPECT_THAT(receive_bodies(url_), ElementsAre("held"));
  remove_by_id(held, sent);
  EXPECT_EQ(counts(url_), "0/0/0");
  EXPECT_EQ(error_of([&] {
              with_call([&](Call& call) {
                change_message_visibility(call, {url_, *first.at(0).ReceiptHandle, 60});
              });
            }),
            "InvalidParameterValueException");
}

TEST_F(TrackedMessage, ALargePrioritizedMessageIsRemovedWithItsBody) {
  const std::string id = send_one(std::string(100000, 'x'));
  prioritize(id, 9);
  remove_by_id(id, now_);
  EXPECT_EQ(count_rows("sqs_messages"), 0);
  EXPECT_EQ(count_rows("sqs_large_bodies"), 0);
}

TEST_F(TrackedMessage, OtherAccountsCanNotRemoveIt) {
  const std::string id = send_one("a");
  invoke_sqs("RemoveMessage", RemoveMessage{arn_, id, now_}, "222222222222");
  EXPECT_EQ(counts(url_), "1/0/0");
}

TEST_F(TrackedMessage, TheNextOfAGroupFollowsARemovedOne) {
  const std::string url = make_queue("q.fifo", {{"FifoQueue", "true"}});
  const std::string id = *send_to_group(url, "a", "g").MessageId;
  send_to_group(url, "b", "g");
  invoke_sqs("RemoveMessage", RemoveMessage{"arn:aws:sqs:us-east-1:111111111111:q.fifo", id, now_});
  EXPECT_THAT(receive_bodies(url), ElementsAre("b"));
}

TEST_F(TrackedMessage, AMessageIsBuriedWhileSomeoneHoldsIt) {
  const std::string dead = make_queue("dead");
  const std::string source = make_queue(
      "source", {{"RedrivePolicy",
                  R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead","maxReceiveCount":"9"})"}});
  const std::string id = *send(source, "a").MessageId;
  const base::Time sent = now_;
  const auto held = receive(source, 1);
  advance(std::chrono::seconds(3));
  bury("source", id, sent);
  EXPECT_EQ(counts(source), "0/0/0");
  EXPECT_EQ(counts(dead), "1/0/0");
  EXPECT_EQ(error_of([&] {
              with_call([&](Call& call) { change_message_visibility(call, {source, *held.at(0).ReceiptHandle, 0}); });
            }),
            "InvalidParameterValueException");
  bury("source", id, sent);
  EXPECT_THAT(receive_bodies(dead), ElementsAre("a"));
  EXPECT_THAT(dead_letters_.all, IsEmpty());
}

TEST_F(TrackedMessage, WithoutADeadLetterQueueABuriedMessageIsDeleted) {
  const std::string id = send_one("a");
  bury("q", id, now_);
  EXPECT_EQ(count_rows("sqs_messages"), 0);
}

TEST_F(TrackedMessage, OnlyMessagesThatAreGoneAreMissing) {
  const base::Time sent = now_;
  const std::string waiting = send_one("waiting"), gone = send_one("gone"), urgent = send_one("urgent");
  prioritize(urgent, 7);
  remove_by_id(gone, sent);
  receive(url_, 1);
  EXPECT_THAT(missing({{waiting, sent}, {gone, sent}, {urgent, sent}}), ElementsAre(gone));
  // Its time does not lead to it, as after a change of the queue's delay.
  EXPECT_THAT(missing({{waiting, sent - std::chrono::seconds(30)}}), IsEmpty());
}

TEST_F(TrackedMessage, AMoveToADeadLetterQueueIsAnnounced) {
  make_queue("dead");
  const std::string source = make_queue(
      "source", {{"RedrivePolicy",
                  R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead","maxReceiveCount":"2"})"}});
  const std::string id = *send(source, "a").MessageId;
  auto receive_announced = [&] {
    with_call([&](Call& call) {
      call.directory = &directory_;
      ReceiveMessageRequest request{.QueueUrl = source};
      request.VisibilityTimeout = 0;
      receive_message(call, request);
    });
  };
  receive_announced();
  receive_announced();
  EXPECT_THAT(dead_letters_.all, IsEmpty());
  receive_announced();
  ASSERT_EQ(dead_letters_.all.size(), 1u);
  EXPECT_EQ(dead_letters_.all[0].queueArn, "arn:aws:sqs:us-east-1:111111111111:source");
  EXPECT_EQ(dead_letters_.all[0].messageId, id);
  EXPECT_EQ(dead_letters_.all[0].receives, 2);
  EXPECT_EQ(dead_letters_.senders[0].account, "111111111111");
}

}  // namespace
}  // namespace services::sqs
