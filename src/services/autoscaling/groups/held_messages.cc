// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/held_messages.h"

#include "services/autoscaling/groups/group_events.h"
#include "services/invoke.h"
#include "shapes/stoker/held_messages.h"
#include "state/machine.h"
#include "state/task.h"
#include "wire/error.h"

namespace services::autoscaling {
namespace {

constexpr char kBusyMessage[] = "Tasks were running on the instance when it was selected for termination.";

// Access keys of the tasks on a machine: each task has its own.
std::vector<std::string> keys_of_tasks(Call& call, const Group& group, const std::string& instance) {
  std::vector<std::string> keys;
  for (const state::Machine& machine : state::list_machines_named(call.tx, group.account, group.region, instance)) {
    for (const state::Task& task : state::list_tasks_on(call.tx, machine.id)) {
      if (task.credentials) keys.push_back(*task.credentials);
    }
  }
  return keys;
}

}  // namespace

std::string describe_work(Call& call, const Group& group, const std::string& instance) {
  const shapes::stoker::CountHeldMessages request{keys_of_tasks(call, group, instance)};
  if (request.accessKeys.empty()) return kBusyMessage;
  const auto held = invoke<shapes::stoker::CountHeldMessagesResult>(call, group_principal(call, group), "sqs",
                                                                    "CountHeldMessages", request);
  std::string queues;
  for (const auto& one : held.queues) {
    queues += (queues.empty() ? "" : ", ") + std::to_string(one.count) + " of " + one.queue;
  }
  return queues.empty() ? kBusyMessage : kBusyMessage + (" They hold messages in flight: " + queues + ".");
}

}  // namespace services::autoscaling
