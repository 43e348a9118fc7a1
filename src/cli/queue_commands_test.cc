// SPDX-License-Identifier: Apache-2.0
// stoker queue
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kJobsUrl[] = R"({"QueueUrl":"http://h/111111111111/jobs"})";

class QueueCommands : public FakeServer {
 protected:
  template <class Command>
  std::string error_of(Command command) {
    try {
      command();
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::istringstream in_;
  std::ostringstream out_;
};

TEST_F(QueueCommands, TheListHasTheCountsAndTheAgeOfTheOldestMessage) {
  reply("ListQueues", R"({"QueueUrls":["http://h/111111111111/empty"],"NextToken":"t"})");
  reply("ListQueues", R"({"QueueUrls":["http://h/111111111111/jobs"]})");
  reply("GetQueueAttributes", R"({"Attributes":{"ApproximateNumberOfMessages":"0"}})");
  reply("GetQueueAttributes", R"({"Attributes":{"ApproximateNumberOfMessages":"3",)"
                              R"("ApproximateNumberOfMessagesNotVisible":"2","ApproximateNumberOfMessagesDelayed":"1"}})");
  reply("GetMetricData", R"({"MetricDataResults":[{"Id":"q0","Values":[120,60]}]})");
  EXPECT_EQ(queue_list(options_, out_), 0);
  EXPECT_EQ(out_.str(),
            "QUEUE  VISIBLE  IN FLIGHT  DELAYED  OLDEST\n"
            "empty  0        0          0        -\n"
            "jobs   3        2          1        2 min\n");
  ASSERT_EQ(requests("GetMetricData").size(), 1u);
  EXPECT_THAT(requests("GetMetricData")[0], HasSubstr(R"("Value":"jobs")"));
  EXPECT_THAT(requests("GetMetricData")[0], Not(HasSubstr(R"("Value":"empty")"))) << "an empty queue has no age";
}

TEST_F(QueueCommands, WithoutQueuesTheListNamesTheRegion) {
  reply("ListQueues", "{}");
  EXPECT_EQ(queue_list(options_, out_), 0);
  EXPECT_EQ(out_.str(), "no queues in region us-east-1\n");
}

TEST_F(QueueCommands, APeekLeavesTheMessagesVisible) {
  reply("GetQueueUrl", kJobsUrl);
  reply("ReceiveMessage", R"({"Messages":[{"Body":"one"},{"Body":"two"}]})");
  EXPECT_EQ(queue_peek(options_, "jobs", 5, out_), 0);
  EXPECT_EQ(out_.str(), "one\ntwo\n");
  ASSERT_EQ(requests("ReceiveMessage").size(), 1u);
  EXPECT_THAT(requests("ReceiveMessage")[0], HasSubstr(R"("MaxNumberOfMessages":5)"));
  EXPECT_THAT(requests("ReceiveMessage")[0], HasSubstr(R"("VisibilityTimeout":0)"));
}

TEST_F(QueueCommands, AMessageIsAnArgumentOrStandardInput) {
  reply("GetQueueUrl", kJobsUrl);
  reply("SendMessage", R"({"MessageId":"m-1"})");
  EXPECT_EQ(queue_send(options_, {.queue = "jobs", .body = "text", .group = "g", .delay_seconds = 7}, in_, out_), 0);
  EXPECT_EQ(out_.str(), "m-1\n");
  in_.str("from\nstdin\n");
  EXPECT_EQ(queue_send(options_, {.queue = "http://h/111111111111/other", .body = "-"}, in_, out_), 0);
  const auto sent = requests("SendMessage");
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(sent[0], HasSubstr(R"("QueueUrl":"http://h/111111111111/jobs")"));
  EXPECT_THAT(sent[0], HasSubstr(R"("MessageBody":"text")"));
  EXPECT_THAT(sent[0], HasSubstr(R"("MessageGroupId":"g")"));
  EXPECT_THAT(sent[0], HasSubstr(R"("DelaySeconds":7)"));
  EXPECT_THAT(sent[1], HasSubstr(R"("QueueUrl":"http://h/111111111111/other")"));
  EXPECT_THAT(sent[1], HasSubstr(R"("MessageBody":"from\nstdin")")) << "without the last newline";
  EXPECT_EQ(requests("GetQueueUrl").size(), 1u) << "a URL needs no lookup";
}

TEST_F(QueueCommands, AMessageOnStandardInputHasALimit) {
  reply("GetQueueUrl", kJobsUrl);
  in_.str(std::string(1024 * 1024 + 1, 'x'));
  EXPECT_EQ(error_of([&] { queue_send(options_, {.queue = "jobs", .body = "-"}, in_, out_); }),
            "the message on standard input is larger than 1 MiB");
}

TEST_F(QueueCommands, MessagesReturnToTheirQueuesOrToAnother) {
  reply("GetQueueUrl", kJobsUrl);
  reply("GetQueueAttributes", R"({"Attributes":{"QueueArn":"arn:aws:sqs:us-east-1:111111111111:jobs"}})");
  reply("StartMessageMoveTask", R"({"TaskHandle":"h"})");
  EXPECT_EQ(queue_redrive(options_, "jobs", std::nullopt, out_), 0);
  EXPECT_EQ(queue_redrive(options_, "jobs", "other", out_), 0);
  EXPECT_EQ(out_.str(),
            "moving the messages of jobs to the queues that they came from\nmoving the messages of jobs to other\n");
  const auto started = requests("StartMessageMoveTask");
  ASSERT_EQ(started.size(), 2u);
  EXPECT_EQ(started[0], R"({"SourceArn":"arn:aws:sqs:us-east-1:111111111111:jobs"})");
  EXPECT_THAT(started[1], HasSubstr(R"("DestinationArn":"arn:aws:sqs:us-east-1:111111111111:jobs")"));
}

TEST_F(QueueCommands, APurgeIsOfTheNamedQueue) {
  reply("GetQueueUrl", kJobsUrl);
  reply("PurgeQueue", "");
  EXPECT_EQ(queue_purge(options_, "jobs", out_), 0);
  EXPECT_EQ(out_.str(), "deleted all messages of jobs\n");
  EXPECT_THAT(requests("PurgeQueue"), ElementsAre(kJobsUrl));
}

TEST_F(QueueCommands, AMissingQueueIsNamed) {
  reply_error("GetQueueUrl", "com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist.");
  EXPECT_EQ(error_of([&] { queue_purge(options_, "jobs", out_); }), "no such queue: jobs");
  EXPECT_EQ(error_of([&] { queue_peek(options_, "jobs", 1, out_); }), "no such queue: jobs");
  EXPECT_TRUE(requests("PurgeQueue").empty());
}

}  // namespace
}  // namespace cli
