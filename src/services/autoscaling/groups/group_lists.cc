// SPDX-License-Identifier: Apache-2.0
// DescribeAutoScalingGroups and DescribeAutoScalingInstances.
#include <algorithm>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/group_settings.h"
#include "services/autoscaling/groups/group_tags.h"
#include "services/autoscaling/groups/operations.h"
#include "services/autoscaling/groups/weights.h"
#include "services/page.h"
#include "shapes/autoscaling/instance.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::AutoScalingGroup;
using shapes::autoscaling::AutoScalingGroupNamesType;
using shapes::autoscaling::AutoScalingGroupsType;
using shapes::autoscaling::AutoScalingInstanceDetails;
using shapes::autoscaling::AutoScalingInstancesType;
using shapes::autoscaling::DescribeAutoScalingInstancesType;

constexpr std::int32_t kMaxGroupPage = 100, kGroupPage = 50, kMaxInstancePage = 50;

shapes::autoscaling::Instance show_instance(const GroupInstance& instance, bool weighted) {
  shapes::autoscaling::Instance shown;
  shown.InstanceId = instance.id;
  shown.InstanceType = instance.type;
  shown.AvailabilityZone = instance.zone;
  shown.LifecycleState = text(instance.lifecycle);
  shown.HealthStatus = instance.healthy ? "Healthy" : "Unhealthy";
  shown.LaunchConfigurationName = instance.launch_configuration;
  shown.LaunchTemplate = instance.launch_template;
  if (!instance.image.empty()) shown.ImageId = instance.image;
  shown.ProtectedFromScaleIn = instance.is_protected;
  if (weighted) shown.WeightedCapacity = std::to_string(instance.weight);
  return shown;
}

std::string join_subnets(const std::vector<GroupSubnet>& subnets) {
  std::string text;
  for (const GroupSubnet& subnet : subnets) text += (text.empty() ? "" : ",") + subnet.id;
  return text;
}

void show_records(const Group& group, AutoScalingGroup& shown) {
  const GroupSettings& settings = group.settings;
  shown.LoadBalancerNames = std::vector<std::string>();
  shown.TargetGroupARNs = std::vector<std::string>();
  shown.TrafficSources = std::vector<shapes::autoscaling::TrafficSourceIdentifier>();
  shown.ServiceLinkedRoleARN = settings.service_linked_role.value_or(
      "arn:aws:iam::" + group.account +
      ":role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling");
  shown.CapacityRebalance = false;
  shown.Context = settings.context;
  shown.DeletionProtection = settings.deletion_protection;
  shown.AvailabilityZoneDistribution.emplace();
  shown.AvailabilityZoneDistribution->CapacityDistributionStrategy = "balanced-best-effort";
}

AutoScalingGroup show_group(const Group& group) {
  const GroupSettings& settings = group.settings;
  AutoScalingGroup shown;
  shown.AutoScalingGroupName = group.name;
  shown.AutoScalingGroupARN = group.arn();
  shown.LaunchConfigurationName = settings.launch_configuration;
  shown.LaunchTemplate = settings.launch_template;
  shown.MixedInstancesPolicy = settings.mixed_instances;
  shown.MinSize = group.min;
  shown.MaxSize = group.max;
  shown.DesiredCapacity = group.desired;
  shown.DefaultCooldown = settings.cooldown_s;
  shown.AvailabilityZones = settings.zones;
  shown.HealthCheckType = settings.health_check_type;
  shown.HealthCheckGracePeriod = settings.grace_period_s;
  shown.CreatedTime = group.created_at;
  shown.SuspendedProcesses = settings.suspended;
  shown.VPCZoneIdentifier = join_subnets(settings.subnets);
  shown.EnabledMetrics.emplace();
  for (const std::string& metric : settings.metrics) {
    shown.EnabledMetrics->push_back({.Metric = metric, .Granularity = "1Minute"});
  }
  if (group.status != GroupStatus::Active) shown.Status = "Delete in progress";
  shown.Tags.emplace();
  for (const GroupTag& tag : settings.tags) shown.Tags->push_back(show_tag(group, tag));
  shown.TerminationPolicies = settings.termination_policies;
  shown.NewInstancesProtectedFromScaleIn = settings.protects_new_instances;
  if (settings.max_lifetime_s != 0) shown.MaxInstanceLifetime = settings.max_lifetime_s;
  shown.DefaultInstanceWarmup = settings.warmup_s;
  show_records(group, shown);
  return shown;
}

