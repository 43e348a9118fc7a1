// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <zlib.h>

#include "base/bytes.h"
#include "services/logs/filters/filters_fixture.h"

namespace services::logs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kQueueArn[] = "arn:aws:sqs:us-east-1:111111111111:q";

std::string unzipped(const std::string& body) {
  const std::string bytes = *base::from_base64(body);
  std::string out(1 << 22, '\0');
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

class Subscriptions : public FiltersTest {
 protected:
  PutSubscriptionFilterRequest request(const std::string& name, const std::string& pattern) const {
    return {.logGroupName = "g", .filterName = name, .filterPattern = pattern, .destinationArn = kQueueArn};
  }
  void subscribe(const PutSubscriptionFilterRequest& request) { run<void>("PutSubscriptionFilter", request); }
  std::string subscribe_error(const PutSubscriptionFilterRequest& request) {
    return error_of([&] { subscribe(request); });
  }
  std::vector<std::string> records() {
    std::vector<std::string> out;
    for (const auto& message : recorder().messages) out.push_back(unzipped(message.MessageBody));
    recorder().messages.clear();
    return out;
  }
};

TEST_F(Subscriptions, SendAControlMessageAndThenMatchingEvents) {
  subscribe(request("f", "ERROR"));
  EXPECT_THAT(records(), ElementsAre(HasSubstr(
      R"({"messageType":"CONTROL_MESSAGE","owner":"CloudwatchLogs","logGroup":"","logStream":"","subscriptionFilters":[],)")));
  put("g", "s", {{0, "fine"}, {1, "ERROR \"1\""}, {2, "ERROR 2"}});
  const auto sent = records();
  ASSERT_THAT(sent, SizeIs(1));
  JsonTape tape;
  ASSERT_TRUE(tape.parse(sent[0]));
  EXPECT_EQ(tape.node(*tape.member(0, "messageType")).text, "DATA_MESSAGE");
  EXPECT_EQ(tape.node(*tape.member(0, "owner")).text, "111111111111");
  EXPECT_EQ(tape.node(*tape.member(0, "logGroup")).text, "g");
  EXPECT_EQ(tape.node(*tape.member(0, "logStream")).text, "s");
  EXPECT_EQ(tape.node(*tape.member(0, "subscriptionFilters")).text, R"(["f"])");
  const auto first = *tape.element(*tape.member(0, "logEvents"), 0);
  EXPECT_EQ(tape.node(*tape.member(first, "message")).text, "ERROR \"1\"");
  EXPECT_EQ(tape.node(*tape.member(first, "timestamp")).text, "1800000000001");
  EXPECT_EQ(tape.node(*tape.member(first, "id")).text.size(), 56u);
  EXPECT_THAT(recorder().principals.back(),
              "logs.amazonaws.com arn:aws:logs:us-east-1:111111111111:log-group:g");
}

TEST_F(Subscriptions, SplitWhatIsTooLongForTheQueue) {
  subscribe(request("f", ""));
  records();
  recorder().longest_message = 600;
  Lines lines;
  for (int i = 0; i < 20; ++i) lines.push_back({i, base::random_uuid() + base::random_uuid()});
  lines.push_back({20, base::random_text(2000, "abcdefghijklmnopqrstuvwxyz0123456789")});  // is dropped
  put("g", "s", lines);
  std::size_t events = 0;
  for (const std::string& record : records()) {
    JsonTape tape;
    ASSERT_TRUE(tape.parse(record));
    tape.each_child(*tape.member(0, "logEvents"), [&](std::uint32_t) { ++events; });
  }
  EXPECT_EQ(events, 20u);
}

TEST_F(Subscriptions, AreTwoPerGroup) {
  subscribe(request("a", ""));
  subscribe(request("b", ""));
  EXPECT_EQ(subscribe_error(request("c", "")), "LimitExceededException: Resource limit exceeded.");
  EXPECT_EQ(subscribe_error(request("b", "x")), "");
}

TEST_F(Subscriptions, AreListedAndDeleted) {
  subscribe(request("a", "x"));
  auto listed = run<DescribeSubscriptionFiltersResponse>("DescribeSubscriptionFilters",
                                                         DescribeSubscriptionFiltersRequest{.logGroupName = "g"});
  ASSERT_THAT(*listed.subscriptionFilters, SizeIs(1));
  const SubscriptionFilter& filter = listed.subscriptionFilters->at(0);
  EXPECT_EQ(filter.distribution, "ByLogStream");
  EXPECT_EQ(filter.applyOnTransformedLogs, false);
  EXPECT_EQ(filter.destinationArn, kQueueArn);
  EXPECT_EQ(filter.roleArn, std::nullopt);
  run<void>("DeleteSubscriptionFilter", DeleteSubscriptionFilterRequest{"g", "a"});
  EXPECT_EQ(error_of([&] { run<void>("DeleteSubscriptionFilter", DeleteSubscriptionFilterRequest{"g", "a"}); }),
            "ResourceNotFoundException: The specified subscription filter does not exist.");
  records();
  put("g", "s", {{0, "x"}});
  EXPECT_THAT(records(), IsEmpty());
}

TEST_F(Subscriptions, OtherDestinationsAreRejectedInAmazonsWordsBeforeTheGroup) {
  auto other = request("f", "");
  other.logGroupName = "none";
  other.destinationArn = "arn:aws:kinesis:us-east-1:111111111111:stream/x";
  EXPECT_EQ(subscribe_error(other), "InvalidParameterException: destinationArn for vendor kinesis cannot be used without roleArn");
  other.roleArn = "arn:aws:iam::111111111111:role/r";
  EXPECT_THAT(subscribe_error(other), HasSubstr("Check if the given kinesis steam is in ACTIVE state."));
  other.destinationArn = "arn:aws:lambda:us-east-1:111111111111:function:f";
  EXPECT_THAT(subscribe_error(other), HasSubstr("Could not execute the lambda function."));
  other.destinationArn = "arn:aws:lambda:us-east-1:222222222222:function:f";
  EXPECT_THAT(subscribe_error(other), HasSubstr("AccessDeniedException: Cross-account lambda invocation"));
  other.destinationArn = "arn:aws:firehose:us-east-1:111111111111:deliverystream/x";
  EXPECT_THAT(subscribe_error(other), HasSubstr("Could not deliver test message to specified destination."));
  other.destinationArn = kQueueArn;
  EXPECT_EQ(subscribe_error(other), "ResourceNotFoundException: The specified log group does not exist.");
}

TEST_F(Subscriptions, AQueueThatRejectsTheTestIsNoDestinationAndLaterLosesEvents) {
  recorder().reject = true;
  EXPECT_EQ(subscribe_error(request("f", "")),
            "InvalidParameterException: Could not deliver test message to specified destination. Check if the destination "
            "is valid. The specified queue does not exist.");
  EXPECT_EQ(count_rows("logs_subscriptions"), 0);
  recorder().reject = false;
  subscribe(request("f", ""));
  recorder().reject = true;
  EXPECT_TRUE(put("g", "s", {{0, "x"}}).nextSequenceToken);
}

}  // namespace
}  // namespace services::logs
