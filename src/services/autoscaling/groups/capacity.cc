// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/capacity.h"

#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/group_instances.h"

namespace services::autoscaling {

void set_desired(Call& call, Group& group, std::int32_t desired, const std::string& cause,
                 const std::string& invoking_alarms) {
  if (desired == group.desired) return;
  const std::string change =
      " changing the desired capacity from " + std::to_string(group.desired) + " to " + std::to_string(desired);
  group.cause = join_causes(group.cause, cause_sentence(call.now, cause + change));
  if (!invoking_alarms.empty()) group.invoking_alarms = invoking_alarms;
  group.desired = desired;
  save_and_wake(call, group);
}

void replace_instance(Call& call, Group& group, const std::string& instance_id, const std::string& cause) {
  GroupInstance instance = find_instance_of(call.tx, group, instance_id);
  if (autoscaler::is_terminating(instance.lifecycle) || !instance.replace_cause.empty()) return;
  instance.replace_cause = cause;
  update_group_instance(call.tx, instance);
  save_and_wake(call, group);
}

bool is_cooling_down(Call& call, const Group& group, base::Duration cooldown) {
  if (!list_running_activities(call.tx, group.number).empty()) return true;
  return group.cooldown_from && *group.cooldown_from + cooldown > call.now;
}

}  // namespace services::autoscaling
