// SPDX-License-Identifier: Apache-2.0
// What /metrics shows: one sample a request.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/operation.h"

namespace api {

class Metrics {
 public:
  explicit Metrics(const std::vector<services::Service>& services);
  ~Metrics();

  void count(const services::Operation& operation, std::chrono::nanoseconds took);
  // Of bodies that are files and no structs.
  void count_bytes(std::string_view service, std::uint64_t in, std::uint64_t out);
  // `service` and `operation` are "" where a request did not get so far.
  void count_error(std::string_view service, std::string_view operation, std::string_view code);

  // In Prometheus's text format.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace api
