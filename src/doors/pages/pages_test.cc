// SPDX-License-Identifier: Apache-2.0
#include "doors/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <latch>

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

  std::string ask(const std::string& line, const std::string& header = "") {
    http::RawClient client(server_.port());
    client.send(line + " HTTP/1.1\r\nHost: x\r\n" + header + "Connection: close\r\n\r\n");
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
  int made_ = 0;
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

TEST_F(PagesTest, HealthReportsAFullDiskAndRecovers) {
  std::uint64_t free = 100 << 20;
  base::DiskSpace space(folder_, 8 << 20, [&](const std::string&) {
    return std::optional<base::DiskSpace::Disk>({free, 1 << 30});
  });
  engine_.set_space(space);
  EXPECT_THAT(ask("GET /health"), StartsWith("HTTP/1.1 200"));
  free = 1 << 20;
  const std::string page = ask("GET /health");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(page, HasSubstr(R"("status":"full")"));
  EXPECT_THAT(page, HasSubstr("The disk that holds Stoker's data is full: 1.0 MiB are left"));
  free = 100 << 20;
  EXPECT_THAT(ask("GET /health"), StartsWith("HTTP/1.1 200"));
}

TEST_F(PagesTest, MetricsShowTheGaugesOfServicesInOneFamilyEach) {
  const std::string page = ask("GET /metrics");
  EXPECT_THAT(page, HasSubstr("# TYPE stoker_tasks gauge\nstoker_tasks{status=\"RUNNING\"} 3\n"
                              "stoker_tasks{status=\"PENDING\"} 1\n"));
}

TEST_F(PagesTest, APageOfMetricsIsSharedForASecond) {
  pages_.set_source([this] {
    PagesDoor::Samples samples;
    samples.counters.push_back({"made_total", "Pages", {}, static_cast<double>(++made_)});
    return samples;
  });
  EXPECT_THAT(ask("GET /metrics"), HasSubstr("# TYPE made_total counter\nmade_total 1\n"));
  clock_.advance(std::chrono::milliseconds(999));
  EXPECT_THAT(ask("GET /metrics"), HasSubstr("made_total 1\n"));
  clock_.advance(std::chrono::milliseconds(1));
  EXPECT_THAT(ask("GET /metrics"), HasSubstr("made_total 2\n"));
}

TEST_F(PagesTest, RequestsThatComeWhileAPageIsMadeWaitForIt) {
  constexpr int kRequests = 8;
  std::latch begun{1}, may_end{1}, arrived{kRequests};
  std::atomic<int> reads = 0;
  std::vector<services::Module> modules(1);
  modules[0].gauges = [&](services::Call&) {
    if (++reads == 1) begun.count_down();
    may_end.wait();
    return std::vector<services::Gauge>{{"slow", "Slow", {}, 7}};
  };
  PagesDoor slow(engine_, metrics_, modules, "1.2.3");
  api::Dispatcher dispatcher{{&slow}};
  http::Server server(io_, [&](http::Exchange& exchange) {
    if (exchange.head().path() == "/metrics") arrived.count_down();
    return dispatcher.handle(exchange);
  });
  server.listen_tcp("127.0.0.1", 0);
  const std::string request = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  std::vector<std::unique_ptr<http::RawClient>> clients;
  for (int i = 0; i < kRequests; ++i) {
    clients.push_back(std::make_unique<http::RawClient>(server.port()));
    clients.back()->send("GET /metrics" + request);
    if (i == 0) begun.wait();
  }
  arrived.wait();
  http::RawClient last(server.port());  // on the same thread: when it is answered, the others wait
  last.send("GET /health" + request);
  EXPECT_THAT(last.read_to_end(), StartsWith("HTTP/1.1 200"));
  clock_.advance(std::chrono::seconds(10));  // so long does it take
  may_end.count_down();
  for (auto& client : clients) EXPECT_THAT(client->read_to_end(), HasSubstr("\nslow 7\n"));
  EXPECT_EQ(reads.load(), 1);
  server.drain();
}

TEST_F(PagesTest, MetricsMayNeedAToken) {
  pages_.set_token("0123456789abcdef");
  EXPECT_THAT(ask("GET /metrics"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("GET /metrics", "Authorization: Bearer 0123456789abcdeX\r\n"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("GET /metrics", "Authorization: Bearer 0123456789abcdef\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("GET /health"), StartsWith("HTTP/1.1 200"));
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
