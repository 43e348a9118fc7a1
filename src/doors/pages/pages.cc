// SPDX-License-Identifier: Apache-2.0
#include "doors/pages/pages.h"

#include "base/log.h"
#include "shapes/stoker/health.h"
#include "wire/json.h"

namespace doors::pages {
namespace asio = boost::asio;

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
  const std::vector<services::Gauge> gauges = co_await read_gauges();
  http::Response page{
      200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, metrics_.text(gauges)};
  co_return page;
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

http::Response PagesDoor::health() const {
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(engine_.clock().now() - started_at_).count();
  const shapes::stoker::Health health{engine_.draining() ? "stopping" : "ok", version_, up};
  std::string body;
  wire::write_json(wire::type_of<shapes::stoker::Health>(), &health, body);
  body += '\n';
  return {engine_.draining() ? 503 : 200, {{"Content-Type", "application/json"}}, std::move(body)};
}

}  // namespace doors::pages
