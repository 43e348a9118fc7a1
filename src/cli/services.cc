// SPDX-License-Identifier: Apache-2.0
// stoker services
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace cli {
namespace {

using shapes::ecs::Deployment;
using shapes::ecs::Service;

struct PrintedServices {
  std::vector<Service> services;
};
BOOST_DESCRIBE_STRUCT(PrintedServices, (), (services))

std::optional<Deployment> primary_of(const Service& service) {
  for (const Deployment& deployment : service.deployments.value_or(std::vector<Deployment>())) {
    if (deployment.status == "PRIMARY") return deployment;
  }
  return std::nullopt;
}

// "1 of 2"
std::string progress(const Deployment& deployment) {
  return std::to_string(deployment.runningCount.value_or(0)) + " of " +
         std::to_string(deployment.desiredCount.value_or(0));
}

}  // namespace

std::string service_state(const Service& service) {
  const auto primary = primary_of(service);
  if (service.status == "DRAINING") return "draining";
  if (service.status == "INACTIVE") return "deleted";
  if (!primary) return "-";
  const std::int32_t failed = primary->failedTasks.value_or(0);
  if (primary->rolloutState == "FAILED") return "failed";
  if (failed > 0) return "failing: " + std::to_string(failed) + " in a row";
  const bool rolling_back = primary->rolloutStateReason.value_or("").find("rolling back") != std::string::npos;
  if (primary->rolloutState == "IN_PROGRESS")
    return (rolling_back ? "rolling back " : "deploying ") + progress(*primary);
  const std::int32_t desired = service.desiredCount.value_or(0), running = service.runningCount.value_or(0);
  if (running + service.pendingCount.value_or(0) > desired) return "scaling in";
  return running == desired ? "steady" : "starting " + progress(*primary);
}

std::vector<std::string> service_row(const Service& service, base::Time now) {
  return {service.serviceName.value_or(""),
          family_and_revision(service.taskDefinition.value_or("")),
          std::to_string(service.desiredCount.value_or(0)),
          std::to_string(service.runningCount.value_or(0)),
          std::to_string(service.pendingCount.value_or(0)),
          service_state(service),
          service.createdAt ? brief_duration(now - *service.createdAt) : "-"};
}

int services(const Options& options, std::ostream& out) {
  ClusterClient client(options);
  PrintedServices printed{client.services()};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.services.empty()) {
    out << "no services in cluster " << client.cluster() << ": `aws ecs create-service` creates one\n";
    return 0;
  }
  const base::Time now = base::SystemClock().now();
  std::vector<std::vector<std::string>> rows{
      {"SERVICE", "DEFINITION", "DESIRED", "RUNNING", "PENDING", "STATE", "AGE"}};
  for (const Service& service : printed.services) rows.push_back(service_row(service, now));
  print_table(out, rows);
  return 0;
}

}  // namespace cli
