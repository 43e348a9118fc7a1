// SPDX-License-Identifier: Apache-2.0
#include "services/stoker/webhooks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/random.h"
#include "services/stoker/module.h"
#include "shapes/stoker/webhook.h"
#include "store/test_store.h"
#include "webhooks/outbox.h"
#include "webhooks/signature.h"
#include "wire/error.h"

namespace services::stoker {
namespace {

using namespace shapes::stoker;

class WebhooksTest : public testing::Test {
 protected:
  ~WebhooksTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  template <class Output, class Input>
  Output run(std::string_view name, const Input& input) {
    std::vector<Operation> rows = module_.service.operations;
    rows.insert(rows.end(), module_.internal_operations.begin(), module_.internal_operations.end());
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Operation& one) { return one.wire.name == name; });
    Erased output = detail::nothing();
    store_->write_now([&](store::Tx& tx) {
      Call call{tx, caller_, now_, now_};
      output = row->run(call, &input);
      wakes_ = call.wakes;
    });
    if constexpr (!std::is_void_v<Output>) return std::move(*static_cast<Output*>(output.get()));
  }
  Webhook create(const std::string& name, const std::string& url = "https://example.com/hook") {
    return run<CreateWebhookResponse>("CreateWebhook", CreateWebhookRequest{name, url, {}}).webhook;
  }
  template <class Fn>
  static std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return "";
  }

  const std::string folder_ = testing::TempDir() + "hooks-" + base::random_uuid();
  const Module module_ = module({});
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {module_.migrations});
  Caller caller_{.account = "111111111111", .region = "us-east-1"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<Wake> wakes_;
};

TEST_F(WebhooksTest, AreCreatedListedAndDeleted) {
  const Webhook hook = create("pager");
  EXPECT_EQ(hook.arn, "arn:aws:stoker:us-east-1:111111111111:webhook/pager");
  ASSERT_TRUE(hook.secret);
  EXPECT_TRUE(webhooks::decode_secret(*hook.secret));
  EXPECT_EQ(error_of([&] { create("pager"); }), "WebhookExistsException");
  const auto listed = run<ListWebhooksResponse>("ListWebhooks", ListWebhooksRequest{});
  ASSERT_EQ(listed.webhooks.size(), 1u);
  EXPECT_EQ(listed.webhooks[0].secret, std::nullopt);  // only its creator learns it
  run<void>("DeleteWebhook", DeleteWebhookRequest{"pager"});
  EXPECT_EQ(error_of([&] { run<void>("DeleteWebhook", DeleteWebhookRequest{"pager"}); }), "WebhookNotFoundException");
}

TEST_F(WebhooksTest, InvalidOnesAreRejected) {
  EXPECT_EQ(error_of([&] { create("x", "ftp://example.com"); }), "ValidationException");
  EXPECT_EQ(error_of([&] {
              run<CreateWebhookResponse>("CreateWebhook", CreateWebhookRequest{"x", "http://h/", "not a secret"});
            }),
            "ValidationException");
}

TEST_F(WebhooksTest, AServiceSendsToAWebhookOfItsAccount) {
  const Webhook hook = create("pager");
  run<void>("SendWebhook", SendWebhook{.arn = hook.arn, .body = "{}", .reportTo = "", .context = ""});
  ASSERT_EQ(wakes_.size(), 1u);
  EXPECT_EQ(wakes_[0].topic, webhooks::kTopic);
  std::vector<webhooks::Delivery> due;
  store_->read_now([&](store::Tx& tx) { due = webhooks::due_deliveries(tx, now_, {}, 10); });
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].url, "https://example.com/hook");
  EXPECT_EQ(due[0].endpoint, "https://example.com:443");
  EXPECT_TRUE(due[0].message_id.starts_with("msg_"));
  caller_.account = "222222222222";
  EXPECT_EQ(error_of([&] { run<void>("SendWebhook", SendWebhook{.arn = hook.arn, .body = "{}"}); }),
            "AccessDeniedException");
}

}  // namespace
}  // namespace services::stoker
