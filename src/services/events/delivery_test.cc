// SPDX-License-Identifier: Apache-2.0
// What PutEvents sends to queues and webhooks, which record it here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "services/directory.h"
#include "services/events/module.h"
#include "services/events/rule.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"
#include "shapes/events/target.h"
#include "shapes/sqs/message.h"
#include "shapes/stoker/webhook.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace services::events {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kQueueArn[] = "arn:aws:sqs:us-east-1:111111111111:jobs";
constexpr char kLettersArn[] = "arn:aws:sqs:us-east-1:111111111111:letters";
constexpr char kWebhookArn[] = "arn:aws:stoker:us-east-1:111111111111:webhook/pager";

// In Locals, where the fake operations find it.
struct FakeReceivers {
  std::string missing;                                   // the ARN of a queue that does not exist
  std::vector<std::pair<std::string, std::string>> sent;  // ARN and body
  std::vector<Caller> senders;
  std::map<std::string, shapes::sqs::MessageAttributeValue> attributes;  // of the last message
};

shapes::sqs::SendMessageResult record_message(Call& call, const shapes::sqs::SendMessageRequest& request) {
  auto& fake = call.local<FakeReceivers>();
  if (request.QueueUrl == fake.missing) throw wire::ApiError("QueueDoesNotExist", "The queue does not exist.");
  fake.sent.emplace_back(request.QueueUrl, request.MessageBody);
  fake.senders.push_back(call.caller);
  fake.attributes.clear();
  if (request.MessageAttributes) fake.attributes.insert(request.MessageAttributes->begin(), request.MessageAttributes->end());
  return {};
}

void record_webhook(Call& call, const shapes::stoker::SendWebhook& request) {
  auto& fake = call.local<FakeReceivers>();
  fake.sent.emplace_back(request.arn, request.body);
  fake.senders.push_back(call.caller);
}

struct Nothing {};

class DeliveryTest : public testing::Test {
 protected:
  DeliveryTest() {
    directory_.add("sqs", {operation<&record_message>("SendMessage", Access::Write)});
    directory_.add("stoker", {operation<&record_webhook>("SendWebhook", Access::Write)});
    directory_.add("events", module_.service.operations);
    module_.add_memory(locals_);
    store_ = store::open_test_store(folder_, {module_.migrations});
  }
  ~DeliveryTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    const Operation* row = directory_.find("events", name);
    CHECK(row && row->wire.input == &wire::type_of<Input>()) << name;
    Output output;
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, &directory_};
      const Erased erased = row->run(call, &input);
      if constexpr (!std::is_same_v<Output, Nothing>) output = std::move(*static_cast<Output*>(erased.get()));
      woken_ = call.wakes;
    });
    return output;
  }
  void put_rule(const std::string& name, const std::string& pattern) {
    shapes::events::PutRuleRequest request{.Name = name};
    request.EventPattern = pattern;
    run<shapes::events::PutRuleResponse>("PutRule", request);
  }
  void put_schedule(const std::string& name, const std::string& expression) {
    shapes::events::PutRuleRequest request{.Name = name};
    request.ScheduleExpression = expression;
    run<shapes::events::PutRuleResponse>("PutRule", request);
  }
  // One look of the schedules, and what it decides. Returns when to look again.
  std::optional<base::Time> run_schedules() {
    std::optional<base::Time> next;
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_, &locals_, &directory_};
      const Decision decision = module_.loops.at(0).look(call);
      next = decision.next;
      if (decision.apply) decision.apply(call);
    });
    return next;
  }
  void put_target(const std::string& rule, const shapes::events::Target& target) {
    shapes::events::PutTargetsRequest request{.Rule = rule};
    request.Targets.push_back(target);
    run<shapes::events::PutTargetsResponse>("PutTargets", request);
  }
  void put_event(const std::string& detail) {
    shapes::events::PutEventsRequestEntry entry;
    entry.Source = "shop";
    entry.DetailType = "Order";
    entry.Detail = detail;
    shapes::events::PutEventsRequest request;
    request.Entries.push_back(entry);
    EXPECT_EQ(run<shapes::events::PutEventsResponse>("PutEvents", request).FailedEntryCount, 0);
  }
  static shapes::events::Target target(const std::string& id, const std::string& arn) {
    shapes::events::Target target{.Id = id, .Arn = arn};
    target.InputPath = "$.detail";
    return target;
  }

  const std::string folder_ = testing::TempDir() + "events-" + base::random_uuid();
  Module module_ = module({});
  std::unique_ptr<store::Store> store_;
  Locals locals_;
  FakeReceivers& fake_ = locals_.add<FakeReceivers>();
  Directory directory_;
  Caller caller_{.account = "111111111111", .region = "us-east-1"};
  base::Time now_ = base::from_seconds(1'800'000'000);  // 2027-01-15T08:00:00Z
  std::vector<Wake> woken_;                             // by the last operation
};

