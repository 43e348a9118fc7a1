// SPDX-License-Identifier: Apache-2.0
// What /metrics shows: one sample for each request, and gauges of the services.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/module.h"

namespace api {

class Metrics {
 public:
  explicit Metrics(const std::vector<services::Service>& services);
  ~Metrics();

  void count(const services::Operation& operation, std::chrono::nanoseconds took);
  // Counts the bytes of bodies that are files and not structs. count_bytes_of() comes first, once per service.
  void count_bytes_of(std::string_view service);
  void count_bytes(std::string_view service, std::uint64_t in, std::uint64_t out);
  // `service` and `operation` are "" if the request failed before they were known.
  void count_error(std::string_view service, std::string_view operation, std::string_view code);

  // In Prometheus's text format, with these gauges.
  std::string text(const std::vector<services::Gauge>& gauges) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace api
