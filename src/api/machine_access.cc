// SPDX-License-Identifier: Apache-2.0
#include "api/machine_access.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "wire/error.h"

namespace api {
namespace {

struct Allowed {
  std::string_view service, operation;
};

// Agents ship logs of the driver awslogs, of any group of the account: logs of a task that ended long ago as well. The
// same is in Amazon's policy for container instances (AmazonEC2ContainerServiceforEC2Role).
constexpr Allowed kOfMachines[] = {
    {"ecs", "CreateCluster"},  // only the cluster `default`
    {"ecs", "DiscoverPollEndpoint"},
    {"ecs", "RegisterContainerInstance"},
    {"ecs", "SubmitAttachmentStateChanges"},
    {"ecs", "SubmitContainerStateChange"},
    {"ecs", "SubmitTaskStateChange"},
    {"logs", "CreateLogGroup"},
    {"logs", "CreateLogStream"},
    {"logs", "PutLogEvents"},
};

}  // namespace

void check_machine_access(const services::Caller& caller, std::string_view service, std::string_view operation) {
  const bool allowed = std::any_of(std::begin(kOfMachines), std::end(kOfMachines), [&](const Allowed& one) {
    return one.service == service && one.operation == operation;
  });
  if (!allowed) refuse_machine(caller, std::string(service) + ":" + std::string(operation));
}

void refuse_machine(const services::Caller& caller, std::string_view what) {
  if (!caller.machine) return;
  throw wire::ApiError("AccessDeniedException", "The key of a machine may not be used for " + std::string(what) + ".");
}

}  // namespace api
