// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/group_snapshot.h"

#include <algorithm>
#include <map>
#include <set>

#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/hooks.h"
#include "services/autoscaling/groups/launch_configuration.h"
#include "services/autoscaling/groups/weights.h"
#include "services/autoscaling/policies/refresh.h"
#include "services/invoke.h"
#include "services/shape_json.h"
#include "shapes/ec2/instance_status.h"
#include "shapes/stoker/machine.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "state/machine.h"
#include "state/task.h"
#include "wire/error.h"

namespace services::autoscaling {
namespace {

using autoscaler::GroupMember;
using autoscaler::GroupState;
using autoscaler::HookAction;
using autoscaler::MachineState;

using Machines = std::map<std::string, state::Ec2Instance>;

Machines read_machines(Call& call, const Group& group, const std::vector<GroupInstance>& instances) {
  Machines machines;
  for (state::Ec2Instance& one : state::list_ec2_instances_of(call.tx, group.account, group.region, group.name)) {
    std::string id = one.id;
    machines.emplace(std::move(id), std::move(one));
  }
  for (const GroupInstance& one : instances) {
    if (machines.contains(one.id)) continue;
    if (auto found = state::find_ec2_instance(call.tx, one.id)) machines.emplace(one.id, std::move(*found));
  }
  return machines;
}

// A terminated instance disappears from EC2 after a while.
MachineState machine_state(const Machines& machines, const std::string& id) {
  const auto found = machines.find(id);
  if (found == machines.end()) return MachineState::Gone;
  switch (found->second.state) {
    case state::Ec2State::Pending: return MachineState::Pending;
    case state::Ec2State::Running: return MachineState::Running;
    case state::Ec2State::Terminated: return MachineState::Gone;
    default: return MachineState::Stopped;
  }
}

// The tasks of ECS on instances. Clusters are read once.
class Work {
 public:
  Work(Call& call, const Group& group) : call_(call), group_(group) {}

  state::MachineWork on(const state::Ec2Instance& instance) {
    if (instance.agent_json.empty()) return state::MachineWork::None;
    const auto settings = from_json<shapes::stoker::AgentSettings>(instance.agent_json);
    const Numbers& numbers = read(settings.cluster);
    const auto machine = numbers.find(instance.id);
    return machine == numbers.end() ? state::MachineWork::None : state::work_on(call_.tx, machine->second);
  }

 private:
  using Numbers = std::map<std::string, std::int64_t>;  // of machines, by the instance's id

  const Numbers& read(const std::string& name) {
    auto [place, added] = clusters_.try_emplace(name);
    if (!added) return place->second;
    const auto cluster = state::find_cluster(call_.tx, {group_.account, group_.region, name});
    if (!cluster) return place->second;
    for (const state::Machine& one : state::list_machines(call_.tx, cluster->number)) place->second[one.name] = one.number;
    return place->second;
  }

  Call& call_;
  const Group& group_;
  std::map<std::string, Numbers> clusters_;
};

HookAction::Result to_result(const std::string& text) {
  if (text == "CONTINUE") return HookAction::Result::Continue;
  return text == "ABANDON" ? HookAction::Result::Abandon : HookAction::Result::Waiting;
}

// When launch configurations were created, each read once.
class Sources {
 public:
  Sources(Call& call, const Group& group) : call_(call), group_(group) {}

  std::int64_t order_of(const std::string& configuration) {
    const auto [place, added] = orders_.try_emplace(configuration, 0);
    if (!added) return place->second;
    const auto found = load_launch_configuration(call_.tx, {group_.account, group_.region, configuration});
    if (found) place->second = base::to_millis(found->CreatedTime);
    return place->second;
  }

