// SPDX-License-Identifier: Apache-2.0
// Requests of RPC clients and of signed paths, through a server with one small service behind it.
#include "api/rpc_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/describe/class.hpp>
#include <filesystem>

#include "api/dispatch.h"
#include "api/path_door.h"
#include "base/log.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "signing/sigv4.h"
#include "store/test_store.h"

namespace api {
namespace rpc_test {

struct GreetRequest {
  std::optional<std::string> Name;
};
BOOST_DESCRIBE_STRUCT(GreetRequest, (), (Name))
struct GreetResult {
  std::string Greeting;
};
BOOST_DESCRIBE_STRUCT(GreetResult, (), (Greeting))

GreetResult greet(services::Call& call, const GreetRequest& request) {
  if (!request.Name) throw wire::ApiError("MissingName", "A name is required.");
  if (*request.Name == "bug") throw std::runtime_error("a bug");
  call.tx.exec("INSERT INTO greeted (name) VALUES ($1)", *request.Name);
  return {"hello " + *request.Name + " of " + call.caller.account};
}

// Says what was prepared, unless that is older than `kept`: then it is outdated.
struct Preparations {
  std::atomic<int> made = 0, kept = 0;
};
std::shared_ptr<const void> prepare_count(services::Call& call, const void*) {
  return std::make_shared<int>(++call.local<Preparations>().made);
}
GreetResult count(services::Call& call, const GreetRequest&) {
  const int prepared = call.prepared ? *static_cast<const int*>(call.prepared) : 0;
  if (call.prepared && prepared <= call.local<Preparations>().kept) throw services::Outdated();
  call.tx.exec("INSERT INTO greeted (name) VALUES ('')");
  return {"preparation " + std::to_string(prepared)};
}
services::Operation counting() {
  services::Operation row = services::operation<&count>("Count", services::Access::Write);
  row.prepare = &prepare_count;
  row.needs_preparation = [](const void* input) { return static_cast<const GreetRequest*>(input)->Name.has_value(); };
  return row;
}

services::Service service() {
  services::Service greeter;
  greeter.wire = {.name = "greeter", .target_prefix = "Greeter", .api_version = "1", .xml_namespace = "http://greeter/"};
  greeter.signing_name = "greeter";
  greeter.protocols = {wire::Protocol::Json11, wire::Protocol::Query};
  greeter.body_limit = 1000;
  greeter.operations = {services::operation<&greet>("Greet", services::Access::Write), counting()};
  return greeter;
}

}  // namespace rpc_test
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RpcDoorTest : public testing::Test {
 protected:
  RpcDoorTest() {
    base::set_log_level(base::LogLevel::Off);
    store_->write_now([&](store::Tx& tx) { key_ = state::ensure_root_key(tx, "111122223333", clock_.now()); });
    locals_.add<rpc_test::Preparations>();
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~RpcDoorTest() override {
    server_.drain();
    base::set_log_level(base::LogLevel::Info);
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string ask(const http::Request& request) {
    std::string text = request.head.method + " " + request.head.target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : request.head.headers) text += name + ": " + value + "\r\n";
    text += "Connection: close\r\nContent-Length: " + std::to_string(request.body.size()) + "\r\n\r\n";
    http::RawClient client(server_.port());
    client.send(text + request.body);
    return client.read_to_end();
  }
  http::Request json(const std::string& target, const std::string& body) {
    return {{"POST", "/", {{"Host", "h"}, {"Content-Type", "application/x-amz-json-1.1"}, {"X-Amz-Target", target}}},
            body};
  }
  http::Request form(const std::string& body) {
    return {{"POST", "/", {{"Host", "h"}, {"Content-Type", "application/x-www-form-urlencoded"}}}, body};
  }
  http::Request sign(http::Request request, const std::string& service = "greeter") {
    signing::sign(request, {key_.id, key_.secret, ""}, "us-east-1", service, clock_.now());
    return request;
  }
  std::int64_t greeted() {
    std::int64_t count = 0;
    store_->read_now([&](store::Tx& tx) { count = tx.query("SELECT count(*) FROM greeted").integer(); });
    return count;
  }

  const std::string folder_ = testing::TempDir() + "rpc_door_test_" + base::random_uuid();
  base::SystemClock clock_;
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(
      folder_, {state::key_migrations(), {"greeter", {"CREATE TABLE greeted (name TEXT NOT NULL)"}}});
  services::Locals locals_;
  services::Directory directory_;
  Topics topics_;
  Engine engine_{*store_, locals_, directory_, topics_, clock_};
  Registry registry_{{rpc_test::service()}};
  Metrics metrics_{registry_.services()};
  RequestLog log_{metrics_};
  Authenticator authenticator_{engine_};
  PathDoor path_{{authenticator_, registry_, log_}, "/stream", "greeter",
                 [](http::Exchange&, services::Caller caller) -> boost::asio::awaitable<http::Response> {
                   if (caller.account.empty()) throw wire::ApiError("Nobody", "nobody");
                   co_return http::text_response(200, "for " + caller.account);
                 }};
  RpcDoor rpc_{engine_, authenticator_, registry_, log_};
  Dispatcher dispatcher_{{&path_, &rpc_}};
  http::Server server_{io_, [this](http::Exchange& exchange) { return dispatcher_.handle(exchange); }};
  state::Key key_;
};

TEST_F(RpcDoorTest, AnOperationIsAnsweredInTheProtocolOfItsRequest) {
  EXPECT_THAT(ask(sign(json("Greeter.Greet", R"({"Name":"ada"})"))),
              HasSubstr(R"({"Greeting":"hello ada of 111122223333"})"));
  EXPECT_THAT(ask(sign(form("Action=Greet&Version=1&Name=bob"))),
              HasSubstr("<Greeting>hello bob of 111122223333</Greeting>"));
  EXPECT_EQ(greeted(), 2);
  EXPECT_THAT(metrics_.text({}), HasSubstr("stoker_request_seconds_count{operation=\"Greet\",service=\"greeter\"} 2"));
}

TEST_F(RpcDoorTest, AnOutdatedPreparationIsMadeAgainAFewTimes) {
  const auto send = [&](const std::string& body) { return ask(sign(json("Greeter.Count", body))); };
  auto& preparations = locals_.get<rpc_test::Preparations>();
  EXPECT_THAT(send("{}"), HasSubstr("preparation 0"));
  EXPECT_THAT(send(R"({"Name":"a"})"), HasSubstr("preparation 1"));
  preparations.kept = 2;
  EXPECT_THAT(send(R"({"Name":"a"})"), HasSubstr("preparation 3"));
  EXPECT_EQ(greeted(), 3);
  preparations.kept = 100;
  EXPECT_THAT(send(R"({"Name":"a"})"), HasSubstr("ServiceUnavailableException"));
  EXPECT_EQ(preparations.made, 6);
  EXPECT_EQ(greeted(), 3);
}

TEST_F(RpcDoorTest, AnErrorIsAnsweredInTheProtocolOfItsRequest) {
  const std::string answer = ask(sign(json("Greeter.Greet", "{}")));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer, HasSubstr("MissingName"));
  EXPECT_THAT(ask(sign(form("Action=Greet&Version=1"))), HasSubstr("<Code>MissingName</Code>"));
  EXPECT_THAT(metrics_.text({}), HasSubstr("code=\"MissingName\""));
}

TEST_F(RpcDoorTest, AnExceptionOfAHandlerIsAnInternalFailureWithoutItsText) {
  const std::string answer = ask(sign(json("Greeter.Greet", R"({"Name":"bug"})")));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(answer, HasSubstr("InternalFailure"));
  EXPECT_THAT(answer, testing::Not(HasSubstr("a bug")));
}

TEST_F(RpcDoorTest, ARequestWithoutAValidSignatureRunsNothing) {
  EXPECT_THAT(ask(json("Greeter.Greet", R"({"Name":"ada"})")), HasSubstr("MissingAuthenticationToken"));
  http::Request changed = sign(json("Greeter.Greet", R"({"Name":"ada"})"));
  changed.body = R"({"Name":"eve"})";
  EXPECT_THAT(ask(changed), HasSubstr("InvalidSignatureException"));
  http::Request other = json("Greeter.Greet", R"({"Name":"ada"})");
  signing::sign(other, {"AKIAUNKNOWN", "secret", ""}, "us-east-1", "greeter", clock_.now());
  EXPECT_THAT(ask(other), HasSubstr("UnrecognizedClientException"));
  EXPECT_EQ(greeted(), 0);
}

TEST_F(RpcDoorTest, AnUnsupportedServiceOrOperationIsNamed) {
  EXPECT_THAT(ask(sign(json("Greeter.Greet", "{}"), "dynamodb")),
              HasSubstr("Stoker does not support the service 'dynamodb'."));
  EXPECT_THAT(ask(sign(json("Greeter.Shout", "{}"))),
              HasSubstr("Stoker does not support the operation Shout of greeter."));
  EXPECT_THAT(ask(sign(form("Action=Shout&Version=1"))), HasSubstr("The action Shout is not valid for this endpoint."));
  EXPECT_THAT(ask(sign(form("Version=1"))), StartsWith("HTTP/1.1 404"));
}

TEST_F(RpcDoorTest, ABodyBeyondTheLimitIsRejected) {
  const std::string answer = ask(sign(json("Greeter.Greet", std::string(2000, ' '))));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(answer, HasSubstr("RequestEntityTooLarge"));
}

TEST_F(RpcDoorTest, AnUnsupportedContentEncodingIsRejected) {
  http::Request request = json("Greeter.Greet", "{}");
  request.head.headers.set("Content-Encoding", "br");
  EXPECT_THAT(ask(sign(request)), StartsWith("HTTP/1.1 415"));
}

TEST_F(RpcDoorTest, ADeletedKeyIsNotAcceptedAnyMore) {
  EXPECT_THAT(ask(sign(json("Greeter.Greet", R"({"Name":"ada"})"))), StartsWith("HTTP/1.1 200"));
  store_->write_now([&](store::Tx& tx) { tx.exec("DELETE FROM access_keys WHERE id = $1", key_.id); });
  engine_.committed({{std::string(state::kKeyTopicPrefix) + key_.id}});
  EXPECT_THAT(ask(sign(json("Greeter.Greet", R"({"Name":"ada"})"))), HasSubstr("UnrecognizedClientException"));
}

TEST_F(RpcDoorTest, APathDoorServesItsPathToThoseWhoSignForItsService) {
  const http::Request request{{"GET", "/stream", {{"Host", "h"}}}, ""};
  EXPECT_THAT(ask(sign(request)), HasSubstr("for 111122223333"));
  EXPECT_THAT(ask(request), HasSubstr("MissingAuthenticationToken"));
  EXPECT_THAT(ask(sign(request, "sqs")), StartsWith("HTTP/1.1 403"));
}

}  // namespace
}  // namespace api
