// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/machine_life.h"

#include "services/ecs/arn.h"
#include "services/ecs/capacity/association.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/capacity/drain.h"
#include "services/ecs/capacity/protection.h"
#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/operations.h"
#include "services/ecs/state_events.h"
#include "services/invoke.h"
#include "state/ec2_instance.h"

namespace services::ecs {
namespace {

// The machines of an EC2 instance, in its own account and region, whoever calls.
std::vector<state::Machine> machines_of(Call& call, const GroupName& home, const std::string& instance) {
  return state::list_machines_named(call.tx, home.account, home.region, instance);
}

GroupName home_of_instance(Call& call, const std::string& id, std::string group) {
  const auto instance = state::find_ec2_instance(call.tx, id);
  if (!instance) return {call.caller.account, call.caller.region, std::move(group)};
  return {instance->account, instance->region, std::move(group)};
}

}  // namespace

void join_provider(Call& call, const state::Cluster& cluster, StoredInstance& instance) {
  const auto machine = state::find_ec2_instance(call.tx, instance.name);
  if (!machine || machine->account != cluster.account || machine->region != cluster.region) return;
  for (const Association& association : list_associations(call.tx, cluster.number)) {
    const auto provider = find_provider(call.tx, cluster.account, cluster.region, association.provider);
    if (provider && !machine->group.empty() && provider->group == machine->group) {
      instance.body.capacityProviderName = provider->name;
    }
  }
  Caller sender = as_service(call, "ecs.amazonaws.com", cluster_arn(cluster), cluster.account);
  sender.region = cluster.region;
  invoke(call, sender, "ec2", "MachineJoined", shapes::stoker::MachineJoined{.instanceId = instance.name});
}

void machine_terminating(Call& call, const shapes::stoker::MachineTerminating& message) {
  const GroupName home = home_of_instance(call, message.instanceId, message.group);
  insert_drain(call.tx, {.action = {home, message.instanceId, message.hook, message.token},
                         .started_at = call.now,
                         .extended_at = call.now});
  for (state::Machine& machine : machines_of(call, home, message.instanceId)) {
    StoredInstance instance = to_instance(std::move(machine));
    watch_capacity(call, instance.cluster);
    if (instance.status != model::InstanceStatus::Active) continue;
    instance.status = model::InstanceStatus::Draining;
    update_instance(call.tx, instance);
    put_in_fleet(call, instance);
    publish_instance_change(call, instance.id);
  }
  // The loop completes the action, even of a machine that has nothing to drain.
  call.wake(std::string(kCapacityTopic));
}

void machine_terminated(Call& call, const shapes::stoker::MachineTerminated& message) {
  for (state::Machine& machine :
       machines_of(call, home_of_instance(call, message.instanceId, ""), message.instanceId)) {
    StoredInstance instance = to_instance(std::move(machine));
    deregister(call, instance, "Host EC2 (instance " + instance.name + ") terminated.");
  }
  delete_drain(call.tx, message.instanceId);
  forget_protection(call.tx, message.instanceId);
}

std::vector<Operation> machine_life_operations() {
  return {
      operation<&machine_terminating>("MachineTerminating", Access::Write),
      operation<&machine_terminated>("MachineTerminated", Access::Write),
  };
}

}  // namespace services::ecs
