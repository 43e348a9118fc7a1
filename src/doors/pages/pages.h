// SPDX-License-Identifier: Apache-2.0
// The pages that need no signature: /health for load balancers and /metrics for Prometheus.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/door.h"
#include "api/engine.h"
#include "api/metrics.h"
#include "base/guarded.h"
#include "base/time.h"
#include "services/module.h"

namespace doors::pages {

class PagesDoor : public api::Door {
 public:
  // `engine` and `metrics` outlive it.
  PagesDoor(api::Engine& engine, const api::Metrics& metrics, const std::vector<services::Module>& modules,
            std::string version);

  // Before the first request. Without a token, or with "", everybody may read /metrics.
  void set_token(std::string token) { token_ = std::move(token); }
  // What the server itself counts.
  using Samples = api::Metrics::Samples;
  void set_source(std::function<Samples()> source) { source_ = std::move(source); }

  bool reserves(std::string_view path) const override { return path == "/health" || path == "/metrics"; }
  bool accepts(const api::Arrival& arrival) const override { return reserves(arrival.head.path()); }
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  http::Response health();
  boost::asio::awaitable<http::Response> metrics(const http::RequestHead& head);
  boost::asio::awaitable<std::string> shared_page();
  boost::asio::awaitable<std::string> make_page();
  boost::asio::awaitable<std::vector<services::Gauge>> read_gauges();

  // Scrapers, however many and often they come, share a page: one request makes it, and the others wait for it. Reading
  // the gauges can take long, and holds a reader of the store.
  struct Page {
    base::Time made_at;
    std::string text;
  };
  struct Shared {
    std::optional<Page> page;
    std::uint64_t pages_made = 0;
    bool in_work = false;
  };

  api::Engine& engine_;
  const api::Metrics& metrics_;
  std::vector<std::function<std::vector<services::Gauge>(services::Call&)>> gauges_;
  std::string version_;
  base::Time started_at_;
  std::string token_;
  std::function<Samples()> source_;
  base::Guarded<Shared> shared_;
};

}  // namespace doors::pages
