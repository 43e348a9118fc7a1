// SPDX-License-Identifier: Apache-2.0
#include "doors/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/dispatch.h"
#include "base/random.h"
#include "http/raw_client.h"
#include "store/test_store.h"

namespace doors::pages {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<services::Module> modules_with(std::vector<services::Gauge> gauges) {
  std::vector<services::Module> modules(2);  // one has none
  modules[1].gauges = [gauges](services::Call&) { return gauges; };
  return modules;
}

class PagesTest : public testing::Test {
 protected:
  PagesTest() { server_.listen_tcp("127.0.0.1", 0); }
  ~PagesTest() override {
    server_.drain();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string ask(const std::string& line) {
    http::RawClient client(server_.port());
    client.send(line + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return client.read_to_end();
  }

  const std::string folder_ = testing::TempDir() + "pages_test_" + base::random_uuid();
  base::FakeClock clock_{base::from_seconds(1800000000)};
  http::IoThreads io_{1};
  std::unique_ptr<store::Store> store_ = store::open_test_store(folder_, {});
  services::Locals locals_;
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{*store_, locals_, directory_, topics_, clock_};
  api::Metrics metrics_{{}};
  PagesDoor pages_{engine_, metrics_,
                   modules_with({{"stoker_tasks", "Tasks", {{"status", "RUNNING"}}, 3},
                                 {"stoker_tasks", "Tasks", {{"status", "PENDING"}}, 1}}),
                   "1.2.3"};
  api::Dispatcher dispatcher_{{&pages_}};
  http::Server server_{io_, [this](http::Exchange& exchange) { return dispatcher_.handle(exchange); }};
};

TEST_F(PagesTest, HealthTellsTheVersionAndForHowLongItRuns) {
  clock_.advance(std::chrono::seconds(7));
  const std::string page = ask("GET /health");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr(R"("status":"ok")"));
  EXPECT_THAT(page, HasSubstr(R"("version":"1.2.3")"));
  EXPECT_THAT(page, HasSubstr("7"));
}

TEST_F(PagesTest, HealthIs503WhileTheServerStops) {
  engine_.drain();
  const std::string page = ask("GET /health");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(page, HasSubstr(R"("status":"stopping")"));
}

TEST_F(PagesTest, MetricsShowTheGaugesOfServicesInOneFamilyEach) {
  const std::string page = ask("GET /metrics");
  EXPECT_THAT(page, HasSubstr("# TYPE stoker_tasks gauge\nstoker_tasks{status=\"RUNNING\"} 3\n"
                              "stoker_tasks{status=\"PENDING\"} 1\n"));
}

TEST_F(PagesTest, OnlyReadingIsAllowed) {
  EXPECT_THAT(ask("POST /metrics"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(ask("HEAD /health"), StartsWith("HTTP/1.1 200"));
}

TEST_F(PagesTest, BothPathsAreReserved) {
  EXPECT_TRUE(pages_.reserves("/health"));
  EXPECT_TRUE(pages_.reserves("/metrics"));
  EXPECT_FALSE(pages_.reserves("/metrics/x"));
}

}  // namespace
}  // namespace doors::pages
