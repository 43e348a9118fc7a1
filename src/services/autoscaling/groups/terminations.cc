// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/terminations.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "services/autoscaling/groups/hooks.h"
#include "services/autoscaling/groups/launch_source.h"

namespace services::autoscaling {
namespace {

namespace json = boost::json;

// Why a launch ended before it was in service.
std::string cancellation_of(Call& call, const Group& group, const GroupInstance& instance) {
  for (const HookActionRow& action : list_hook_actions(call.tx, group.number, instance.id)) {
    const bool expired = action.result.empty() && action.expires_at <= call.now && action.default_result == "ABANDON";
    if (action.result != "ABANDON" && !expired) continue;
    return "Instance failed to complete user's Lifecycle Action: Lifecycle Action with token " + action.token +
           " was abandoned: " + (expired ? "Heartbeat Timeout" : "Lifecycle Action Completed with ABANDON Result");
  }
  if (instance.healthy) return "";
  return "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: " +
         (instance.machine_reason.empty() ? instance.unhealthy_reason : instance.machine_reason);
}

void cancel_launch(Call& call, const Group& group, const GroupInstance& instance) {
  auto running = find_running_activity(call.tx, group.number, instance.id);
  if (!running) return;
  const std::string reason = cancellation_of(call, group, instance);
  if (!reason.empty()) running->description += ".  Status Reason: " + reason;
  end_activity(call, group, *running, "Cancelled", reason);
}

}  // namespace

std::string activity_details(const Group& group, const InstancePlace& place, bool with_alarms) {
  json::object details;
  const std::string subnet = place.subnet.empty() ? subnet_of(group, place.zone) : place.subnet;
  if (!subnet.empty()) details["Subnet ID"] = subnet;
  details["Availability Zone"] = place.zone;
  if (with_alarms && !group.invoking_alarms.empty()) details["InvokingAlarms"] = json::parse(group.invoking_alarms);
  return json::serialize(details);
}

Activity begin_termination(Call& call, const Group& group, GroupInstance& instance, const TerminationNote& note) {
  cancel_launch(call, group, instance);
  delete_hook_actions(call.tx, group.number, instance.id);
  Activity activity;
  activity.kind = ActivityKind::Terminate;
  activity.instance = instance.id;
  activity.description = "Terminating EC2 instance: " + instance.id;
  activity.cause = note.cause;
  activity.status_message = note.message;
  activity.details_json = activity_details(group, {instance.zone, ""}, true);
  insert_activity(call, group, activity);
  instance.lifecycle = Lifecycle::Terminating;
  instance.activity = activity.id;
  instance.skips_hooks = group.status == GroupStatus::ForceDeleting;
  instance.replace_cause.clear();
  update_group_instance(call.tx, instance);
  call.wake(std::string(kGroupChangesTopic));
  return activity;
}

}  // namespace services::autoscaling
