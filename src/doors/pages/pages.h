// SPDX-License-Identifier: Apache-2.0
// The pages that need no key: /health for load balancers and /metrics for Prometheus.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "api/door.h"
#include "api/engine.h"
#include "api/metrics.h"
#include "base/time.h"
#include "services/module.h"

namespace doors::pages {

class PagesDoor : public api::Door {
 public:
  // `engine` and `metrics` outlive it.
  PagesDoor(api::Engine& engine, const api::Metrics& metrics, const std::vector<services::Module>& modules,
            std::string version);

  bool reserves(std::string_view path) const override { return path == "/health" || path == "/metrics"; }
  bool accepts(const api::Arrival& arrival) const override { return reserves(arrival.head.path()); }
  boost::asio::awaitable<http::Response> serve(http::Exchange& exchange, signing::ClaimResult claim) override;

 private:
  http::Response health() const;
  boost::asio::awaitable<std::vector<services::Gauge>> read_gauges();

  api::Engine& engine_;
  const api::Metrics& metrics_;
  std::vector<std::function<std::vector<services::Gauge>(services::Call&)>> gauges_;
  std::string version_;
  base::Time started_at_;
};

}  // namespace doors::pages
