// SPDX-License-Identifier: Apache-2.0
#include "doors/pages/pages.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/bytes.h"
#include "base/log.h"
#include "shapes/stoker/health.h"
#include "wire/json.h"

namespace doors::pages {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kPageAge = std::chrono::seconds(1);
// Woken when a page is ready or has failed.
constexpr char kPageTopic[] = "pages/metrics";
constexpr base::Duration kPagePatience = std::chrono::seconds(30);
constexpr char kBearer[] = "Bearer ";

// Of a request for the page: it gets the text, makes it, or waits.
struct Turn {
  std::optional<std::string> text = {};
  bool makes = false;
};

}  // namespace

PagesDoor::PagesDoor(api::Engine& engine, const api::Metrics& metrics, const std::vector<services::Module>& modules,
                     std::string version)
    : engine_(engine), metrics_(metrics), version_(std::move(version)), started_at_(engine.clock().now()) {
  for (const services::Module& module : modules) {
    if (module.gauges) gauges_.push_back(module.gauges);
  }
}

asio::awaitable<http::Response> PagesDoor::serve(http::Exchange& exchange, signing::ClaimResult) {
  const http::RequestHead& head = exchange.head();
  if (head.method != "GET" && head.method != "HEAD") co_return http::text_response(405, "only GET");
  if (head.path() == "/health") co_return health();
  http::Response response = co_await metrics(head);
  co_return response;
}

asio::awaitable<http::Response> PagesDoor::metrics(const http::RequestHead& head) {
  if (!token_.empty() && !base::equals_in_constant_time(head.headers.get("Authorization"), kBearer + token_)) {
    http::Response refused = http::text_response(401, "/metrics needs the header Authorization: Bearer TOKEN");
    refused.headers.set("WWW-Authenticate", "Bearer");
    co_return refused;
  }
  std::string text = co_await shared_page();
  http::Response response{200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, std::move(text)};
  co_return response;
}

asio::awaitable<std::string> PagesDoor::shared_page() {
  const std::uint64_t made_before = shared_.with([](const Shared& shared) { return shared.pages_made; });
  for (;;) {
    const std::uint64_t seen = engine_.topics().seen();
    const base::Time now = engine_.clock().now();
    const Turn turn = shared_.with([&](Shared& shared) -> Turn {
      const bool fresh = shared.page && now >= shared.page->made_at && now - shared.page->made_at < kPageAge;
      // A request that has waited takes the page of that time, whatever its age: otherwise each would make one.
      if (fresh || shared.pages_made > made_before) return {.text = shared.page->text};
      return {.makes = !std::exchange(shared.in_work, true)};
    });
    if (turn.text) co_return *turn.text;
    if (turn.makes) break;
    co_await engine_.topics().wait(kPageTopic, seen, kPagePatience);
  }
  std::string text = co_await make_page();
  co_return text;
}

asio::awaitable<std::string> PagesDoor::make_page() {
  std::exception_ptr failure;
  std::string text;
  try {
    Samples samples = source_ ? source_() : Samples();
    std::vector<services::Gauge> gauges = co_await read_gauges();
    std::move(gauges.begin(), gauges.end(), std::back_inserter(samples.gauges));
    text = metrics_.text(samples);
  } catch (...) {
    failure = std::current_exception();
  }
  const base::Time now = engine_.clock().now();
  shared_.with([&](Shared& shared) {
    shared.in_work = false;
    if (failure) return;
    shared.page = Page{now, text};
    ++shared.pages_made;
  });
  engine_.topics().wake(kPageTopic);
  if (failure) std::rethrow_exception(failure);
  co_return text;
}

// Counters and histograms are shown even if the database can't be read.
asio::awaitable<std::vector<services::Gauge>> PagesDoor::read_gauges() {
  std::vector<services::Gauge> all;
  if (gauges_.empty()) co_return all;
  api::Engine::Work work = [&](services::Call& call) {
    all.clear();
    for (const auto& gauges : gauges_) {
      for (services::Gauge& gauge : gauges(call)) all.push_back(std::move(gauge));
    }
  };
  services::Caller nobody;
  try {
    co_await engine_.run(services::Access::Read, std::move(nobody), std::move(work));
  } catch (const store::Error& error) {
    base::log_error("gauges could not be read", {{"error", error.what()}});
    all.clear();
  }
  co_return all;
}

http::Response PagesDoor::health() {
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(engine_.clock().now() - started_at_).count();
  shapes::stoker::Health health{engine_.draining() ? "stopping" : "ok", version_, up};
  const std::string problem = engine_.space() ? engine_.space()->problem() : "";
  if (!problem.empty()) {
    health.reason = problem;
    if (!engine_.draining()) health.status = "full";
  }
  std::string body;
  wire::write_json(wire::type_of<shapes::stoker::Health>(), &health, body);
  body += '\n';
  return {health.status == "ok" ? 200 : 503, {{"Content-Type", "application/json"}}, std::move(body)};
}

}  // namespace doors::pages