TEST_F(DeliveryTest, AMatchingEventIsSentToEachTargetInTheNameOfItsRule) {
  put_rule("paid", R"({"detail":{"state":["paid"]}})");
  put_target("paid", target("a", kQueueArn));
  put_target("paid", target("b", kWebhookArn));
  put_event(R"({"state":"new"})");
  EXPECT_THAT(fake_.sent, IsEmpty());
  put_event(R"({"state":"paid"})");
  EXPECT_THAT(fake_.sent, ElementsAre(std::pair<std::string, std::string>(kQueueArn, R"({"state":"paid"})"),
                                      std::pair<std::string, std::string>(kWebhookArn, R"({"state":"paid"})")));
  for (const Caller& sender : fake_.senders) {
    EXPECT_EQ(sender.service, "events.amazonaws.com");
    EXPECT_EQ(sender.source_arn, "arn:aws:events:us-east-1:111111111111:rule/paid");
    EXPECT_EQ(sender.account, "111111111111");
  }
}

TEST_F(DeliveryTest, WhatAQueueRejectsGoesToTheDeadLettersWithItsReason) {
  put_rule("all", R"({"source":["shop"]})");
  auto queue = target("a", kQueueArn);
  queue.DeadLetterConfig.emplace();
  queue.DeadLetterConfig->Arn = kLettersArn;
  put_target("all", queue);
  put_target("all", target("b", kWebhookArn));
  fake_.missing = kQueueArn;
  put_event(R"({"n":1})");
  ASSERT_EQ(fake_.sent.size(), 2u);
  EXPECT_EQ(fake_.sent[0].first, kLettersArn);
  EXPECT_THAT(fake_.sent[0].second, testing::HasSubstr(R"("detail":{"n":1})")) << "the whole event";
  EXPECT_EQ(fake_.attributes["ERROR_CODE"].StringValue, "RESOURCE_NOT_FOUND");
  EXPECT_EQ(fake_.attributes["TARGET_ARN"].StringValue, kQueueArn);
  EXPECT_EQ(fake_.sent[1].first, kWebhookArn) << "the other target receives it";
}

TEST(EventsTables, RulesFromBeforeThereWereBusesAreOnTheDefaultBus) {
  const std::string folder = testing::TempDir() + "events-" + base::random_uuid();
  store::Migrations before = migrations();
  before.steps.resize(1);
  auto store = store::open_sqlite(folder, {before});
  store->write_now([](store::Tx& tx) {
    tx.exec("INSERT INTO events_rules (account, region, name, pattern, enabled, tags)"
            " VALUES ('111111111111', 'us-east-1', 'old', '{}', 1, '{\"tags\":[]}')");
  });
  store.reset();
  store = store::open_sqlite(folder, {migrations()});
  store->write_now([](store::Tx& tx) {
    const Caller caller{.account = "111111111111", .region = "us-east-1"};
    Call call{tx, caller, {}, {}};
    const auto rule = load_rule(call, BusName{"111111111111", "us-east-1"}, "old");
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->arn(), "arn:aws:events:us-east-1:111111111111:rule/old");
    EXPECT_EQ(rule->pattern, "{}");
    EXPECT_EQ(list_enabled_rules(call, rule->bus).size(), 1u);
  });
  store.reset();
  std::filesystem::remove_all(folder);
}

