// SPDX-License-Identifier: Apache-2.0
// What PutEvents sends to queues and webhooks, which record it here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/random.h"
#include "services/directory.h"
#include "services/events/module.h"
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
      output = std::move(*static_cast<Output*>(erased.get()));
    });
    return output;
  }
  void put_rule(const std::string& name, const std::string& pattern) {
    shapes::events::PutRuleRequest request{.Name = name};
    request.EventPattern = pattern;
    run<shapes::events::PutRuleResponse>("PutRule", request);
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
  base::Time now_ = base::from_seconds(1'800'000'000);
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

}  // namespace
}  // namespace services::events
