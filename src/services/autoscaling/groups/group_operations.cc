// SPDX-License-Identifier: Apache-2.0
// Operations that create, change and delete groups.
#include <algorithm>

#include "base/random.h"
#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_deletion.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/group_settings.h"
#include "services/autoscaling/groups/group_tags.h"
#include "services/autoscaling/groups/hooks.h"
#include "services/autoscaling/groups/observers.h"
#include "services/autoscaling/groups/operations.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::CreateAutoScalingGroupType;
using shapes::autoscaling::DeleteAutoScalingGroupType;
using shapes::autoscaling::LifecycleHookSpecification;
using shapes::autoscaling::UpdateAutoScalingGroupType;

constexpr std::int64_t kMaxGroups = 500;

void check_group_name(const std::string& name) {
  const bool printable = std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= 32 && c != 127; });
  if (!printable || name.find(':') != name.npos) throw validation_error("Group name is invalid: " + name);
}

void check_sizes(std::int32_t min, std::int32_t max) {
  if (min < 0 || max < 0) throw validation_error("MinSize and MaxSize must not be negative");
  if (max < min) {
    throw validation_error("Max bound, " + std::to_string(max) + ", must be greater than or equal to min bound, " +
                           std::to_string(min));
  }
}

void check_desired(const Group& group, std::int32_t desired) {
  if (desired >= group.min && desired <= group.max) return;
  throw validation_error("Desired capacity:" + std::to_string(desired) + " must be between the specified min size:" +
                         std::to_string(group.min) + " and max size:" + std::to_string(group.max));
}

void check_new_name(Call& call, const std::string& name) {
  check_group_name(name);
  const auto existing = load_group(call.tx, call.caller.account, call.caller.region, name);
  if (existing && existing->status != GroupStatus::Active) {
    throw wire::ApiError("AlreadyExistsFault", "AutoScalingGroup by this name already exists and is pending delete");
  }
  if (existing) {
    throw wire::ApiError("AlreadyExistsFault", "AutoScalingGroup by this name already exists - A group with the name " +
                                                   name + " already exists");
  }
  const auto count = call.tx
                         .query("SELECT count(*) FROM autoscaling_groups WHERE account = $1 AND region = $2",
                                call.caller.account, call.caller.region)
                         .integer();
  if (count >= kMaxGroups) {
    throw wire::ApiError("LimitExceededFault", "The number of Auto Scaling groups exceeds the limit of this account.");
  }
}

shapes::autoscaling::PutLifecycleHookType to_put_request(const Group& group, const LifecycleHookSpecification& one) {
  shapes::autoscaling::PutLifecycleHookType put;
  put.AutoScalingGroupName = group.name;
  put.LifecycleHookName = one.LifecycleHookName;
  put.LifecycleTransition = one.LifecycleTransition;
  put.NotificationMetadata = one.NotificationMetadata;
  put.HeartbeatTimeout = one.HeartbeatTimeout;
  put.DefaultResult = one.DefaultResult;
  put.NotificationTargetARN = one.NotificationTargetARN;
  put.RoleARN = one.RoleARN;
  return put;
}

void create_auto_scaling_group(Call& call, const CreateAutoScalingGroupType& request) {
  check_new_name(call, request.AutoScalingGroupName);
  check_sizes(request.MinSize, request.MaxSize);
  Group group;
  group.account = call.caller.account;
  group.region = call.caller.region;
  group.name = request.AutoScalingGroupName;
  group.uuid = base::random_uuid();
  group.min = request.MinSize;
  group.max = request.MaxSize;
  group.created_at = call.now;
  const std::int32_t desired = request.DesiredCapacity.value_or(request.MinSize);
  check_desired(group, desired);
  set_settings(call, group, request);
  if (request.Tags) add_tags(group.settings, *request.Tags);
  insert_group(call.tx, group);
  if (request.LifecycleHookSpecificationList) {
    const auto& hooks = *request.LifecycleHookSpecificationList;
    if (hooks.size() > kMaxHooksAtCreation) {
      throw validation_error("At most 5 lifecycle hooks can be created with an Auto Scaling group");
    }
    for (const LifecycleHookSpecification& one : hooks) put_hook(call, group, to_put_request(group, one));
  }
  set_desired(call, group, desired, "a user request created an AutoScalingGroup");
}

void update_auto_scaling_group(Call& call, const UpdateAutoScalingGroupType& request) {
  Group group = find_active_group(call, request.AutoScalingGroupName);
  group.min = request.MinSize.value_or(group.min);
  group.max = request.MaxSize.value_or(group.max);
  check_sizes(group.min, group.max);
  const std::int32_t desired = request.DesiredCapacity.value_or(std::clamp(group.desired, group.min, group.max));
  check_desired(group, desired);
  set_settings(call, group, request);
  // What failed may succeed now.
  group.retry_at.reset();
  group.failed_launches = 0;
  const std::string cause =
      "a user request update of AutoScalingGroup constraints to min: " + std::to_string(group.min) +
      ", max: " + std::to_string(group.max) + ", desired: " + std::to_string(desired);
  set_desired(call, group, desired, cause);
  save_and_wake(call, group);
}

// Throws where the group may not be deleted in this way.
void check_deletion(Call& call, const Group& group, bool forced) {
  const std::string& protection = group.settings.deletion_protection;
  if (protection == "prevent-all-deletion" || (forced && protection == "prevent-force-deletion")) {
    throw wire::ApiError("ResourceInUseFault",
                         "The AutoScalingGroup " + group.name + " has the deletion protection " + protection + ".");
  }
  if (forced) return;
  if (!list_group_instances(call.tx, group.number).empty()) {
    throw wire::ApiError("ResourceInUseFault",
                         "You cannot delete an AutoScalingGroup while there are instances or "
                         "pending Spot instance request(s) still in the group.");
  }
  if (!list_running_activities(call.tx, group.number).empty()) {
    throw wire::ApiError("ScalingActivityInProgressFault",
                         "You cannot delete an AutoScalingGroup while there are scaling "
                         "activities in progress for that group.");
  }
}

void delete_auto_scaling_group(Call& call, const DeleteAutoScalingGroupType& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  const bool forced = request.ForceDelete.value_or(false);
  check_deletion(call, group, forced);
  if (list_group_instances(call.tx, group.number).empty()) return delete_group(call, group);
  group.status = GroupStatus::ForceDeleting;
  group.min = 0;
  group.cause.clear();
  set_desired(call, group, 0, "a user request deleted the AutoScalingGroup");
  save_and_wake(call, group);
}

}  // namespace

void delete_group(Call& call, const Group& group) {
  for (const auto& observe : call.local<GroupObservers>().deletions) observe(call, group);
  delete_all_hooks(call.tx, group.number);
  delete_group_row(call.tx, group);
  call.wake(std::string(kGroupChangesTopic));
}

std::vector<Operation> group_operations() {
  return {operation<&create_auto_scaling_group>("CreateAutoScalingGroup", Access::Write),
          operation<&update_auto_scaling_group>("UpdateAutoScalingGroup", Access::Write),
          operation<&delete_auto_scaling_group>("DeleteAutoScalingGroup", Access::Write)};
}

}  // namespace services::autoscaling
