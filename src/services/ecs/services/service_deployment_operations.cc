// SPDX-License-Identifier: Apache-2.0
// Service deployments: the history of a service's changes, and how to stop one.
#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/services/circuit_breaker.h"
#include "services/ecs/services/new_deployment.h"
#include "services/ecs/services/part_of_service.h"
#include "services/ecs/services/service_operations.h"
#include "services/ecs/services/service_view.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribedDeployments = 20;
constexpr std::int32_t kDefaultDeploymentPage = 20;
constexpr std::int64_t kRowsAtOnce = 100;

std::int64_t row_before(const Page& page) {
  if (page.after.empty()) return 0;
  try {
    return std::stoll(page.after);
  } catch (const std::exception&) {
    throw invalid_parameter("Invalid token.");
  }
}

bool passes(const ListServiceDeploymentsRequest& request, const state::ServiceDeployment& deployment) {
  if (request.status && !request.status->empty() &&
      std::ranges::find(*request.status, deployment.status) == request.status->end()) {
    return false;
  }
  if (!request.createdAt) return true;
  const auto& [before, after] = *request.createdAt;
  return (!before || deployment.created_at < *before) && (!after || deployment.created_at > *after);
}

std::vector<state::ServiceDeployment> passing_rows(Call& call, const ListServiceDeploymentsRequest& request,
                                                   state::ServiceNumber service, const Page& page) {
  std::vector<state::ServiceDeployment> found;
  std::int64_t before = row_before(page);
  while (true) {
    auto rows = state::list_service_deployments(call.tx, service, before, kRowsAtOnce);
    for (state::ServiceDeployment& row : rows) {
      before = row.number;
      if (passes(request, row)) found.push_back(std::move(row));
      if (std::ssize(found) > page.size) return found;
    }
    if (std::ssize(rows) < kRowsAtOnce) return found;
  }
}

ServiceRevisionSummary show_summary(Call& call, const PartOfService& part, const state::Deployment& deployment) {
  const auto tasks = state::count_service_tasks(call.tx, part.service.number);
  const RevisionCounts counts = count_revision(part.service, deployment, tasks);
  return {.arn = service_revision_arn(part.cluster, part.service.name, deployment.id),
          .requestedTaskCount = counts.requested,
          .runningTaskCount = counts.running,
          .pendingTaskCount = counts.pending};
}

// While it watches, the circuit breaker shows what it counts.
void show_breaker(ServiceDeploymentCircuitBreaker& breaker, const state::Service& service,
                  const state::Deployment& target) {
  if (breaker.status != "MONITORING") return;
  const auto configuration = from_json<ServiceBody>(service.body_json).deploymentConfiguration;
  breaker.failureCount = count_failures(configuration, target);
  breaker.threshold = scheduler::breaker_threshold(service.desired, failure_threshold(configuration));
}

shapes::ecs::ServiceDeployment show_service_deployment(Call& call, const PartOfService& part,
                                                       const StoredServiceDeployment& change) {
  shapes::ecs::ServiceDeployment out;
  out.serviceDeploymentArn = service_deployment_arn(part.cluster, part.service.name, change.id);
  out.serviceArn = service_arn(part.cluster, part.service.name);
  out.clusterArn = cluster_arn(part.cluster);
  out.createdAt = change.created_at;
  out.startedAt = change.started_at;
  out.finishedAt = change.finished_at;
  out.stoppedAt = change.stopped_at;
  out.updatedAt = change.updated_at;
  out.sourceServiceRevisions.emplace();
  for (const std::string& id : change.body.sources) {
    const auto source = state::find_deployment(call.tx, part.service.number, id);
    if (source) out.sourceServiceRevisions->push_back(show_summary(call, part, *source));
  }
  out.status = change.status;
  out.statusReason = change.body.statusReason;
  out.deploymentConfiguration = change.body.deploymentConfiguration;
  out.rollback = change.body.rollback;
  out.deploymentCircuitBreaker = change.body.deploymentCircuitBreaker;
  out.alarms = change.body.alarms;
  if (const auto target = state::find_deployment(call.tx, change.target)) {
    out.targetServiceRevision = show_summary(call, part, *target);
    if (out.deploymentCircuitBreaker) show_breaker(*out.deploymentCircuitBreaker, part.service, *target);
  }
  return out;
}

