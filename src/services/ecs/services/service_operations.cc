// SPDX-License-Identifier: Apache-2.0
// Describing and listing services.
#include "services/ecs/services/service_operations.h"

#include <algorithm>

#include "services/ecs/arn.h"
#include "services/ecs/clusters/cluster.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "services/ecs/services/service_view.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribedServices = 10;
constexpr std::int32_t kDefaultServicePage = 10;

}  // namespace

DescribeServicesResponse describe_services(Call& call, const DescribeServicesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  if (request.services.empty()) throw invalid_parameter("Services cannot be empty.");
  check_at_most(kMaxDescribedServices, request.services.size(), "services");
  const auto include = request.include.value_or(std::vector<std::string>());
  const bool tags = std::ranges::find(include, "TAGS") != include.end();
  DescribeServicesResponse response;
  response.services.emplace();
  response.failures.emplace();
  for (const std::string& text : request.services) {
    if (auto service = find_requested_service(call.tx, cluster, text)) {
      response.services->push_back(show_service(call, cluster, *service, tags));
    } else {
      const std::string arn = text.starts_with("arn:") ? text : service_arn(cluster, text);
      response.failures->push_back({.arn = arn, .reason = "MISSING"});
    }
  }
  return response;
}

ListServicesResponse list_services(Call& call, const ListServicesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const Page page = page_of(request.maxResults.value_or(kDefaultServicePage), request.nextToken);
  state::ServiceFilter filter{.cluster = cluster.number, .after = page.after, .most = page.size + 1};
  if (request.schedulingStrategy) filter.daemon = *request.schedulingStrategy == "DAEMON";
  // All services have the launch type EC2, and none is managed by ECS.
  const bool none = request.launchType.value_or("EC2") != "EC2" || request.resourceManagementType == "ECS";
  std::vector<std::string> names;
  if (!none) {
    for (const state::Service& service : state::list_services(call.tx, filter)) names.push_back(service.name);
  }
  ListServicesResponse response;
  response.nextToken = cut_page(names, page);
  response.serviceArns.emplace();
  for (const std::string& name : names) response.serviceArns->push_back(service_arn(cluster, name));
  return response;
}

std::vector<Operation> service_operations() {
  return {
      operation<&describe_services>("DescribeServices", Access::Read),
      operation<&list_services>("ListServices", Access::Read),
  };
}

}  // namespace services::ecs
