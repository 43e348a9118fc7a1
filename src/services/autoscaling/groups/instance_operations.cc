// SPDX-License-Identifier: Apache-2.0
// Instances that join and leave a group, or its capacity, on a client's request.
#include <algorithm>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/operations.h"
#include "services/autoscaling/groups/terminations.h"
#include "services/autoscaling/groups/weights.h"
#include "services/invoke.h"
#include "shapes/autoscaling/instance.h"
#include "shapes/ec2/tag.h"
#include "state/ec2_instance.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;

constexpr char kGroupTag[] = "aws:autoscaling:groupName";
constexpr std::size_t kMaxInstancesPerCall = 20;

wire::ApiError sizes_error(const Group& group, const std::string& action, std::size_t count) {
  return validation_error("AutoScalingGroup " + group.name + " has min-size=" + std::to_string(group.min) +
                          ", max-size=" + std::to_string(group.max) +
                          ", and desired-size=" + std::to_string(group.desired) + ". To " + action + " " +
                          std::to_string(count) + (count == 1 ? " instance" : " instances") +
                          ", please update the AutoScalingGroup sizes appropriately.");
}

std::vector<std::string> named_instances(const std::optional<std::vector<std::string>>& ids) {
  if (!ids || ids->empty()) throw validation_error("At least one instance ID must be specified");
  if (ids->size() > kMaxInstancesPerCall) throw validation_error("At most 20 instance IDs can be specified");
  std::vector<std::string> distinct;
  for (const std::string& id : *ids) {
    if (std::find(distinct.begin(), distinct.end(), id) == distinct.end()) distinct.push_back(id);
  }
  return distinct;
}

std::vector<GroupInstance> find_in_state(Call& call, const Group& group, const std::vector<std::string>& ids,
                                         const std::vector<Lifecycle>& states) {
  std::vector<GroupInstance> found;
  for (const std::string& id : ids) {
    found.push_back(find_instance_of(call.tx, group, id));
    if (std::find(states.begin(), states.end(), found.back().lifecycle) != states.end()) continue;
    std::string names;
    for (const Lifecycle state : states) names += (names.empty() ? "" : " or ") + std::string(text(state));
    throw validation_error("The instance " + id + " is not in " + names + ".");
  }
  return found;
}

// Units of those that count as capacity.
std::int32_t units_of(const std::vector<GroupInstance>& instances) {
  std::int32_t units = 0;
  for (const GroupInstance& one : instances) {
    if (autoscaler::is_capacity(one.lifecycle)) units += one.weight;
  }
  return units;
}

// ", shrinking the capacity from 4 to 3"
std::string capacity_change(const Group& group, std::int32_t change) {
  const std::string verb = change < 0 ? "shrinking" : "increasing";
  return ", " + verb + " the capacity from " + std::to_string(group.desired) + " to " +
         std::to_string(group.desired + change);
}

struct Move {
  ActivityKind kind;
  Lifecycle to;
  std::string description, verb;  // "Detaching EC2 instance", "was detached"
  std::string status = "InProgress";
  std::int32_t progress = 50;
  std::int32_t change = 0;  // of the desired capacity, per unit: -1, 0 or 1
};

// The activity begins; the loop ends it.
std::vector<shapes::autoscaling::Activity> move_instances(Call& call, Group& group,
                                                          std::vector<GroupInstance> instances, const Move& move) {
  std::vector<shapes::autoscaling::Activity> shown;
  for (GroupInstance& instance : instances) {
    services::autoscaling::Activity activity;
    activity.kind = move.kind;
    activity.instance = instance.id;
    activity.description = move.description + ": " + instance.id;
    std::string cause = "instance " + instance.id + " " + move.verb + " in response to a user request";
    const bool counts = move.change > 0 || autoscaler::is_capacity(instance.lifecycle);
    const std::int32_t change = counts ? move.change * instance.weight : 0;
    if (change != 0) cause += capacity_change(group, change);
    activity.cause = cause_sentence(call.now, cause);
    activity.status = move.status;
    activity.progress = move.progress;
    activity.details_json = activity_details(group, {instance.zone, ""}, false);
    insert_activity(call, group, activity);
    group.desired += change;
    instance.lifecycle = move.to;
    instance.activity = activity.id;
    instance.skips_hooks = true;
    update_group_instance(call.tx, instance);
    shown.push_back(show_activity(group, activity));
  }
  save_and_wake(call, group);
  return shown;
}

DetachInstancesAnswer detach_instances(Call& call, const DetachInstancesQuery& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  const auto ids = named_instances(request.InstanceIds);
  auto instances = find_in_state(call, group, ids, {Lifecycle::InService, Lifecycle::Standby});
  Move move{ActivityKind::Detach, Lifecycle::Detaching, "Detaching EC2 instance", "was detached"};
  if (request.ShouldDecrementDesiredCapacity) {
    if (group.desired - units_of(instances) < group.min) throw sizes_error(group, "detach", ids.size());
    move.change = -1;
  }
  return {.Activities = move_instances(call, group, std::move(instances), move)};
}

