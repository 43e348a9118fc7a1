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
  // Bytes of bodies that are files and not structs, once count_bytes_of() was called for the service.
  void count_bytes_of(std::string_view service);
  void count_bytes(std::string_view service, std::uint64_t in, std::uint64_t out);
  // `service` and `operation` are "" where a request did not get so far.
  void count_error(std::string_view service, std::string_view operation, std::string_view code);

  // In Prometheus's text format, with values that were read just now.
  std::string text(const std::vector<services::Gauge>& gauges) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace api
