// SPDX-License-Identifier: Apache-2.0
// The paths of the job API (docs/openapi.yaml).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace doors::jobs {

enum class Action {
  ShowPipeline,
  SubmitJob,
  ListPipelineJobs,
  PipelineEvents,
  ListJobs,
  ShowJob,
  ShowResult,
  CancelJob,
  RetryJob,
  JobEvents,
  ListDeliveries,
  ResendDelivery,
};

// Of all actions, in order.
inline constexpr std::array<std::string_view, 12> kActionNames = {
    "ShowPipeline", "SubmitJob", "ListPipelineJobs", "PipelineEvents", "ListJobs",       "ShowJob",
    "ShowResult",   "CancelJob", "RetryJob",         "JobEvents",      "ListDeliveries", "ResendDelivery"};
constexpr std::string_view name_of(Action action) { return kActionNames[static_cast<std::size_t>(action)]; }

struct Route {
  Action action = Action::ListJobs;
  std::string pipeline, job, delivery;  // those that the path names, decoded
};

// Paths that only this door serves.
bool is_job_path(std::string_view path);

struct RouteResult {
  std::vector<Route> found;            // one, or none
  std::vector<std::string> methods;    // that the path allows; none: there is no such path
};
RouteResult find_route(std::string_view method, std::string_view path);

}  // namespace doors::jobs