 private:
  Call& call_;
  const Group& group_;
  std::map<std::string, std::int64_t> orders_;
};

// How the instance compares with the group's launch source of now.
void set_source(Sources& sources, const Group& group, const GroupInstance& instance, GroupMember& member) {
  const GroupSettings& settings = group.settings;
  if (instance.launch_configuration) {
    member.from_configuration = true;
    member.from_current_source = instance.launch_configuration == settings.launch_configuration;
    member.source_order = sources.order_of(*instance.launch_configuration);
  } else if (instance.launch_template) {
    const auto& current = settings.mixed_instances
                              ? settings.mixed_instances->LaunchTemplate->LaunchTemplateSpecification
                              : settings.launch_template;
    member.from_current_source = current && current->LaunchTemplateId == instance.launch_template->LaunchTemplateId;
    member.source_order = std::stoll(instance.launch_template->Version.value_or("0"));
  }
  if (!settings.mixed_instances || !settings.mixed_instances->LaunchTemplate->Overrides) return;
  const auto& overrides = *settings.mixed_instances->LaunchTemplate->Overrides;
  const auto place = std::find_if(overrides.begin(), overrides.end(),
                                  [&](const auto& one) { return one.InstanceType == instance.type; });
  member.type_order = place - overrides.begin();
}

void add_hook_actions(Call& call, const Group& group, std::vector<GroupMember>& members) {
  std::map<std::string, std::vector<HookAction>> actions;
  for (const HookActionRow& action : list_hook_actions(call.tx, group.number)) {
    actions[action.instance].push_back(
        {to_result(action.result), to_result(action.default_result), action.expires_at});
  }
  if (actions.empty()) return;
  for (GroupMember& member : members) {
    if (const auto found = actions.find(member.id); found != actions.end()) member.actions = std::move(found->second);
  }
}

GroupMember to_member(Sources& sources, const Group& group, const GroupInstance& instance) {
  GroupMember member;
  member.id = instance.id;
  member.zone = instance.zone;
  member.lifecycle = instance.lifecycle;
  member.healthy = instance.healthy;
  member.is_protected = instance.is_protected;
  member.skips_hooks = instance.skips_hooks;
  member.stop_requested = instance.stop_requested;
  member.is_balancing = instance.is_balancing;
  member.weight = instance.weight;
  member.is_replaced = !instance.replace_cause.empty();
  member.launched_at = instance.launched_at;
  member.unhealthy_at = instance.unhealthy_at;
  set_source(sources, group, instance, member);
  return member;
}

GroupState to_state(Call& call, const Group& group) {
  GroupState state;
  const std::int32_t weight = next_weight(group);
  state.desired = group.desired + refresh_surge(call.tx, group.number) * weight;
  state.launch_weight = weight;
  state.launches_failed = group.failed_launches > 0;
  state.balances_zones = !group.is_suspended("AZRebalance") && !active_refresh(call.tx, group.number);
  state.zones = group.settings.zones;
  state.termination_policies = group.settings.termination_policies;
  state.is_deleted = group.status != GroupStatus::Active;
  state.skips_hooks = group.status == GroupStatus::ForceDeleting;
  state.may_launch = !group.is_suspended("Launch");
  state.may_terminate = !group.is_suspended("Terminate");
  state.checks_health = !group.is_suspended("HealthCheck");
  state.replaces_unhealthy = !group.is_suspended("ReplaceUnhealthy");
  state.has_launch_hooks = has_hooks(call.tx, group.number, kLaunching);
  state.has_termination_hooks = has_hooks(call.tx, group.number, kTerminating);
  state.max_lifetime = std::chrono::seconds(group.settings.max_lifetime_s);
  state.retry_at = group.retry_at;
  state.protection_reported = group.protection_reported;
  return state;
}

// EC2's status checks of the instances in service; when they are due again.
std::optional<base::Time> check_statuses(Call& call, const Group& group, GroupState& state) {
  shapes::ec2::DescribeInstanceStatusRequest request;
  std::vector<std::string> ids;
  for (const GroupMember& one : state.members) {
    if (one.lifecycle == Lifecycle::InService && one.machine == MachineState::Running) ids.push_back(one.id);
  }
  if (ids.empty()) return std::nullopt;
  request.InstanceIds = ids;
  shapes::ec2::DescribeInstanceStatusResult found;
  try {
    found = invoke<shapes::ec2::DescribeInstanceStatusResult>(call, group_principal(call, group), "ec2",
                                                              "DescribeInstanceStatus", request);
  } catch (const wire::ApiError&) {
    return call.now + kStatusCheckInterval;  // without an answer nothing is impaired
  }
  std::set<std::string> impaired, passed;
  for (const auto& one : found.InstanceStatuses.value_or(std::vector<struct shapes::ec2::InstanceStatus>())) {
    const std::string status = one.InstanceStatus ? one.InstanceStatus->Status.value_or("") : "";
    if (status == "impaired") impaired.insert(one.InstanceId.value_or(""));
    if (status == "ok") passed.insert(one.InstanceId.value_or(""));
  }
  for (GroupMember& one : state.members) {
    if (impaired.contains(one.id)) one.machine = MachineState::Impaired;
  }
  return call.now + (passed.size() == ids.size() ? kPassedCheckInterval : kStatusCheckInterval);
}

}  // namespace

GroupSnapshot read_snapshot(Call& call, const Group& group) {
  GroupSnapshot snapshot;
  GroupState& state = snapshot.state;
  state = to_state(call, group);
  const std::vector<GroupInstance> instances = list_group_instances(call.tx, group.number);
  const Machines machines = read_machines(call, group, instances);
  std::int32_t capacity = 0;
  Sources sources(call, group);
  for (const GroupInstance& one : instances) {
    if (autoscaler::is_capacity(one.lifecycle)) capacity += one.weight;
    state.members.push_back(to_member(sources, group, one));
    state.members.back().machine = machine_state(machines, one.id);
  }
  add_hook_actions(call, group, state.members);
  // Only a choice needs it.
  if (capacity > state.desired || (state.balances_zones && autoscaler::has_uneven_zones(state))) {
    Work work(call, group);
    for (GroupMember& member : state.members) {
      const auto machine = machines.find(member.id);
      if (machine == machines.end()) continue;
      const state::MachineWork tasks = work.on(machine->second);
      member.is_busy = tasks != state::MachineWork::None;
      member.runs_only_daemons = tasks == state::MachineWork::DaemonsOnly;
    }
  }
  if (state.checks_health) snapshot.check_at = check_statuses(call, group, state);
  return snapshot;
}

}  // namespace services::autoscaling
