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
#include "services/shape_json.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribedServices = 10;
constexpr std::int32_t kDefaultServicePage = 10;

bool has_launch_type(const state::Service& service, const std::optional<std::string>& type) {
  return !type || from_json<ServiceBody>(service.body_json).launchType == *type;
}

}  // namespace

DescribeServicesResponse describe_services(Call& call, const DescribeServicesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  if (request.services.empty()) throw invalid_parameter("Services cannot be empty.");
  check_at_most(kMaxDescribedServices, request.services.size(), "service names");  // Amazon's words
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
  // No service is managed by ECS.
  const auto enough = static_cast<std::size_t>(filter.most);
  std::vector<std::string> names;
  for (bool more = request.resourceManagementType != "ECS"; more && names.size() < enough;) {
    const std::vector<state::Service> slice = state::list_services(call.tx, filter);
    more = slice.size() == enough;
    for (const state::Service& service : slice) {
      filter.after = service.name;
      if (names.size() < enough && has_launch_type(service, request.launchType)) names.push_back(service.name);
    }
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
