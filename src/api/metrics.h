// SPDX-License-Identifier: Apache-2.0
// What /metrics shows: one sample for each request, and gauges of the services.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
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
  // Counts requests that are not operations of a service. count_actions_of() comes first, once per service; the names
  // are constants.
  void count_actions_of(std::string_view service, std::span<const std::string_view> actions);
  void count_action(std::string_view action, std::chrono::nanoseconds took);
  // Counts the bytes of bodies that are files and not structs. count_bytes_of() comes first, once per service.
  void count_bytes_of(std::string_view service);
  void count_bytes(std::string_view service, std::uint64_t in, std::uint64_t out);
  // `service` and `operation` are "" if the request failed before they were known.
  void count_error(std::string_view service, std::string_view operation, std::string_view code);

  // What others count. All samples of a name are next to each other.
  struct Samples {
    std::vector<services::Gauge> gauges = {}, counters = {};
  };
  // In Prometheus's text format, with these samples. Operations that were never called are left out.
  std::string text(const Samples& samples) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace api
