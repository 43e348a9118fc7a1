// SPDX-License-Identifier: Apache-2.0
// stoker service scale|update|rollback|delete
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/usage_error.h"
#include "shapes/ecs/service_deployment.h"
#include "shapes/ecs/service_revision.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr std::size_t kMaxRevisions = 20;  // the most that DescribeServiceRevisions accepts

std::string name_of(const Service& service) { return service.serviceName.value_or(""); }

// Only of a service that is not deleted: the server would reject the rest.
Service find_active(ClusterClient& client, const std::string& text) {
  Service service = client.find_service(text);
  if (service.status == "ACTIVE") return service;
  throw std::runtime_error(service.status == "DRAINING" ? name_of(service) + " is being deleted: its tasks are stopping"
                                                        : name_of(service) + " is deleted");
}

Service update(ClusterClient& client, UpdateServiceRequest request) {
  request.cluster = client.cluster();
  return *client.call<UpdateServiceResponse>("UpdateService", request).service;
}

// "web: 4 tasks of web:3 desired, 2 running; deploying 2 of 4"
void print_change(const Options& options, const Service& service, std::ostream& out) {
  if (options.json) {
    print_json(out, service);
    return;
  }
  const int desired = service.desiredCount.value_or(0);
  out << name_of(service) << ": " << desired << (desired == 1 ? " task of " : " tasks of ")
      << family_and_revision(service.taskDefinition.value_or("")) << " desired, " << service.runningCount.value_or(0)
      << " running; " << service_state(service) << '\n';
}

std::vector<ServiceDeploymentBrief> list_deployments(ClusterClient& client, const Service& service,
                                                     std::vector<std::string> statuses) {
  std::vector<ServiceDeploymentBrief> all;
  ListServiceDeploymentsRequest request;
  request.cluster = client.cluster();
  request.service = name_of(service);
  request.status = std::move(statuses);
  do {
    auto page = client.call<ListServiceDeploymentsResponse>("ListServiceDeployments", request);
    for (auto& one : page.serviceDeployments.value_or(std::vector<ServiceDeploymentBrief>())) {
      all.push_back(std::move(one));
    }
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  return all;
}

// The definition of the newest successful deployment that had another one than the service has now. The target of a
// deployment that was rolled back is the revision that failed.
std::string previous_definition(ClusterClient& client, const Service& service) {
  std::vector<std::string> revisions;
  for (const auto& one : list_deployments(client, service, {"SUCCESSFUL"})) {
    if (one.targetServiceRevisionArn) revisions.push_back(*one.targetServiceRevisionArn);
  }
  for (std::size_t at = 0; at < revisions.size(); at += kMaxRevisions) {
    DescribeServiceRevisionsRequest request;
    const std::size_t end = std::min(at + kMaxRevisions, revisions.size());
    request.serviceRevisionArns.assign(revisions.begin() + static_cast<std::ptrdiff_t>(at),
                                       revisions.begin() + static_cast<std::ptrdiff_t>(end));
    const auto found = client.call<DescribeServiceRevisionsResponse>("DescribeServiceRevisions", request);
    for (std::size_t i = at; i < end; ++i) {
      for (const ServiceRevision& revision : found.serviceRevisions.value_or(std::vector<ServiceRevision>())) {
        const bool other = revision.taskDefinition && revision.taskDefinition != service.taskDefinition;
        if (revision.serviceRevisionArn == revisions[i] && other) return *revision.taskDefinition;
      }
    }
  }
  throw std::runtime_error(name_of(service) + " has no earlier successful deployment of another task definition");
}

}  // namespace

int service_scale(const Options& options, const std::string& text, int count, std::ostream& out) {
  ClusterClient client(options);
  const Service service = find_active(client, text);
  if (service.schedulingStrategy == "DAEMON") {
    throw std::runtime_error(name_of(service) + " is a DAEMON: it runs one task on each suitable machine");
  }
  UpdateServiceRequest request;
  request.service = name_of(service);
  request.desiredCount = count;
  print_change(options, update(client, std::move(request)), out);
  return 0;
}

int service_update(const Options& options, const ServiceUpdate& given, std::ostream& out) {
  const bool percents = given.minimum_percent || given.maximum_percent;
  if (!given.task_definition && !given.force && !percents) {
    throw UsageError("nothing to update: use --task-definition, --force, --min or --max");
  }
  ClusterClient client(options);
  const Service service = find_active(client, given.service);
  UpdateServiceRequest request;
  request.service = name_of(service);
  request.taskDefinition = given.task_definition;
  if (given.force) request.forceNewDeployment = true;
  if (percents) {
    // The rest of the configuration stays as it is.
    request.deploymentConfiguration = service.deploymentConfiguration.value_or(DeploymentConfiguration());
    auto& configuration = *request.deploymentConfiguration;
    if (given.minimum_percent) configuration.minimumHealthyPercent = given.minimum_percent;
    if (given.maximum_percent) configuration.maximumPercent = given.maximum_percent;
  }
  print_change(options, update(client, std::move(request)), out);
  return 0;
}

int service_rollback(const Options& options, const std::string& text, std::ostream& out) {
  ClusterClient client(options);
  const Service service = find_active(client, text);
  const auto unfinished = list_deployments(client, service, {"PENDING", "IN_PROGRESS"});
  if (!unfinished.empty()) {
    StopServiceDeploymentRequest request;
    request.serviceDeploymentArn = unfinished.front().serviceDeploymentArn.value_or("");
    request.stopType = "ROLLBACK";
    const auto stopped = client.call<StopServiceDeploymentResponse>("StopServiceDeployment", request);
    if (options.json) {
      print_json(out, stopped);
    } else {
      out << name_of(service) << ": the deployment of " << family_and_revision(service.taskDefinition.value_or(""))
          << " is stopped and rolled back\n";
    }
    return 0;
  }
  UpdateServiceRequest request;
  request.service = name_of(service);
  request.taskDefinition = previous_definition(client, service);
  print_change(options, update(client, std::move(request)), out);
  return 0;
}

int service_delete(const Options& options, const std::string& text, bool force, std::ostream& out) {
  ClusterClient client(options);
  const Service service = find_active(client, text);
  const int desired = service.desiredCount.value_or(0);
  if (desired > 0 && !force && service.schedulingStrategy != "DAEMON") {
    throw std::runtime_error(name_of(service) + " has a desired count of " + std::to_string(desired) +
                             ": scale it to 0 first, or use --force");
  }
  DeleteServiceRequest request;
  request.cluster = client.cluster();
  request.service = name_of(service);
  if (force) request.force = true;
  const Service deleted = *client.call<DeleteServiceResponse>("DeleteService", request).service;
  if (options.json) {
    print_json(out, deleted);
  } else {
    const int left = deleted.runningCount.value_or(0) + deleted.pendingCount.value_or(0);
    out << name_of(service) << " is deleted";
    if (left > 0) out << "; " << left << (left == 1 ? " task is" : " tasks are") << " stopping";
    out << '\n';
  }
  return 0;
}

}  // namespace cli
