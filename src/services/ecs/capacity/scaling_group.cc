// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/scaling_group.h"

#include "services/directory.h"
#include "services/invoke.h"
#include "shapes/autoscaling/instance.h"
#include "shapes/autoscaling/lifecycle_hook.h"
#include "shapes/autoscaling/policy.h"
#include "shapes/autoscaling/tag.h"

namespace services::ecs {
namespace {

namespace asg = shapes::autoscaling;

constexpr char kService[] = "autoscaling";
constexpr char kManagedTag[] = "AmazonECSManaged";
constexpr std::int32_t kHeartbeatSeconds = 3600;

Caller as_ecs(const Call& call, const GroupName& group) {
  Caller caller = as_service(call, "ecs.amazonaws.com", "", group.account);
  caller.region = group.region;
  return caller;
}

asg::Tag managed_tag(const Provider& provider) {
  asg::Tag tag;
  tag.ResourceId = provider.group;
  tag.ResourceType = "auto-scaling-group";
  tag.Key = kManagedTag;
  tag.Value = "";
  tag.PropagateAtLaunch = true;
  return tag;
}

}  // namespace

std::optional<asg::AutoScalingGroup> find_group(Call& call, const GroupName& group) {
  // A test of ECS alone has no Auto Scaling.
  if (!call.directory || !call.directory->find(kService, "DescribeAutoScalingGroups")) return std::nullopt;
  asg::AutoScalingGroupNamesType request;
  request.AutoScalingGroupNames = {{group.name}};
  auto found =
      invoke<asg::AutoScalingGroupsType>(call, as_ecs(call, group), kService, "DescribeAutoScalingGroups", request);
  if (found.AutoScalingGroups.empty()) return std::nullopt;
  return std::move(found.AutoScalingGroups.front());
}

void put_scaling_policy(Call& call, const state::Cluster& cluster, const Provider& provider,
                        const std::string& policy) {
  asg::CustomizedMetricSpecification metric;
  metric.Namespace = std::string(kReservationSpace);
  metric.MetricName = std::string(kReservationMetric);
  metric.Dimensions = {{{"CapacityProviderName", provider.name}, {"ClusterName", cluster.name}}};
  metric.Statistic = "Average";
  asg::PutScalingPolicyType request;
  request.AutoScalingGroupName = provider.group;
  request.PolicyName = policy;
  request.PolicyType = "TargetTrackingScaling";
  request.EstimatedInstanceWarmup = provider.scaling().instanceWarmupPeriod;
  asg::TargetTrackingConfiguration& tracking = request.TargetTrackingConfiguration.emplace();
  tracking.CustomizedMetricSpecification = std::move(metric);
  tracking.TargetValue = *provider.scaling().targetCapacity;
  tracking.DisableScaleIn = false;
  invoke<asg::PolicyARNType>(call, as_ecs(call, group_of(provider)), kService, "PutScalingPolicy", request);
}

void delete_scaling_policy(Call& call, const Provider& provider, const std::string& policy) {
  asg::DeletePolicyType request;
  request.AutoScalingGroupName = provider.group;
  request.PolicyName = policy;
  invoke(call, as_ecs(call, group_of(provider)), kService, "DeletePolicy", request);
}

void put_draining_hook(Call& call, const Provider& provider) {
  asg::PutLifecycleHookType request;
  request.LifecycleHookName = std::string(kDrainingHook);
  request.AutoScalingGroupName = provider.group;
  request.LifecycleTransition = "autoscaling:EC2_INSTANCE_TERMINATING";
  request.HeartbeatTimeout = kHeartbeatSeconds;
  request.DefaultResult = "CONTINUE";
  invoke<asg::PutLifecycleHookAnswer>(call, as_ecs(call, group_of(provider)), kService, "PutLifecycleHook", request);
}

void delete_draining_hook(Call& call, const Provider& provider) {
  asg::DeleteLifecycleHookType request;
  request.LifecycleHookName = std::string(kDrainingHook);
  request.AutoScalingGroupName = provider.group;
  invoke<asg::DeleteLifecycleHookAnswer>(call, as_ecs(call, group_of(provider)), kService, "DeleteLifecycleHook",
                                         request);
}

void add_managed_tag(Call& call, const Provider& provider) {
  invoke(call, as_ecs(call, group_of(provider)), kService, "CreateOrUpdateTags",
         asg::CreateOrUpdateTagsType{.Tags = {managed_tag(provider)}});
}

void delete_managed_tag(Call& call, const Provider& provider) {
  invoke(call, as_ecs(call, group_of(provider)), kService, "DeleteTags",
         asg::DeleteTagsType{.Tags = {managed_tag(provider)}});
}

void set_protection(Call& call, const GroupName& group, const std::vector<std::string>& instances, bool is_protected) {
  asg::SetInstanceProtectionQuery request;
  request.AutoScalingGroupName = group.name;
  request.InstanceIds = instances;
  request.ProtectedFromScaleIn = is_protected;
  invoke<asg::SetInstanceProtectionAnswer>(call, as_ecs(call, group), kService, "SetInstanceProtection", request);
}

void complete_action(Call& call, const DrainingAction& action) {
  asg::CompleteLifecycleActionType request;
  request.LifecycleHookName = action.hook;
  request.AutoScalingGroupName = action.group.name;
  if (!action.token.empty()) request.LifecycleActionToken = action.token;
  request.LifecycleActionResult = "CONTINUE";
  request.InstanceId = action.instance;
  invoke<asg::CompleteLifecycleActionAnswer>(call, as_ecs(call, action.group), kService, "CompleteLifecycleAction",
                                             request);
}

void extend_action(Call& call, const DrainingAction& action) {
  asg::RecordLifecycleActionHeartbeatType request;
  request.LifecycleHookName = action.hook;
  request.AutoScalingGroupName = action.group.name;
  if (!action.token.empty()) request.LifecycleActionToken = action.token;
  request.InstanceId = action.instance;
  invoke<asg::RecordLifecycleActionHeartbeatAnswer>(call, as_ecs(call, action.group), kService,
                                                    "RecordLifecycleActionHeartbeat", request);
}

}  // namespace services::ecs
