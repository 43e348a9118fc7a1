// SPDX-License-Identifier: Apache-2.0
// SetDesiredCapacity, and the processes that a client suspends.
#include <algorithm>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/operations.h"
#include "services/autoscaling/groups/processes.h"
#include "wire/timestamp.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::ScalingProcessQuery;
using shapes::autoscaling::SetDesiredCapacityType;

void check_cooldown(Call& call, const Group& group) {
  if (!is_cooling_down(call, group, std::chrono::seconds(group.settings.cooldown_s))) return;
  const auto last =
      call.tx.query("SELECT id FROM autoscaling_activities WHERE grp = $1 ORDER BY number DESC LIMIT 1", group.number)
          .one([](const store::Row& row) { return row.str(0); });
  throw wire::ApiError("ScalingActivityInProgressFault",
                       "Scaling activity " + last.value_or("") + " is in progress and blocks this action");
}

void set_desired_capacity(Call& call, const SetDesiredCapacityType& request) {
  Group group = find_active_group(call, request.AutoScalingGroupName);
  const std::string value = "New SetDesiredCapacity value " + std::to_string(request.DesiredCapacity);
  if (request.DesiredCapacity > group.max) {
    throw validation_error(value + " is above max value " + std::to_string(group.max) + " for the AutoScalingGroup.");
  }
  if (request.DesiredCapacity < group.min) {
    throw validation_error(value + " is below min value " + std::to_string(group.min) + " for the AutoScalingGroup.");
  }
  if (request.HonorCooldown.value_or(false)) check_cooldown(call, group);
  set_desired(call, group, request.DesiredCapacity, "a user request explicitly set group desired capacity");
}

// All of them where the request names none.
std::vector<std::string> named_processes(const ScalingProcessQuery& request) {
  const std::vector<std::string> all(std::begin(kProcesses), std::end(kProcesses));
  if (!request.ScalingProcesses || request.ScalingProcesses->empty()) return all;
  for (const std::string& name : *request.ScalingProcesses) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      throw validation_error("Invalid scaling process: " + name);
    }
  }
  return *request.ScalingProcesses;
}

void suspend_processes(Call& call, const ScalingProcessQuery& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  if (group.status != GroupStatus::Active) {
    throw validation_error("Processes may not be suspended while the AutoScaling group is pending delete");
  }
  const std::string reason =
      "User suspended at " + wire::to_iso8601(std::chrono::floor<std::chrono::seconds>(call.now));
  for (const std::string& name : named_processes(request)) {
    if (!group.is_suspended(name))
      group.settings.suspended.push_back({.ProcessName = name, .SuspensionReason = reason});
  }
  save_and_wake(call, group);
}

void resume_processes(Call& call, const ScalingProcessQuery& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  const std::vector<std::string> names = named_processes(request);
  std::erase_if(group.settings.suspended, [&](const auto& one) {
    return std::find(names.begin(), names.end(), one.ProcessName.value_or("")) != names.end();
  });
  save_and_wake(call, group);
}

}  // namespace

std::vector<Operation> group_size_operations() {
  return {operation<&set_desired_capacity>("SetDesiredCapacity", Access::Write),
          operation<&suspend_processes>("SuspendProcesses", Access::Write),
          operation<&resume_processes>("ResumeProcesses", Access::Write)};
}

}  // namespace services::autoscaling