bool is_named(const AutoScalingGroupNamesType& request, const Group& group) {
  if (!request.AutoScalingGroupNames || request.AutoScalingGroupNames->empty()) return true;
  const auto& names = *request.AutoScalingGroupNames;
  return std::find(names.begin(), names.end(), group.name) != names.end();
}

AutoScalingGroupsType describe_auto_scaling_groups(Call& call, const AutoScalingGroupNamesType& request) {
  const Page page = read_records_page(request.MaxRecords, request.NextToken, kMaxGroupPage, kGroupPage);
  const auto filters = request.Filters.value_or(std::vector<shapes::autoscaling::Filter>());
  check_group_filters(filters);
  std::vector<Group> found;
  for (Group& group : list_groups(call.tx, call.caller.account, call.caller.region, page.after, INT64_MAX)) {
    if (!is_named(request, group) || !matches_tag_filters(group, filters)) continue;
    found.push_back(std::move(group));
    if (found.size() > static_cast<std::size_t>(page.size)) break;
  }
  std::vector<std::string> names;
  for (const Group& group : found) names.push_back(group.name);
  AutoScalingGroupsType answer;
  answer.NextToken = cut_page(names, page);
  found.resize(names.size());
  for (const Group& group : found) {
    AutoScalingGroup shown = show_group(group);
    shown.Instances.emplace();
    if (request.IncludeInstances.value_or(true)) {
      for (const GroupInstance& one : list_group_instances(call.tx, group.number)) {
        shown.Instances->push_back(show_instance(one, has_weights(group)));
      }
    }
    answer.AutoScalingGroups.push_back(std::move(shown));
  }
  return answer;
}

AutoScalingInstanceDetails show_details(const InstanceOfGroup& found) {
  const GroupInstance& instance = found.instance;
  AutoScalingInstanceDetails shown;
  shown.InstanceId = instance.id;
  shown.InstanceType = instance.type;
  shown.AutoScalingGroupName = found.group_name;
  shown.AvailabilityZone = instance.zone;
  shown.LifecycleState = text(instance.lifecycle);
  shown.HealthStatus = instance.healthy ? "HEALTHY" : "UNHEALTHY";
  shown.LaunchConfigurationName = instance.launch_configuration;
  shown.LaunchTemplate = instance.launch_template;
  if (!instance.image.empty()) shown.ImageId = instance.image;
  shown.ProtectedFromScaleIn = instance.is_protected;
  if (instance.weight != 1) shown.WeightedCapacity = std::to_string(instance.weight);
  return shown;
}

AutoScalingInstancesType describe_auto_scaling_instances(Call& call, const DescribeAutoScalingInstancesType& request) {
  const Page page = read_records_page(request.MaxRecords, request.NextToken, kMaxInstancePage, kMaxInstancePage);
  const auto wanted = request.InstanceIds.value_or(std::vector<std::string>());
  const std::int64_t most = wanted.empty() ? page.size + 1 : INT64_MAX;
  std::vector<InstanceOfGroup> found =
      list_instances(call.tx, call.caller.account, call.caller.region, page.after, most);
  if (!wanted.empty()) {
    std::erase_if(found, [&](const InstanceOfGroup& one) {
      return std::find(wanted.begin(), wanted.end(), one.instance.id) == wanted.end();
    });
  }
  std::vector<std::string> ids;
  for (const InstanceOfGroup& one : found) ids.push_back(one.instance.id);
  AutoScalingInstancesType answer;
  answer.NextToken = cut_page(ids, page);
  found.resize(ids.size());
  answer.AutoScalingInstances.emplace();
  for (const InstanceOfGroup& one : found) answer.AutoScalingInstances->push_back(show_details(one));
  return answer;
}

}  // namespace

std::vector<Operation> group_list_operations() {
  return {operation<&describe_auto_scaling_groups>("DescribeAutoScalingGroups", Access::Read),
          operation<&describe_auto_scaling_instances>("DescribeAutoScalingInstances", Access::Read)};
}

}  // namespace services::autoscaling
