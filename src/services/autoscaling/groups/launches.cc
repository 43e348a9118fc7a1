// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/launches.h"

#include "base/random.h"
#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/groups/hooks.h"
#include "services/autoscaling/groups/launch_source.h"
#include "services/autoscaling/groups/terminations.h"
#include "services/autoscaling/groups/weights.h"
#include "services/invoke.h"

namespace services::autoscaling {
namespace {

constexpr char kLaunchDescription[] = "Launching a new EC2 instance";
constexpr char kLaunchFailed[] = "Launching EC2 instance failed.";

// Launches that fail together are one failure: a full machine rejects all that it has no room for.
void delay_next_launch(Call& call, Group& group) {
  if (group.retry_at && *group.retry_at > call.now) return;
  ++group.failed_launches;
  group.retry_at = call.now + autoscaler::launch_retry(group.failed_launches);
}

// "<reason>. Launching EC2 instance failed."
std::string failure_message(std::string reason) {
  while (reason.ends_with('.')) reason.pop_back();
  return reason + ". " + kLaunchFailed;
}

std::string launch_cause(Call& call, Group& group, const autoscaler::GroupPlan& plan) {
  if (group.replacements > 0) {
    --group.replacements;
    return cause_sentence(call.now,
                          "an instance was launched in response to an unhealthy instance needing to be replaced");
  }
  const std::string text =
      "an instance was started in response to a difference between desired and actual capacity, "
      "increasing the capacity from " +
      std::to_string(plan.capacity) + " to " + std::to_string(group.desired);
  return join_causes(group.cause, cause_sentence(call.now, text));
}

struct LaunchPlace {
  std::string zone;
  bool balances = false;  // the group's zones: it is one more than desired
};

// EC2's instance, by the first option that it accepts; throws the error of the last one.
struct Launched {
  shapes::ec2::Instance instance;
  LaunchSource source;
  std::int32_t weight = 1;
};
Launched run_instance(Call& call, const Group& group, const std::string& zone, const std::string& token) {
  const std::vector<LaunchOption> options = list_launch_options(call, group);
  for (std::size_t i = 0;; ++i) {
    const LaunchOption& option = options[(i + first_option(group, options.size())) % options.size()];
    try {
      const auto request = launch_request(call, group, option, zone, token);
      auto reservation =
          invoke<shapes::ec2::Reservation>(call, group_principal(call, group), "ec2", "RunInstances", request);
      return {std::move(reservation.Instances->at(0)), option.source, option.weight};
    } catch (const wire::ApiError&) {
      if (i + 1 == options.size()) throw;
    }
  }
}

void add_launched(Call& call, const Group& group, const Launched& launched, const LaunchPlace& place,
                  const std::string& activity) {
  const std::string& zone = place.zone;
  GroupInstance instance;
  instance.weight = launched.weight;
  instance.is_balancing = place.balances;
  instance.id = launched.instance.InstanceId.value_or("");
  instance.group = group.number;
  const bool has_zone = launched.instance.Placement && launched.instance.Placement->AvailabilityZone;
  instance.zone = has_zone ? *launched.instance.Placement->AvailabilityZone : zone;
  instance.type = launched.instance.InstanceType.value_or("");
  instance.image = launched.instance.ImageId.value_or("");
  instance.is_protected = group.settings.protects_new_instances;
  instance.launch_configuration = launched.source.launch_configuration;
  instance.launch_template = launched.source.launch_template;
  instance.activity = activity;
  instance.launched_at = call.now;
  insert_group_instance(call.tx, instance);
}

// False: EC2 refused it.
bool launch(Call& call, Group& group, const autoscaler::GroupPlan& plan, const LaunchPlace& place) {
  const std::string& zone = place.zone;
  Activity activity;
  activity.kind = ActivityKind::Launch;
  activity.id = base::random_uuid();
  activity.cause =
      place.balances ? cause_sentence(call.now, plan.balance_cause) : launch_cause(call, group, plan);
  activity.details_json = activity_details(group, {zone, ""}, true);
  activity.status = "PreInService";
  activity.progress = 30;
  try {
    const Launched launched = run_instance(call, group, zone, activity.id);
    activity.instance = launched.instance.InstanceId.value_or("");
    activity.description = std::string(kLaunchDescription) + ": " + activity.instance;
    activity.details_json = activity_details(group, {zone, launched.instance.SubnetId.value_or("")}, true);
    insert_activity(call, group, activity);
    add_launched(call, group, launched, place, activity.id);
    return true;
  } catch (const wire::ApiError& error) {
    const std::string message = failure_message(error.message());
    activity.description = std::string(kLaunchDescription) + ".  Status Reason: " + message;
    insert_activity(call, group, activity);
    end_activity(call, group, activity, "Failed", message);
    return false;
  }
}

}  // namespace

void launch_planned(Call& call, Group& group, const autoscaler::GroupPlan& plan) {
  std::vector<LaunchPlace> places;
  for (const std::string& zone : plan.launches) places.push_back({zone});
  for (const std::string& zone : plan.balancing_launches) places.push_back({zone, true});
  for (const LaunchPlace& place : places) {
    if (launch(call, group, plan, place)) continue;
    return delay_next_launch(call, group);
  }
  if (!places.empty()) call.wake(std::string(kGroupChangesTopic));
}

void fail_launched(Call& call, Group& group, const GroupInstance& instance) {
  const bool waited = instance.lifecycle != Lifecycle::Pending;
  const std::string reason =
      instance.machine_reason.empty() ? "The instance terminated before it was in service" : instance.machine_reason;
  if (auto activity = find_running_activity(call.tx, group.number, instance.id)) {
    const std::string message =
        waited ? "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: " +
                     reason
               : failure_message(reason);
    activity->description += ".  Status Reason: " + message;
    end_activity(call, group, *activity, waited ? "Cancelled" : "Failed", message);
  }
  delete_hook_actions(call.tx, group.number, instance.id);
  delete_group_instance(call.tx, instance.id);
  delay_next_launch(call, group);
}

}  // namespace services::autoscaling
