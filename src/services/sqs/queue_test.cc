// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

using Queues = SqsTest;

TEST_F(Queues, TheSameNameWithTheSameAttributesIsTheSameQueue) {
  std::string url = make_queue("q", {{"VisibilityTimeout", "60"}});
  EXPECT_EQ(url, "http://localhost:4566/111111111111/q");
  EXPECT_EQ(make_queue("q", {{"VisibilityTimeout", "60"}}), url);
  EXPECT_EQ(make_queue("q"), url);
  EXPECT_EQ(error_of([&] { make_queue("q", {{"VisibilityTimeout", "61"}}); }), "QueueNameExists");
}

TEST_F(Queues, NamesFollowAmazonsRules) {
  const std::string too_long(81, 'a');
  for (const std::string& name : {std::string("a b"), std::string("a.b"), std::string("q.fifo"), too_long,
                                  std::string("\xc3\xa9")}) {
    EXPECT_EQ(error_of([&] { make_queue(name); }), "InvalidParameterValueException") << name;
  }
  EXPECT_EQ(error_of([&] { make_queue("q", {{"FifoQueue", "true"}}); }), "InvalidParameterValueException");
  EXPECT_NE(make_queue("q.fifo", {{"FifoQueue", "true"}}), "");
  EXPECT_NE(make_queue(std::string(80, 'a')), "");
}

TEST_F(Queues, AttributesAreWithinAmazonsLimits) {
  for (auto [name, value] : std::vector<std::pair<std::string, std::string>>{{"DelaySeconds", "901"},
                                                                            {"DelaySeconds", "-1"},
                                                                            {"DelaySeconds", "1x"},
                                                                            {"MaximumMessageSize", "1023"},
                                                                            {"MaximumMessageSize", "1048577"},
                                                                            {"MessageRetentionPeriod", "59"},
                                                                            {"MessageRetentionPeriod", "1209601"},
                                                                            {"ReceiveMessageWaitTimeSeconds", "21"},
                                                                            {"VisibilityTimeout", "43201"},
                                                                            {"Policy", "{"}}) {
    EXPECT_EQ(error_of([&] { make_queue("q", {{name, value}}); }), "InvalidAttributeValue") << name << value;
  }
  EXPECT_EQ(error_of([&] { make_queue("q", {{"Colour", "red"}}); }), "InvalidAttributeName");
  EXPECT_EQ(error_of([&] { make_queue("q", {{"ContentBasedDeduplication", "true"}}); }), "InvalidAttributeName");
}

TEST_F(Queues, AccountsAndRegionsDoNotSeeEachOther) {
  std::string url = make_queue("q");
  caller_.region = "eu-west-1";
  EXPECT_EQ(error_of([&] { attributes(url); }), "QueueDoesNotExist");
  caller_.region = "us-east-1";
  caller_.account = "222222222222";
  EXPECT_EQ(error_of([&] { attributes(url); }), "QueueDoesNotExist");
  EXPECT_EQ(error_of([&] { with_call([&](Call& call) { purge_queue(call, {url}); }); }), "QueueDoesNotExist");
  auto listed = with_call([](Call& call) { return list_queues(call, {}); });
  EXPECT_FALSE(listed.QueueUrls);
}

TEST_F(Queues, AListContinuesAfterItsLastNameEvenIfThatQueueIsDeleted) {
  for (std::string name : {"a1", "a2", "a3", "b1"}) make_queue(name);
  ListQueuesRequest request{.QueueNamePrefix = "a", .MaxResults = 2};
  auto first = with_call([&](Call& call) { return list_queues(call, request); });
  ASSERT_EQ(first.QueueUrls->size(), 2u);
  with_call([&](Call& call) { delete_queue(call, {first.QueueUrls->back()}); });
  request.NextToken = first.NextToken;
  auto second = with_call([&](Call& call) { return list_queues(call, request); });
  EXPECT_EQ(*second.QueueUrls, std::vector<std::string>{"http://localhost:4566/111111111111/a3"});
  EXPECT_FALSE(second.NextToken);
}

TEST_F(Queues, APurgedQueueIsEmptyAtOnceAndTheSweepDeletesItsRows) {
  std::string url = make_queue("q");
  for (int i = 0; i < 30; ++i) send(url, "m" + std::string(i * 200, 'x'));
  receive(url, 10);
  with_call([&](Call& call) { purge_queue(call, {url}); });
  EXPECT_EQ(counts(url), "0/0/0");
  EXPECT_TRUE(receive(url).empty());
  send(url, "new");
  sweep_all();
  EXPECT_EQ(count_rows("sqs_messages"), 1);
  EXPECT_EQ(count_rows("sqs_large_bodies"), 0);
  EXPECT_EQ(receive_bodies(url), std::vector<std::string>{"new"});
}

