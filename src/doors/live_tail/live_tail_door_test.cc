// SPDX-License-Identifier: Apache-2.0
// Live tails through a dispatcher with the RPC door behind it, over loopback.
#include "doors/live_tail/live_tail_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/dispatch.h"
#include "api/rpc_door.h"
#include "base/log.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "services/logs/module.h"
#include "services/usage.h"
#include "signing/sigv4.h"
#include "state/keys.h"
#include "store/test_store.h"

namespace doors::live_tail {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

services::Module logs_in(const std::string& folder) {
  std::filesystem::create_directories(folder);
  services::Options options;
  options.data = folder;
  return services::logs::module(options);
}

class LiveTailTest : public testing::Test {
 protected:
  LiveTailTest() {
    base::set_log_level(base::LogLevel::Off);
    module_.add_memory(locals_);
    store_->write_now([&](store::Tx& tx) { key_ = state::ensure_root_key(tx, "111122223333", clock_.now()); });
    server_.listen_tcp("127.0.0.1", 0);
    call("CreateLogGroup", R"({"logGroupName":"web"})");
    call("CreateLogStream", R"({"logGroupName":"web","logStreamName":"a"})");
  }
  ~LiveTailTest() override {
    engine_.drain();
    server_.drain();
    base::set_log_level(base::LogLevel::Info);
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string text_of(const std::string& operation, const std::string& body, const std::string& host = "h") {
    http::Request request{
        {"POST", "/",
         {{"Host", host}, {"Content-Type", "application/x-amz-json-1.1"}, {"X-Amz-Target", "Logs_20140328." + operation}}},
        body};
    signing::sign(request, {key_.id, key_.secret, ""}, "us-east-1", "logs", clock_.now());
    std::string text = "POST / HTTP/1.1\r\n";
    for (const auto& [name, value] : request.head.headers) text += name + ": " + value + "\r\n";
    return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::string call(const std::string& operation, const std::string& body) {
    http::RawClient client(server_.port());
    client.send(text_of(operation, body));
    return client.read_answer();
  }
  std::unique_ptr<http::RawClient> tail(const std::string& body, const std::string& host = "h") {
    auto client = std::make_unique<http::RawClient>(server_.port());
    client->send(text_of("StartLiveTail", body, host));
    return client;
  }
  std::string put(const std::string& message, const std::string& stream = "a") {
    return call("PutLogEvents", R"({"logGroupName":"web","logStreamName":")" + stream + R"(","logEvents":[{"timestamp":)" +
                                    std::to_string(base::to_millis(clock_.now())) + R"(,"message":")" + message +
                                    R"("}]})");
  }

  const std::string folder_ = testing::TempDir() + "live_tail_test_" + base::random_uuid();
  base::FakeClock clock_{base::from_seconds(1800000000)};
  http::IoThreads io_{1};
  services::Module module_ = logs_in(folder_);
  std::unique_ptr<store::Store> store_ =
      store::open_test_store(folder_, {state::key_migrations(), services::usage_migrations(), module_.migrations});
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{*store_, locals_, directory_, topics_, clock_};
  api::Registry registry_{{module_.service}};
  api::Metrics metrics_{registry_.services()};
  api::RequestLog log_{metrics_};
  api::Authenticator authenticator_{engine_};
  LiveTailDoor door_{engine_, authenticator_, registry_, log_, {.update_every = std::chrono::milliseconds(1)}};
  api::RpcDoor rpc_{engine_, authenticator_, registry_, log_};
  api::Dispatcher dispatcher_{{&door_, &rpc_}};
  http::Server server_{io_, [this](http::Exchange& exchange) { return dispatcher_.handle(exchange); }};
  state::Key key_;
};

