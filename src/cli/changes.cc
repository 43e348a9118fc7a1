// SPDX-License-Identifier: Apache-2.0
#include "cli/changes.h"

#include "cli/names.h"
#include "cli/terminal_text.h"

namespace cli {
namespace {

using namespace shapes::ecs;

std::string machine_status(const ContainerInstance& machine) {
  return machine.agentConnected.value_or(false) ? machine.status.value_or("") : "lost";
}

std::string name_in(const ClusterState& state, const std::string& arn) {
  const auto found = state.machine_names.find(arn);
  return found == state.machine_names.end() ? "" : found->second;
}

ClusterChange task_change(const Task& task, const ClusterState& state, base::Time now) {
  const std::string status = task_status_text(task);
  std::string text = "task " + short_id(*task.taskArn) + " of " + family_and_revision(task.taskDefinitionArn.value_or("")) +
                     " is " + status;
  const std::string machine = name_in(state, task.containerInstanceArn.value_or(""));
  if (!machine.empty()) text += " on " + machine;
  if (status == "STOPPED" || status == "STOPPING") text += ": " + task_reason(task, now);
  return {"task", *task.taskArn, terminal_text(text), status};
}

}  // namespace

std::vector<ClusterChange> changes_between(const ClusterState& before, const ClusterState& after, base::Time now) {
  std::vector<ClusterChange> changes;
  for (const auto& [arn, task] : after.tasks) {
    const auto known = before.tasks.find(arn);
    const bool same = known != before.tasks.end() && task_status_text(known->second) == task_status_text(task);
    if (!same) changes.push_back(task_change(task, after, now));
  }
  for (const auto& [arn, machine] : after.machines) {
    const auto known = before.machines.find(arn);
    const std::string status = machine_status(machine);
    const std::string name = name_in(after, arn);
    if (known == before.machines.end()) {
      changes.push_back({"machine", arn, terminal_text("machine " + name + " joined: " + status), status});
    } else if (machine_status(known->second) != status) {
      changes.push_back({"machine", arn, terminal_text("machine " + name + " is " + status), status});
    }
  }
  for (const auto& [arn, machine] : before.machines) {
    if (after.machines.contains(arn)) continue;
    changes.push_back({"machine", arn, terminal_text("machine " + name_in(before, arn) + " was removed"), "INACTIVE"});
  }
  return changes;
}

}  // namespace cli