TEST_F(Queues, ExpiredMessagesAreNeitherCountedNorDelivered) {
  std::string url = make_queue("q", {{"MessageRetentionPeriod", "60"}});
  send(url, "old and received");
  receive(url, 1, 40);
  send(url, "old");
  advance(std::chrono::seconds(30));
  send(url, "young");
  advance(std::chrono::seconds(30));
  EXPECT_EQ(counts(url), "1/0/0");
  sweep_all();
  EXPECT_EQ(count_rows("sqs_messages"), 1);
  EXPECT_EQ(receive_bodies(url), std::vector<std::string>{"young"});
}

TEST_F(Queues, TheSweepReachesEveryQueueASliceAtATime) {
  with_call([&](Call& call) {
    for (int i = 0; i < 450; ++i) {
      CreateQueueRequest request{.QueueName = "q" + std::to_string(i)};
      request.Attributes = StringMap{{"MessageRetentionPeriod", "60"}};
      send_message(call, {.QueueUrl = *create_queue(call, request).QueueUrl, .MessageBody = "m"});
    }
  });
  std::string full = make_queue("full", {{"MessageRetentionPeriod", "60"}});
  with_call([&](Call& call) {
    for (int i = 0; i < 1200; ++i) send_message(call, {.QueueUrl = full, .MessageBody = "m"});
  });
  advance(std::chrono::seconds(60));
  sweep_all();
  EXPECT_EQ(count_rows("sqs_messages"), 0);
}

TEST_F(Queues, AReceiveSkipsExpiredMessages) {
  std::string url = make_queue("q", {{"MessageRetentionPeriod", "60"}});
  for (int i = 0; i < 25; ++i) send(url, "old");
  advance(std::chrono::seconds(60));
  send(url, "young");
  EXPECT_EQ(receive_bodies(url), std::vector<std::string>{"young"});
}

TEST_F(Queues, APolicyOpensAQueueToAnotherAccountForThatActionOnly) {
  std::string url = make_queue("q");
  AddPermissionRequest request{url, "share", {"222222222222"}, {"SendMessage"}};
  with_call([&](Call& call) { add_permission(call, request); });
  caller_.account = "222222222222";
  EXPECT_TRUE(send(url, "hello").MessageId);
  EXPECT_EQ(error_of([&] { receive(url); }), "QueueDoesNotExist");
  caller_.account = "111111111111";
  with_call([&](Call& call) { remove_permission(call, {url, "share"}); });
  caller_.account = "222222222222";
  EXPECT_EQ(error_of([&] { send(url, "hello"); }), "QueueDoesNotExist");
}

TEST_F(Queues, NoPolicyAllowsAnotherAccountToDeleteAQueue) {
  std::string url = make_queue("q");
  const std::string open = R"({"Statement":[{"Effect":"Allow","Principal":"*","Action":"sqs:*","Resource":"*"}]})";
  with_call([&](Call& call) { set_queue_attributes(call, {url, {{"Policy", open}}}); });
  caller_.account = "222222222222";
  EXPECT_TRUE(send(url, "hello").MessageId);
  EXPECT_EQ(error_of([&] { with_call([&](Call& call) { delete_queue(call, {url}); }); }), "QueueDoesNotExist");
}

TEST_F(Queues, PoliciesAreWithinAmazonsLimits) {
  std::string url = make_queue("q");
  auto set = [&](const std::string& policy) {
    return error_of([&] {
      with_call([&](Call& call) { set_queue_attributes(call, {url, {{"Policy", policy}}}); });
    });
  };
  const std::string one = R"({"Effect":"Allow","Principal":"*","Action":"sqs:*","Resource":"*"})";
  std::string many = one;
  for (int i = 0; i < 20; ++i) many += "," + one;
  EXPECT_EQ(set(R"({"Statement":[)" + many + "]}"), "InvalidAttributeValue");
  EXPECT_EQ(set(R"({"Id":")" + std::string(8192, 'x') + R"(","Statement":[)" + one + "]}"), "InvalidAttributeValue");
  EXPECT_EQ(set(R"({"Statement":[)" + one + "]}"), "");
}

TEST_F(Queues, ADenyAppliesToTheOwnerExceptForChangesOfThePolicy) {
  std::string url = make_queue("q");
  const std::string deny = R"({"Statement":[{"Effect":"Deny","Principal":"*","Action":"sqs:*","Resource":"*"}]})";
  with_call([&](Call& call) { set_queue_attributes(call, {url, {{"Policy", deny}}}); });
  EXPECT_EQ(error_of([&] { send(url, "x"); }), "AccessDeniedException");
  with_call([&](Call& call) { set_queue_attributes(call, {url, {{"Policy", ""}}}); });
  EXPECT_TRUE(send(url, "x").MessageId);
}

}  // namespace
}  // namespace services::sqs