TEST_F(LiveTailTest, ASessionStartsAndShowsCommittedEvents) {
  auto client = tail(R"({"logGroupIdentifiers":["web"]})", "stream-h");
  const std::string start = client->read_until(R"("logGroupIdentifiers":["arn:aws:logs:us-east-1:111122223333:log-group:web"]})");
  EXPECT_THAT(start, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(start, HasSubstr("application/vnd.amazon.eventstream"));
  EXPECT_LT(start.find("initial-response"), start.find("sessionStart"));
  EXPECT_THAT(client->read_until("sessionUpdate"), HasSubstr("sessionUpdate"));
  EXPECT_THAT(client->read_until(R"("sessionResults":[])"), HasSubstr(R"("sampled":false)"));
  EXPECT_THAT(put("hello"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(client->read_until("hello"), HasSubstr(R"("logStreamName":"a")"));
}

TEST_F(LiveTailTest, OnlyWhatTheClientWantsIsShown) {
  call("CreateLogStream", R"({"logGroupName":"web","logStreamName":"b"})");
  auto client = tail(R"({"logGroupIdentifiers":["web"],"logStreamNames":["b"],"logEventFilterPattern":"ERROR"})");
  client->read_until("sessionUpdate");
  put("ERROR elsewhere");
  put("fine", "b");
  put("ERROR here", "b");
  const std::string shown = client->read_until("ERROR here");
  EXPECT_THAT(shown, Not(HasSubstr("elsewhere")));
  EXPECT_THAT(shown, Not(HasSubstr("fine")));
}

TEST_F(LiveTailTest, ErrorsBeforeTheStreamArePlainJson) {
  EXPECT_THAT(call("StartLiveTail", R"({"logGroupIdentifiers":["none"]})"), HasSubstr("ResourceNotFoundException"));
  EXPECT_THAT(call("StartLiveTail", "{}"), HasSubstr("InvalidParameterException"));
  EXPECT_THAT(call("StartLiveTail", R"({"logGroupIdentifiers":["web"],"logStreamNames":["a"],"logStreamNamePrefixes":["b"]})"),
              HasSubstr("mutually exclusive"));
  http::RawClient client(server_.port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: Logs_20140328.StartLiveTail\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(client.read_answer(), HasSubstr("MissingAuthenticationToken"));
}

TEST_F(LiveTailTest, AnAccountHasFifteenSessionsAtMost) {
  std::vector<std::unique_ptr<http::RawClient>> clients;
  for (int i = 0; i < 15; ++i) {
    clients.push_back(tail(R"({"logGroupIdentifiers":["web"]})"));
    clients.back()->read_until("sessionUpdate");
  }
  EXPECT_THAT(call("StartLiveTail", R"({"logGroupIdentifiers":["web"]})"), HasSubstr("LimitExceededException"));
}

TEST_F(LiveTailTest, ASessionEndsAfterThreeHours) {
  auto client = tail(R"({"logGroupIdentifiers":["web"]})");
  client->read_until("sessionUpdate");
  clock_.advance(std::chrono::hours(3));
  EXPECT_THAT(client->read_until("SessionTimeoutException"), HasSubstr("SessionTimeoutException"));
}

TEST_F(LiveTailTest, ASessionEndsWithTheServer) {
  auto client = tail(R"({"logGroupIdentifiers":["web"]})");
  client->read_until("sessionUpdate");
  engine_.drain();
  EXPECT_THAT(client->read_until("SessionStreamingException"), HasSubstr("SessionStreamingException"));
}

TEST(LiveTails, ASampleIsSpreadOverWhatCameAndOldEventsOfASlowReaderAreDropped) {
  services::logs::LiveTails tails;
  services::logs::TailSpec spec{.account = "1"};
  spec.groups[7] = "arn";
  const auto session = *tails.open(spec);
  EXPECT_TRUE(tails.watches(7));
  EXPECT_FALSE(tails.watches(8));
  services::logs::LiveTails::Offer offer{.group = 7, .ingested_ms = 1, .stream = "s", .events = {}};
  for (int i = 0; i < 6000; ++i) offer.events.emplace_back(i, "m");
  tails.publish(offer);
  const auto update = tails.take(session);
  ASSERT_EQ(update.sessionResults->size(), 500u);
  EXPECT_TRUE(*update.sessionMetadata->sampled);
  EXPECT_EQ(update.sessionResults->front().timestamp, 1000);
  EXPECT_EQ(update.sessionResults->back().timestamp, 5990);
  EXPECT_FALSE(*tails.take(session).sessionMetadata->sampled);
  tails.close(session);
  EXPECT_FALSE(tails.watches(7));
}

}  // namespace
}  // namespace doors::live_tail
