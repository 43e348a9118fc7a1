// SPDX-License-Identifier: Apache-2.0
#include "api/request_log.h"

#include "base/log.h"

namespace api {
namespace {

void log_served(const Job& job, std::string_view operation, std::chrono::nanoseconds took) {
  if (!base::logs(base::LogLevel::Debug)) return;
  base::log_debug("served", {{"request", job.request_id},
                             {"account", job.caller.account},
                             {"operation", operation},
                             {"us", std::chrono::duration_cast<std::chrono::microseconds>(took).count()}});
}

}  // namespace

void RequestLog::succeeded(const Job& job) {
  const auto took = std::chrono::steady_clock::now() - job.arrived;
  metrics_.count(*job.operation, took);
  log_served(job, job.operation->wire.name, took);
}

void RequestLog::succeeded(const Job& job, std::string_view action) {
  const auto took = std::chrono::steady_clock::now() - job.arrived;
  metrics_.count_action(action, took);
  log_served(job, action, took);
}

void RequestLog::failed(const Job& job, std::string_view service, const wire::ApiError& error, int status) {
  const std::string_view operation = job.operation ? job.operation->wire.name : std::string_view();
  metrics_.count_error(service, operation, error.code());
  base::log(status >= 500 ? base::LogLevel::Error : base::LogLevel::Debug, "rejected",
            {{"request", job.request_id},
             {"service", service},
             {"operation", operation},
             {"code", error.code()},
             {"message", error.message()}});
}

}  // namespace api