// Amazon's own example has the ARN of a service in another cluster than the default one, and names no cluster.
std::optional<std::string> cluster_of(const ListServiceDeploymentsRequest& request) {
  if (request.cluster) return request.cluster;
  const auto arn = parse_arn(request.service);
  const std::size_t slash = arn && arn->type == "service" ? arn->name.find('/') : std::string::npos;
  return slash == std::string::npos ? std::nullopt : std::optional(arn->name.substr(0, slash));
}

wire::ApiError cannot_stop(const std::string& why) { return wire::ApiError("ConflictException", why); }

}  // namespace

ListServiceDeploymentsResponse list_service_deployments(Call& call, const ListServiceDeploymentsRequest& request) {
  const state::Cluster cluster = find_cluster(call, cluster_of(request));
  const StoredService service = find_service(call.tx, cluster, request.service);
  const Page page = page_of(request.maxResults.value_or(kDefaultDeploymentPage), request.nextToken);
  auto rows = passing_rows(call, request, service.number, page);
  std::vector<std::string> numbers;
  for (const state::ServiceDeployment& row : rows) numbers.push_back(std::to_string(row.number));
  ListServiceDeploymentsResponse response;
  response.nextToken = cut_page(numbers, page);
  rows.resize(numbers.size());
  response.serviceDeployments.emplace();
  for (state::ServiceDeployment& row : rows) {
    const StoredServiceDeployment change = parse(std::move(row));
    const auto target = state::find_deployment(call.tx, change.target);
    auto& out = response.serviceDeployments->emplace_back();
    out.serviceDeploymentArn = service_deployment_arn(cluster, service.name, change.id);
    out.serviceArn = service_arn(cluster, service.name);
    out.clusterArn = cluster_arn(cluster);
    out.startedAt = change.started_at;
    out.createdAt = change.created_at;
    out.finishedAt = change.finished_at;
    if (target) out.targetServiceRevisionArn = service_revision_arn(cluster, service.name, target->id);
    out.status = change.status;
    out.statusReason = change.body.statusReason;
  }
  return response;
}

DescribeServiceDeploymentsResponse describe_service_deployments(Call& call,
                                                                const DescribeServiceDeploymentsRequest& request) {
  if (request.serviceDeploymentArns.empty()) throw invalid_parameter("serviceDeploymentArns cannot be empty.");
  check_at_most(kMaxDescribedDeployments, request.serviceDeploymentArns.size(), "serviceDeploymentArns");
  DescribeServiceDeploymentsResponse response;
  response.serviceDeployments.emplace();
  response.failures.emplace();
  for (const std::string& arn : request.serviceDeploymentArns) {
    const auto part = find_part_of_service(call, arn, "service-deployment");
    auto row = part ? state::find_service_deployment(call.tx, part->service.number, part->id) : std::nullopt;
    if (row) {
      response.serviceDeployments->push_back(show_service_deployment(call, *part, parse(std::move(*row))));
    } else {
      response.failures->push_back({.arn = arn, .reason = "MISSING"});
    }
  }
  return response;
}

// Only requests it: the loop that reconciles services rolls back, or stops.
StopServiceDeploymentResponse stop_service_deployment(Call& call, const StopServiceDeploymentRequest& request) {
  const auto part = find_part_of_service(call, request.serviceDeploymentArn, "service-deployment");
  auto row = part ? state::find_service_deployment(call.tx, part->service.number, part->id) : std::nullopt;
  if (!row) throw wire::ApiError("ServiceDeploymentNotFoundException", "Service deployment not found.");
  StoredServiceDeployment change = parse(std::move(*row));
  if (change.status != "PENDING" && change.status != "IN_PROGRESS") {
    throw cannot_stop(fmt::format("The service deployment cannot be stopped: its status is {}.", change.status));
  }
  const bool abort = request.stopType == "ABORT";
  if (!abort && !state::find_last_completed(call.tx, part->service.number, change.target)) {
    throw cannot_stop("The service deployment cannot be rolled back: no earlier service revision was completed.");
  }
  change.status = abort ? "STOP_REQUESTED" : "ROLLBACK_REQUESTED";
  change.updated_at = call.now;
  update_service_deployment_row(call.tx, change);
  mark_service(call, part->service.number);
  return {.serviceDeploymentArn = request.serviceDeploymentArn};
}

std::vector<Operation> service_deployment_operations() {
  return {
      operation<&describe_service_deployments>("DescribeServiceDeployments", Access::Read),
      operation<&list_service_deployments>("ListServiceDeployments", Access::Read),
      operation<&stop_service_deployment>("StopServiceDeployment", Access::Write),
  };
}

}  // namespace services::ecs
