// SPDX-License-Identifier: Apache-2.0
#include "webhooks/sender/webhook_sender.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <semaphore>

#include "base/guarded.h"
#include "base/random.h"
#include "http/block_on.h"
#include "http/scripted_server.h"
#include "http/server_fixture.h"
#include "services/directory.h"
#include "shapes/stoker/webhook.h"
#include "store/test_store.h"
#include "webhooks/signature.h"

namespace webhooks {
namespace {

namespace asio = boost::asio;

// Results that senders reported.
struct Reports {
  base::Guarded<std::vector<shapes::stoker::WebhookFinished>> all;
  base::Guarded<std::vector<shapes::stoker::WebhookAttempted>> attempts;
};

void record_finished(services::Call& call, const shapes::stoker::WebhookFinished& result) {
  Reports& reports = call.local<Reports>();
  call.tx.on_end([&reports, result](bool committed) {
    if (committed) reports.all.with([&](auto& all) { all.push_back(result); });
  });
}

void record_attempted(services::Call& call, const shapes::stoker::WebhookAttempted& attempt) {
  Reports& reports = call.local<Reports>();
  call.tx.on_end([&reports, attempt](bool committed) {
    if (committed) reports.attempts.with([&](auto& all) { all.push_back(attempt); });
  });
}

class WebhookSenderTest : public http::ServerFixture {
 protected:
  WebhookSenderTest() {
    locals_.add<Reports>();
    directory_.add("test", {services::operation<&record_finished>("WebhookFinished", services::Access::Write),
                            services::operation<&record_attempted>("WebhookAttempted", services::Access::Write)});
    start();
  }
  ~WebhookSenderTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // What a receiver got.
  struct Received {
    std::string target, id, timestamp, signature, body;
  };

  asio::awaitable<http::Response> handle(http::Exchange& exchange) override {
    http::RequestHead head = exchange.head();
    std::string body = co_await exchange.read_body(1 << 20);
    Received received{head.target, std::string(head.headers.get("webhook-id")),
                      std::string(head.headers.get("webhook-timestamp")),
                      std::string(head.headers.get("webhook-signature")), body};
    received_.with([&](auto& all) { all.push_back(received); });
    arrivals_.release();
    if (head.target.starts_with("/hold")) co_await topics_.wait("release", seen_, http::kTestDeadline);
    http::Response response;
    response.status = status_;
    co_return response;
  }

  void add(const std::string& path, unsigned short port, const std::string& group = "",
           const std::string& account = "111111111111") {
    const std::string endpoint = "http://127.0.0.1:" + std::to_string(port);
    Delivery delivery{.message_id = "msg_" + path, .account = account, .url = endpoint + "/" + path,
                      .endpoint = endpoint + group, .secret = secret_, .body = "{\"n\":1}", .report_to = "test",
                      .context = "context " + path};
    store_->write_now([&](store::Tx& tx) { add_delivery(tx, delivery, clock_.now()); });
  }
  // One turn, and the end of all sends that it started.
  std::optional<base::Time> turn() {
    std::optional<base::Time> next;
    {
      WebhookSender sender(io_, engine_, private_networks_);
      next = http::block_on(io_.at(0), sender.loop().turn());
    }
    return next;
  }
  std::int64_t pending() {
    std::int64_t count = 0;
    store_->read_now([&](store::Tx& tx) {
      count = tx.query("SELECT count(*) FROM stoker_webhook_deliveries").integer();
    });
    return count;
  }
  std::vector<Received> received() {
    return received_.with([](auto& all) { return all; });
  }
  std::vector<shapes::stoker::WebhookFinished> reports() {
    return locals_.get<Reports>().all.with([](auto& all) { return all; });
  }

  std::vector<shapes::stoker::WebhookAttempted> attempts() {
    return locals_.get<Reports>().attempts.with([](auto& all) { return all; });
  }

