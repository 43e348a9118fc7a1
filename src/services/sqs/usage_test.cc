// SPDX-License-Identifier: Apache-2.0
// What queues and messages add to the use of their account. The fixture compares the totals with the rows after each test.
#include <gmock/gmock.h>

#include <random>

#include "services/quota.h"
#include "services/sqs/sqs_fixture.h"

namespace services::sqs {
namespace {

class UsageTest : public SqsTest {
 protected:
  Usage used(const std::string& account = "111111111111") {
    return with_call([&](Call& call) { return find_usage(call.tx, account); });
  }
  void limit(const Quota& quota) { locals_.add<Quotas>(Quotas{.each = quota}); }
  std::string problem_of(const std::string& url, const std::string& body) {
    try {
      send(url, body);
    } catch (const wire::ApiError& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }
};

TEST_F(UsageTest, CountsQueuesAndMessagesWithTheirAttributes) {
  const std::string url = make_queue("q");
  EXPECT_EQ(used(), (Usage{.queues = 1}));
  send(url, "four");
  send(url, std::string(5000, 'x'));
  EXPECT_EQ(used(), (Usage{.bytes = 5004, .queues = 1}));
  SendMessageRequest request{.QueueUrl = url, .MessageBody = "b"};
  request.MessageAttributes.emplace()["name"] = {.StringValue = "value", .DataType = "String"};
  with_call([&](Call& call) { send_message(call, request); });
  EXPECT_EQ(used().bytes, 5004 + 1 + 4 + 5 + 6);
  for (const Message& message : receive(url)) remove(url, message);
  EXPECT_EQ(used(), (Usage{.queues = 1}));
}

TEST_F(UsageTest, ADuplicateOfAFifoMessageIsNotCounted) {
  const std::string url = make_queue("q.fifo", {{"FifoQueue", "true"}});
  SendMessageRequest request{.QueueUrl = url, .MessageBody = "body"};
  request.MessageGroupId = "g";
  request.MessageDeduplicationId = "d";
  for (int i = 0; i < 2; ++i) with_call([&](Call& call) { send_message(call, request); });
  EXPECT_EQ(used().bytes, 4);
}

TEST_F(UsageTest, PurgedAndDeletedQueuesAreFreedByTheSweep) {
  const std::string one = make_queue("one"), two = make_queue("two");
  for (int i = 0; i < 600; ++i) send(one, "1234567890");
  send(two, "12345");
  with_call([&](Call& call) { purge_queue(call, {one}); });
  send(one, "123");
  sweep_all();
  EXPECT_EQ(used(), (Usage{.bytes = 8, .queues = 2}));
  with_call([&](Call& call) { delete_queue(call, {two}); });
  EXPECT_EQ(used().queues, 1);
  sweep_all();
  EXPECT_EQ(used(), (Usage{.bytes = 3, .queues = 1}));
}

TEST_F(UsageTest, ExpiredMessagesAreFreed) {
  const std::string url = make_queue("q", {{"MessageRetentionPeriod", "60"}});
  send(url, "swept");
  now_ += std::chrono::seconds(61);
  sweep_all();
  EXPECT_EQ(used().bytes, 0);
  send(url, "found by a receive");
  now_ += std::chrono::seconds(61);
  EXPECT_TRUE(receive(url).empty());
  EXPECT_EQ(used().bytes, 0);
}

TEST_F(UsageTest, AQuotaOfBytesRejectsMessagesUntilOthersAreDeleted) {
  limit({.bytes = 10});
  const std::string url = make_queue("q");
  send(url, "12345678");
  EXPECT_EQ(problem_of(url, "123"), "OverLimit: The account 111111111111 has reached its quota of bytes: 8 of 10 are used; "
                                    "this request needs 3 more.");
  EXPECT_EQ(problem_of(url, "12"), "");
  SendMessageBatchRequest batch{.QueueUrl = url};
  batch.Entries.push_back({.Id = "a", .MessageBody = "1"});
  EXPECT_EQ(error_of([&] { with_call([&](Call& call) { send_message_batch(call, batch); }); }), "OverLimit");
  remove(url, receive(url).at(0));
  EXPECT_EQ(problem_of(url, "1234567"), "");
}

TEST_F(UsageTest, TheQueuesAccountPaysForWhatOthersSend) {
  locals_.add<Quotas>(Quotas{.accounts = {{"111111111111", {.bytes = 10}}}});
  const std::string url = make_queue("q");
  with_call([&](Call& call) { add_permission(call, {url, "all", {"222222222222"}, {"SendMessage"}}); });
  caller_.account = "222222222222";
  EXPECT_EQ(problem_of("/111111111111/q", "12345678"), "");
  EXPECT_THAT(problem_of("/111111111111/q", "12345678"), testing::HasSubstr("The account 111111111111 has reached"));
  EXPECT_EQ(used("222222222222"), Usage());
  caller_.account = "111111111111";
}

TEST_F(UsageTest, AFifoDuplicateIsAcceptedAlsoWithoutRoom) {
  limit({.bytes = 4});
  const std::string url = make_queue("q.fifo", {{"FifoQueue", "true"}, {"ContentBasedDeduplication", "true"}});
  SendMessageRequest request{.QueueUrl = url, .MessageBody = "body"};
  request.MessageGroupId = "g";
  for (int i = 0; i < 2; ++i) with_call([&](Call& call) { send_message(call, request); });
  request.MessageBody = "more";
  EXPECT_EQ(error_of([&] { with_call([&](Call& call) { send_message(call, request); }); }), "OverLimit");
}

TEST_F(UsageTest, AQuotaOfQueuesRejectsNewOnes) {
  limit({.queues = 1});
  const std::string url = make_queue("one");
  EXPECT_EQ(make_queue("one"), url);
  EXPECT_EQ(error_of([&] { make_queue("two"); }), "OverLimit");
  with_call([&](Call& call) { delete_queue(call, {url}); });
  make_queue("two");
}

TEST_F(UsageTest, RandomOperationsKeepTheTotalsExact) {
  std::mt19937 random(20270115);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  const std::string letters = make_queue("dead", {{"MessageRetentionPeriod", "1209600"}});
  const std::string policy =
      R"({"deadLetterTargetArn":"arn:aws:sqs:us-east-1:111111111111:dead","maxReceiveCount":2})";
  std::vector<std::string> urls = {letters};
  for (const char* name : {"a", "b"}) urls.push_back(make_queue(name, {{"RedrivePolicy", policy}, {"MessageRetentionPeriod", "600"}}));
  urls.push_back(make_queue("c.fifo", {{"FifoQueue", "true"}, {"MessageRetentionPeriod", "300"}}));
  for (int step = 0; step < 400; ++step) {
    const std::string& url = urls[below(urls.size())];
    const std::string body(1 + below(4000), 'x');
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        if (url.ends_with(".fifo")) {
          send_to_group(url, body, std::to_string(below(3)));
        } else {
          send(url, body);
        }
        break;
      case 3:
        for (const Message& message : receive(url, 5, 1)) {
          if (below(2)) remove(url, message);
        }
        break;
      case 4:
        now_ += std::chrono::seconds(below(60));
        break;
      case 5:
        take_turn("sqs sweep");
        break;
      case 6:
        if (below(10) == 0) with_call([&](Call& call) { purge_queue(call, {url}); });
        break;
      default:
        receive(url, 10, 0);
    }
    if (step % 50 == 0) expect_exact_usage(*store_, module_.migrations);
  }
}

TEST(UsageUpgrade, CountsWhatThereIs) {
  const std::string folder = testing::TempDir() + "sqs-usage-" + base::random_uuid();
  const store::Migrations now = module({}).migrations;
  store::Migrations before = now;
  before.steps.resize(2);
  store::open_sqlite(folder, {before})->write_now([](store::Tx& tx) {
    tx.exec("INSERT INTO sqs_lots (id, dead) VALUES (1, 0)");
    tx.exec("INSERT INTO sqs_lots (id, dead) VALUES (2, 1)");
    tx.exec("INSERT INTO sqs_queues (account, region, name, lot, next_sequence, created_at, modified_at, fifo, delay_s,"
            " max_message_bytes, retention_s, receive_wait_s, visibility_s, content_deduplication, attributes, tags)"
            " VALUES ('111111111111', 'r', 'q', 1, 0, 0, 0, 0, 0, 1024, 60, 0, 30, 0, '{}', '{}')");
    for (const auto& [seq, lot, body] : {std::tuple(1, 1, "four"), {2, 1, nullptr}, {3, 2, "dead"}}) {
      tx.exec("INSERT INTO sqs_messages (seq, lot, visible_at, receive_count, sent_at, receipt, message_id, sender, body,"
              " attributes) VALUES ($1, $2, 0, 0, 0, 0, '', '', $3, $4)",
              seq, lot, body ? std::optional<std::string>(body) : std::nullopt, base::Blob{"ab"});
    }
    tx.exec("INSERT INTO sqs_large_bodies (seq, body) VALUES (2, 'large')");
  });
  store::open_sqlite(folder, {usage_migrations(), now})->read_now([](store::Tx& tx) {
    EXPECT_EQ(usage_text(tx), "111111111111 bytes=13 queues=1 objects=0\n");
    EXPECT_EQ(tx.query("SELECT sum(size) FROM sqs_messages WHERE lot = 1").integer(), 13);
  });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace services::sqs