TEST_F(DeliveryTest, WhatDoesNotExistHereGoesToTheDeadLetters) {
  put_rule("all", R"({"source":["shop"]})");
  auto function = target("f", "arn:aws:lambda:us-east-1:111111111111:function:none");
  function.DeadLetterConfig.emplace();
  function.DeadLetterConfig->Arn = kLettersArn;
  put_target("all", function);
  put_event(R"({"n":1})");
  ASSERT_EQ(fake_.sent.size(), 1u);
  EXPECT_EQ(fake_.sent[0].first, kLettersArn);
  EXPECT_EQ(fake_.attributes["ERROR_CODE"].StringValue, "RESOURCE_NOT_FOUND");
}

TEST_F(DeliveryTest, AnEventPassesFromOneBusToAnotherOnce) {
  put_rule("all", R"({"source":["shop"]})");
  put_target("all", shapes::events::Target{.Id = "self", .Arn = "arn:aws:events:us-east-1:111111111111:event-bus/default"});
  put_target("all", target("queue", kQueueArn));
  put_event(R"({"n":1})");
  EXPECT_EQ(fake_.sent.size(), 2u) << "the bus receives its own event once more";
}

TEST_F(DeliveryTest, ARateIsDueAfterEachOfItsPeriods) {
  put_schedule("often", "rate(5 minutes)");
  EXPECT_EQ(woken_.size(), 1u);
  put_target("often", shapes::events::Target{.Id = "a", .Arn = kQueueArn});
  EXPECT_EQ(run_schedules(), now_ + std::chrono::minutes(5));
  EXPECT_THAT(fake_.sent, IsEmpty());
  now_ += std::chrono::minutes(5);
  run_schedules();
  ASSERT_EQ(fake_.sent.size(), 1u);
  EXPECT_THAT(fake_.sent[0].second,
              testing::EndsWith(R"("detail-type":"Scheduled Event","source":"aws.events","account":"111111111111",)"
                                R"("time":"2027-01-15T08:05:00Z","region":"us-east-1",)"
                                R"("resources":["arn:aws:events:us-east-1:111111111111:rule/often"],"detail":{}})"));
  EXPECT_EQ(run_schedules(), now_ + std::chrono::minutes(5));
  now_ += std::chrono::minutes(23);  // the server was down
  run_schedules();
  EXPECT_EQ(run_schedules(), now_ + std::chrono::minutes(2)) << "in step with the first one";
  EXPECT_EQ(fake_.sent.size(), 2u) << "what was missed is sent once";
}

TEST_F(DeliveryTest, ACronExpressionIsDueInUtcWhileItsRuleIsEnabled) {
  put_schedule("morning", "cron(30 9 ? * MON-FRI *)");
  put_target("morning", shapes::events::Target{.Id = "a", .Arn = kQueueArn});
  EXPECT_EQ(run_schedules(), now_ + std::chrono::minutes(90)) << "a Friday";
  shapes::events::DisableRuleRequest disable{.Name = "morning"};
  run<Nothing>("DisableRule", disable);
  now_ += std::chrono::hours(2);
  EXPECT_EQ(run_schedules(), std::nullopt);
  EXPECT_THAT(fake_.sent, IsEmpty());
  shapes::events::EnableRuleRequest enable{.Name = "morning"};
  run<Nothing>("EnableRule", enable);
  EXPECT_EQ(woken_.size(), 1u);
  EXPECT_EQ(run_schedules(), now_ + std::chrono::minutes(3 * 24 * 60 - 30)) << "on Monday";
}

}  // namespace
}  // namespace services::events