  const std::string folder_ = testing::TempDir() + "webhooks_" + base::random_uuid();
  const std::string secret_ = new_secret();
  base::FakeClock clock_{base::from_seconds(1800000000)};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {{"stoker", {kTables}}});
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{*store_, locals_, directory_, topics_, clock_};
  base::Guarded<std::vector<Received>> received_;
  std::atomic<int> status_ = 200;
  bool private_networks_ = true;
  const std::uint64_t seen_ = topics_.seen();
  std::counting_semaphore<> arrivals_{0};
};

TEST_F(WebhookSenderTest, ADeliveryIsSignedAndReported) {
  add("a", server_->port());
  turn();
  ASSERT_EQ(received().size(), 1u);
  const Received got = received()[0];
  EXPECT_EQ(got.target, "/a");
  EXPECT_EQ(got.id, "msg_a");
  EXPECT_EQ(got.timestamp, "1800000000");
  EXPECT_EQ(got.body, "{\"n\":1}");
  EXPECT_EQ(got.signature, sign(*decode_secret(secret_), "msg_a", clock_.now(), got.body));
  EXPECT_EQ(pending(), 0);
  ASSERT_EQ(reports().size(), 1u);
  EXPECT_TRUE(reports()[0].delivered);
  EXPECT_EQ(reports()[0].context, "context a");
}

TEST_F(WebhookSenderTest, ADueDeliveryIsLookedAtAgainInCaseItsResultCanNotBeStored) {
  add("a", server_->port());
  EXPECT_EQ(turn(), clock_.now() + std::chrono::minutes(1));
  EXPECT_EQ(turn(), std::nullopt);
}

TEST_F(WebhookSenderTest, AFailedDeliveryIsSentAgainLaterWithTheSameId) {
  status_ = 500;
  add("a", server_->port());
  turn();
  EXPECT_EQ(pending(), 1);
  EXPECT_EQ(turn(), clock_.now() + std::chrono::seconds(5));
  EXPECT_EQ(received().size(), 1u);
  status_ = 204;
  clock_.advance(std::chrono::seconds(5));
  turn();
  ASSERT_EQ(received().size(), 2u);
  EXPECT_EQ(received()[1].id, "msg_a");
  EXPECT_EQ(pending(), 0);
}

TEST_F(WebhookSenderTest, AfterTheLastAttemptItIsGivenUpAndReported) {
  status_ = 500;
  add("a", server_->port());
  for (int i = 0; i < kMaxAttempts; ++i) {
    EXPECT_TRUE(reports().empty());
    turn();
    clock_.advance(std::chrono::hours(24));
  }
  EXPECT_EQ(received().size(), static_cast<std::size_t>(kMaxAttempts));
  EXPECT_EQ(pending(), 0);
  ASSERT_EQ(reports().size(), 1u);
  EXPECT_FALSE(reports()[0].delivered);
  EXPECT_EQ(reports()[0].error, "The receiver answered with status 500.");
}

TEST_F(WebhookSenderTest, AReceiverThatIsGoneIsNotAskedAgain) {
  status_ = 410;
  add("a", server_->port());
  turn();
  EXPECT_EQ(pending(), 0);
  ASSERT_EQ(reports().size(), 1u);
  EXPECT_FALSE(reports()[0].delivered);
}

TEST_F(WebhookSenderTest, APrivateAddressIsOnlyReachedWhereThatIsConfigured) {
  private_networks_ = false;
  add("a", server_->port());
  turn();
  EXPECT_TRUE(received().empty());
  ASSERT_EQ(attempts().size(), 1u);
  EXPECT_EQ(attempts()[0].context, "context a");
  EXPECT_EQ(attempts()[0].attempts, 1);
  EXPECT_EQ(attempts()[0].responseStatus, 0);
  EXPECT_EQ(attempts()[0].nextAttemptAt, clock_.now() + std::chrono::seconds(5));
  EXPECT_NE(attempts()[0].error.find("127.0.0.1 is in a private network"), std::string::npos) << attempts()[0].error;
}

TEST_F(WebhookSenderTest, ARedirectIsNotFollowed) {
  status_ = 302;
  add("a", server_->port());
  turn();
  EXPECT_EQ(received().size(), 1u);
  ASSERT_EQ(attempts().size(), 1u);
  EXPECT_EQ(attempts()[0].responseStatus, 302);
  EXPECT_EQ(attempts()[0].error, "The receiver answered with status 302. Redirects are not followed.");
}

TEST_F(WebhookSenderTest, AReceiverThatHangsDoesNotDelayOthers) {
  for (int i = 0; i < 10; ++i) add("hold" + std::to_string(i), server_->port(), "slow");
  add("open", server_->port());
  {
    WebhookSender sender(io_, engine_, private_networks_);
    http::block_on(io_.at(0), sender.loop().turn());
    for (std::size_t i = 0; i < kMaxSendsToEndpoint + 1; ++i) arrivals_.acquire();
    http::block_on(io_.at(0), sender.loop().turn());
    EXPECT_EQ(received().size(), kMaxSendsToEndpoint + 1);
    topics_.wake("release");
  }
  EXPECT_EQ(received().size(), kMaxSendsToEndpoint + 1);
  EXPECT_EQ(pending(), static_cast<std::int64_t>(10 - kMaxSendsToEndpoint));
}

TEST_F(WebhookSenderTest, ManyReceiversOfAnAccountThatHangLeaveRoomForOthers) {
  const std::size_t many = 2 * kMaxSends;  // more than a turn looks at
  for (std::size_t i = 0; i < many; ++i) add("hold" + std::to_string(i), server_->port(), "slow" + std::to_string(i));
  clock_.advance(std::chrono::seconds(1));
  add("open", server_->port(), "", "222222222222");
  {
    WebhookSender sender(io_, engine_, private_networks_);
    EXPECT_EQ(http::block_on(io_.at(0), sender.loop().turn()), clock_.now());  // there are more
    http::block_on(io_.at(0), sender.loop().turn());
    for (std::size_t i = 0; i < kMaxSendsOfAccount + 1; ++i) arrivals_.acquire();
    EXPECT_EQ(received().size(), kMaxSendsOfAccount + 1);
    EXPECT_EQ(std::ranges::count(received(), "/open", &Received::target), 1);
    topics_.wake("release");
  }
}

}  // namespace
}  // namespace webhooks