EnterStandbyAnswer enter_standby(Call& call, const EnterStandbyQuery& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  const auto ids = named_instances(request.InstanceIds);
  auto instances = find_in_state(call, group, ids, {Lifecycle::InService});
  Move move{ActivityKind::EnterStandby, Lifecycle::EnteringStandby, "Moving EC2 instance to Standby",
            "was moved to standby"};
  if (request.ShouldDecrementDesiredCapacity) {
    if (group.desired - units_of(instances) < group.min) throw sizes_error(group, "place into standby", ids.size());
    move.change = -1;
  }
  return {.Activities = move_instances(call, group, std::move(instances), move)};
}

ExitStandbyAnswer exit_standby(Call& call, const ExitStandbyQuery& request) {
  Group group = find_active_group(call, request.AutoScalingGroupName);
  const auto ids = named_instances(request.InstanceIds);
  auto instances = find_in_state(call, group, ids, {Lifecycle::Standby});
  if (group.is_suspended("Launch")) {
    throw validation_error("Instances cannot leave standby while the process Launch is suspended");
  }
  std::int32_t units = 0;
  for (const GroupInstance& one : instances) units += one.weight;
  if (group.desired + units > group.max) throw sizes_error(group, "move out of standby", ids.size());
  const Move move{.kind = ActivityKind::ExitStandby,
                  .to = Lifecycle::Pending,
                  .description = "Moving EC2 instance out of Standby",
                  .verb = "was moved out of standby",
                  .status = "PreInService",
                  .progress = 30,
                  .change = 1};
  return {.Activities = move_instances(call, group, std::move(instances), move)};
}

// A running instance of the account that belongs to no group.
state::Ec2Instance find_attachable(Call& call, const Group& group, const std::string& id) {
  const auto instance = id.find('\0') == id.npos ? state::find_ec2_instance(call.tx, id) : std::nullopt;
  if (!instance || instance->account != group.account || instance->region != group.region) {
    throw validation_error("Invalid Instance ID(s): [" + id + "] specified");
  }
  if (instance->state != state::Ec2State::Running) {
    throw validation_error("Instance " + id + " is not in correct state. It has to be in running state.");
  }
  if (!instance->group.empty() || find_group_instance(call.tx, id)) {
    throw validation_error("Instance " + id + " is already part of an AutoScalingGroup");
  }
  const auto& zones = group.settings.zones;
  if (std::find(zones.begin(), zones.end(), instance->zone) == zones.end()) {
    throw validation_error("The instance's availability zone " + instance->zone +
                           " is not one of the availability zones of the AutoScalingGroup");
  }
  return *instance;
}

void tag_attached(Call& call, const Group& group, const std::string& id) {
  shapes::ec2::CreateTagsRequest tags;
  tags.Resources = {id};
  for (const GroupTag& tag : group.settings.tags) {
    if (tag.propagate) tags.Tags.push_back({.Key = tag.key, .Value = tag.value});
  }
  tags.Tags.push_back({.Key = kGroupTag, .Value = group.name});
  invoke(call, group_principal(call, group), "ec2", "CreateTags", tags);
}

void attach_instances(Call& call, const AttachInstancesQuery& request) {
  Group group = find_active_group(call, request.AutoScalingGroupName);
  const auto ids = named_instances(request.InstanceIds);
  std::vector<GroupInstance> attached;
  for (const std::string& id : ids) {
    const state::Ec2Instance machine = find_attachable(call, group, id);
    GroupInstance instance;
    instance.id = id;
    instance.group = group.number;
    instance.zone = machine.zone;
    instance.type = machine.type;
    instance.is_protected = group.settings.protects_new_instances;
    instance.launched_at = machine.launched_at;
    instance.weight = weight_of_type(group, machine.type);
    insert_group_instance(call.tx, instance);
    tag_attached(call, group, id);
    attached.push_back(std::move(instance));
  }
  if (group.desired + units_of(attached) > group.max) throw sizes_error(group, "attach", ids.size());
  const Move move{.kind = ActivityKind::Attach,
                  .to = Lifecycle::Pending,
                  .description = "Attaching an existing EC2 instance",
                  .verb = "was attached",
                  .status = "PreInService",
                  .progress = 30,
                  .change = 1};
  move_instances(call, group, std::move(attached), move);
}

}  // namespace

std::vector<Operation> instance_operations() {
  return {operation<&attach_instances>("AttachInstances", Access::Write),
          operation<&detach_instances>("DetachInstances", Access::Write),
          operation<&enter_standby>("EnterStandby", Access::Write),
          operation<&exit_standby>("ExitStandby", Access::Write)};
}

}  // namespace services::autoscaling
