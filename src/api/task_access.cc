// SPDX-License-Identifier: Apache-2.0
#include "api/task_access.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "wire/error.h"

namespace api {
namespace {

constexpr std::string_view kForMachines[] = {
    "DeregisterContainerInstance",  "DiscoverPollEndpoint",         "RegisterContainerInstance",
    "SubmitAttachmentStateChanges", "SubmitContainerStateChange",   "SubmitTaskStateChange",
};
// Of the services that are ours: what workers report.
constexpr std::string_view kOfWorkers[] = {"ReportJobs"};

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

void check_task_access(const services::Caller& caller, std::string_view service, std::string_view operation) {
  if (!caller.task) return;
  const bool ours = service == "stoker" || service == "pipelines" || operation.starts_with("Stoker");
  const bool allowed = ours ? is_one_of(operation, kOfWorkers) : !is_one_of(operation, kForMachines);
  if (allowed) return;
  throw wire::ApiError("AccessDeniedException", "The credentials of a task may not be used for " + std::string(service) +
                                                    ":" + std::string(operation) + ".");
}

}  // namespace api
