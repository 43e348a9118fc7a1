// SPDX-License-Identifier: Apache-2.0
// Operations that list what there is: processes, policies, limits, and load balancers, of which there are none.
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_settings.h"
#include "services/autoscaling/groups/launch_configuration.h"
#include "services/autoscaling/groups/operations.h"
#include "services/autoscaling/groups/processes.h"
#include "shapes/autoscaling/load_balancer.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;

ProcessesType describe_scaling_process_types(Call&, const NoMembers&) {
  ProcessesType answer;
  answer.Processes.emplace();
  for (const std::string_view name : kProcesses) answer.Processes->push_back({.ProcessName = std::string(name)});
  return answer;
}

DescribeTerminationPolicyTypesAnswer describe_termination_policy_types(Call&, const NoMembers&) {
  return {.TerminationPolicyTypes = termination_policy_types()};
}

DescribeAccountLimitsAnswer describe_account_limits(Call& call, const NoMembers&) {
  const auto groups = call.tx
                          .query("SELECT count(*) FROM autoscaling_groups WHERE account = $1 AND region = $2",
                                 call.caller.account, call.caller.region)
                          .integer();
  return {.MaxNumberOfAutoScalingGroups = 500,
          .MaxNumberOfLaunchConfigurations = 200,
          .NumberOfAutoScalingGroups = static_cast<std::int32_t>(groups),
          .NumberOfLaunchConfigurations = static_cast<std::int32_t>(count_launch_configurations(call))};
}

DescribeLoadBalancersResponse describe_load_balancers(Call& call, const DescribeLoadBalancersRequest& request) {
  find_group(call, request.AutoScalingGroupName);
  return {.LoadBalancers = std::vector<LoadBalancerState>()};
}

DescribeLoadBalancerTargetGroupsResponse describe_load_balancer_target_groups(
    Call& call, const DescribeLoadBalancerTargetGroupsRequest& request) {
  find_group(call, request.AutoScalingGroupName);
  return {.LoadBalancerTargetGroups = std::vector<LoadBalancerTargetGroupState>()};
}

DescribeTrafficSourcesResponse describe_traffic_sources(Call& call, const DescribeTrafficSourcesRequest& request) {
  find_group(call, request.AutoScalingGroupName);
  return {.TrafficSources = std::vector<TrafficSourceState>()};
}

}  // namespace

std::vector<Operation> group_type_operations() {
  return {operation<&describe_scaling_process_types>("DescribeScalingProcessTypes", Access::Read),
          operation<&describe_termination_policy_types>("DescribeTerminationPolicyTypes", Access::Read),
          operation<&describe_account_limits>("DescribeAccountLimits", Access::Read),
          operation<&describe_load_balancers>("DescribeLoadBalancers", Access::Read),
          operation<&describe_load_balancer_target_groups>("DescribeLoadBalancerTargetGroups", Access::Read),
          operation<&describe_traffic_sources>("DescribeTrafficSources", Access::Read)};
}

}  // namespace services::autoscaling
