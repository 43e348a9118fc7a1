// SPDX-License-Identifier: Apache-2.0
// Health, protection and termination of single instances, on a client's request and on EC2's report.
#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/operations.h"
#include "services/autoscaling/groups/terminations.h"
#include "shapes/autoscaling/instance.h"
#include "shapes/stoker/machine.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;

// An instance by its id alone, with its group.
struct ManagedInstance {
  Group group;
  GroupInstance instance;
};

ManagedInstance find_managed(Call& call, const std::string& id) {
  auto instance = find_group_instance(call.tx, id);
  auto group = instance ? load_group(call.tx, instance->group) : std::nullopt;
  if (!group || group->account != call.caller.account || group->region != call.caller.region) {
    throw validation_error("Instance Id not found - No managed instance found for instance ID: " + id);
  }
  return {std::move(*group), std::move(*instance)};
}

void set_instance_health(Call& call, const SetInstanceHealthQuery& request) {
  auto [group, instance] = find_managed(call, request.InstanceId);
  if (request.HealthStatus != "Healthy" && request.HealthStatus != "Unhealthy") {
    throw validation_error("Valid instance health states are: [Healthy, Unhealthy].");
  }
  instance.healthy = request.HealthStatus == "Healthy";
  instance.unhealthy_at.reset();
  instance.unhealthy_reason = instance.healthy ? "" : "a user health-check";
  if (!instance.healthy && request.ShouldRespectGracePeriod.value_or(true) && instance.in_service_at) {
    instance.unhealthy_at = *instance.in_service_at + std::chrono::seconds(group.settings.grace_period_s);
  }
  update_group_instance(call.tx, instance);
  save_and_wake(call, group);
}

SetInstanceProtectionAnswer set_instance_protection(Call& call, const SetInstanceProtectionQuery& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  for (const std::string& id : request.InstanceIds) {
    GroupInstance instance = find_instance_of(call.tx, group, id);
    if (instance.is_protected == request.ProtectedFromScaleIn) continue;
    instance.is_protected = request.ProtectedFromScaleIn;
    update_group_instance(call.tx, instance);
    touch_group(call, group.number);
  }
  return {};
}

std::int32_t capacity_of(Call& call, const Group& group) {
  std::int32_t count = 0;
  for (const GroupInstance& one : list_group_instances(call.tx, group.number)) {
    if (autoscaler::is_capacity(one.lifecycle)) count += one.weight;
  }
  return count;
}

ActivityType terminate_instance_in_auto_scaling_group(Call& call,
                                                      const TerminateInstanceInAutoScalingGroupType& request) {
  auto [group, instance] = find_managed(call, request.InstanceId);
  if (autoscaler::is_terminating(instance.lifecycle)) {
    const auto running = find_running_activity(call.tx, group.number, instance.id);
    if (running) return {.Activity = show_activity(group, *running)};
  }
  std::string cause = "instance " + instance.id + " was taken out of service in response to a user request";
  if (request.ShouldDecrementDesiredCapacity) {
    if (group.desired - instance.weight < group.min) {
      throw validation_error("Currently, desiredSize equals minSize (" + std::to_string(group.min) +
                             "). Terminating instance without replacement will violate group's min size constraint. "
                             "Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.");
    }
    const std::int32_t capacity = capacity_of(call, group);
    cause += ", shrinking the capacity from " + std::to_string(capacity) + " to " +
             std::to_string(capacity - instance.weight);
    group.desired -= instance.weight;
  } else if (autoscaler::is_capacity(instance.lifecycle)) {
    ++group.replacements;
  }
  const Activity activity = begin_termination(call, group, instance, {cause_sentence(call.now, cause), ""});
  save_and_wake(call, group);
  return {.Activity = show_activity(group, activity)};
}

// Runs within operations of EC2 that this group's loop may have invoked, so it changes single columns only.
void instance_changed(Call& call, const shapes::stoker::InstanceChanged& message) {
  const auto group = load_group(call.tx, call.caller.account, call.caller.region, message.group);
  if (!group) return;
  if (!message.reason.empty()) set_machine_reason(call.tx, message.instanceId, message.reason);
  touch_group(call, group->number);
}

}  // namespace

std::vector<Operation> instance_state_operations() {
  return {operation<&set_instance_health>("SetInstanceHealth", Access::Write),
          operation<&set_instance_protection>("SetInstanceProtection", Access::Write),
          operation<&terminate_instance_in_auto_scaling_group>("TerminateInstanceInAutoScalingGroup", Access::Write)};
}

std::vector<Operation> group_internal_operations() {
  return {operation<&instance_changed>("InstanceChanged", Access::Write)};
}

}  // namespace services::autoscaling
