// SPDX-License-Identifier: Apache-2.0
// Service revisions: what a deployment runs.
#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"
#include "services/ecs/services/part_of_service.h"
#include "services/ecs/services/service_operations.h"
#include "services/ecs/services/service_view.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribedRevisions = 20;

ServiceRevision show_revision(Call& call, const PartOfService& part, const StoredDeployment& deployment) {
  ServiceRevision out;
  out.serviceRevisionArn = service_revision_arn(part.cluster, part.service.name, deployment.id);
  out.serviceArn = service_arn(part.cluster, part.service.name);
  out.clusterArn = cluster_arn(part.cluster);
  out.taskDefinition = definition_arn(call.tx, part.cluster, deployment.definition);
  if (deployment.body.capacityProviderStrategy.empty()) {
    out.launchType = from_json<ServiceBody>(part.service.body_json).launchType;
  } else {
    out.capacityProviderStrategy = deployment.body.capacityProviderStrategy;
  }
  out.loadBalancers.emplace();
  out.serviceRegistries.emplace();
  out.networkConfiguration = deployment.body.networkConfiguration;
  out.containerImages = deployment.body.containerImages;
  out.guardDutyEnabled = false;
  out.createdAt = deployment.created_at;
  return out;
}

}  // namespace

DescribeServiceRevisionsResponse describe_service_revisions(Call& call,
                                                            const DescribeServiceRevisionsRequest& request) {
  if (request.serviceRevisionArns.empty()) throw invalid_parameter("serviceRevisionArns cannot be empty.");
  check_at_most(kMaxDescribedRevisions, request.serviceRevisionArns.size(), "serviceRevisionArns");
  DescribeServiceRevisionsResponse response;
  response.serviceRevisions.emplace();
  response.failures.emplace();
  for (const std::string& arn : request.serviceRevisionArns) {
    const auto part = find_part_of_service(call, arn, "service-revision");
    auto row = part ? state::find_deployment(call.tx, part->service.number, part->id) : std::nullopt;
    if (row) {
      response.serviceRevisions->push_back(show_revision(call, *part, parse(std::move(*row))));
    } else {
      response.failures->push_back({.arn = arn, .reason = "MISSING"});
    }
  }
  return response;
}

std::vector<Operation> service_revision_operations() {
  return {operation<&describe_service_revisions>("DescribeServiceRevisions", Access::Read)};
}

}  // namespace services::ecs
