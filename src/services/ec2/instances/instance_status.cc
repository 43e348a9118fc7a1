// SPDX-License-Identifier: Apache-2.0
// DescribeInstanceStatus: the status checks of instances.
#include "services/ec2/errors.h"
#include "services/ec2/filters.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/instance_health.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/operations.h"
#include "services/ec2/resource_tags.h"
#include "services/ec2/zones.h"
#include "shapes/ec2/instance_status.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr std::string_view kStatusFilters[] = {
    "availability-zone",   "availability-zone-id",       "instance-state-code",   "instance-state-name",
    "instance-status.reachability", "instance-status.status", "system-status.reachability", "system-status.status"};

InstanceStatusSummary summary(const std::string& status, const std::string& detail, std::optional<base::Time> since) {
  InstanceStatusSummary shape;
  shape.Status = status;
  if (detail.empty()) return shape;
  shape.Details.emplace();
  shape.Details->push_back({since, "reachability", detail});
  return shape;
}

InstanceStatus shown_status(Call& call, const state::Ec2Instance& instance) {
  InstanceStatus shape;
  shape.AvailabilityZone = instance.zone;
  shape.AvailabilityZoneId = zone_id(instance.zone);
  shape.InstanceId = instance.id;
  shape.InstanceState = shown_state(instance.state);
  if (instance.state != state::Ec2State::Running) {
    shape.InstanceStatus = shape.SystemStatus = summary("not-applicable", "", std::nullopt);
    return shape;
  }
  const HealthCheck check = check_health(instance, find_disconnection(call.tx, instance), call.now);
  switch (check.health) {
    case Health::Initializing: shape.InstanceStatus = summary("initializing", "initializing", std::nullopt); break;
    case Health::Ok: shape.InstanceStatus = summary("ok", "passed", std::nullopt); break;
    case Health::Impaired: shape.InstanceStatus = summary("impaired", "failed", check.impaired_since); break;
  }
  // The provider reports that the machine runs.
  shape.SystemStatus = check.health == Health::Initializing ? *shape.InstanceStatus : summary("ok", "passed", std::nullopt);
  return shape;
}

std::vector<std::string> status_values(const InstanceStatus& shape, std::string_view name) {
  if (name == "availability-zone") return as_values(shape.AvailabilityZone);
  if (name == "availability-zone-id") return as_values(shape.AvailabilityZoneId);
  if (name == "instance-state-code") return {std::to_string(*shape.InstanceState->Code)};
  if (name == "instance-state-name") return as_values(shape.InstanceState->Name);
  const InstanceStatusSummary& checked = name.starts_with("system") ? *shape.SystemStatus : *shape.InstanceStatus;
  if (name.ends_with("status.status")) return as_values(checked.Status);
  return checked.Details ? as_values(checked.Details->front().Status) : std::vector<std::string>();
}

DescribeInstanceStatusResult describe_instance_status(Call& call, const DescribeInstanceStatusRequest& request) {
  check_filters(request.Filters, kStatusFilters);
  if (request.InstanceIds && request.MaxResults) {
    throw invalid_combination("The parameter instancesSet cannot be used with the parameter maxResults");
  }
  Page page = read_list_page(request.MaxResults, request.NextToken);
  if (request.InstanceIds) page.size = kMaxListedInstances;  // all that it names
  auto instances = request.InstanceIds
                       ? get_instances(call, *request.InstanceIds)
                       : state::list_ec2_instances(call.tx, {.account = call.caller.account,
                                                             .region = call.caller.region,
                                                             .most = kMaxListedInstances});
  check_dry_run(request.DryRun);
  std::vector<InstanceStatus> statuses;
  auto tags = tags_of_type(call, "instance");
  for (const auto& instance : instances) {
    const bool running = instance.state == state::Ec2State::Running;
    if (!running && !request.IncludeAllInstances.value_or(false)) continue;
    InstanceStatus shape = shown_status(call, instance);
    const auto values = [&](std::string_view name) { return status_values(shape, name); };
    if (passes(request.Filters, tags[instance.id], values)) statuses.push_back(std::move(shape));
  }
  DescribeInstanceStatusResult result;
  result.NextToken = cut_list(statuses, page, [](const InstanceStatus& one) { return *one.InstanceId; });
  result.InstanceStatuses = std::move(statuses);
  return result;
}

}  // namespace

std::vector<Operation> instance_status_operations() {
  return {operation<&describe_instance_status>("DescribeInstanceStatus", Access::Read)};
}

}  // namespace services::ec2
