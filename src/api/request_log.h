// SPDX-License-Identifier: Apache-2.0
// One sample and one log line for each request, whichever door served it.
#pragma once

#include <string_view>

#include "api/job.h"
#include "api/metrics.h"
#include "wire/error.h"

namespace api {

class RequestLog {
 public:
  explicit RequestLog(Metrics& metrics) : metrics_(metrics) {}

  // job.operation is known.
  void succeeded(const Job& job);
  // A request that is not an operation; see Metrics::count_actions_of().
  void succeeded(const Job& job, std::string_view action);
  void count_actions_of(std::string_view service, std::span<const std::string_view> actions) {
    metrics_.count_actions_of(service, actions);
  }
  // `service` is "" if the request failed before it was known.
  void failed(const Job& job, std::string_view service, const wire::ApiError& error, int status);

 private:
  Metrics& metrics_;
};

}  // namespace api
