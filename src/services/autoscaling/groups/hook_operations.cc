// SPDX-License-Identifier: Apache-2.0
// Operations on lifecycle hooks and their actions.
#include <algorithm>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/hooks.h"
#include "services/autoscaling/groups/operations.h"

namespace services::autoscaling {
namespace {

using namespace shapes::autoscaling;

PutLifecycleHookAnswer put_lifecycle_hook(Call& call, const PutLifecycleHookType& request) {
  put_hook(call, find_group(call, request.AutoScalingGroupName), request);
  return {};
}

DescribeLifecycleHooksAnswer describe_lifecycle_hooks(Call& call, const DescribeLifecycleHooksType& request) {
  const Group group = find_group(call, request.AutoScalingGroupName);
  std::vector<LifecycleHook> hooks = list_hooks(call.tx, group.number);
  if (request.LifecycleHookNames && !request.LifecycleHookNames->empty()) {
    const auto& names = *request.LifecycleHookNames;
    std::erase_if(hooks, [&](const LifecycleHook& one) {
      return std::find(names.begin(), names.end(), *one.LifecycleHookName) == names.end();
    });
  }
  return {.LifecycleHooks = std::move(hooks)};
}

DescribeLifecycleHookTypesAnswer describe_lifecycle_hook_types(Call&, const NoMembers&) {
  return {.LifecycleHookTypes = {{std::string(kLaunching), std::string(kTerminating)}}};
}

LifecycleHook existing_hook(Call& call, const Group& group, const std::string& name) {
  auto hook = find_hook(call.tx, group.number, name);
  if (!hook) throw validation_error("No Lifecycle Hook found with name '" + name + "' for group '" + group.name + "'");
  return std::move(*hook);
}

DeleteLifecycleHookAnswer delete_lifecycle_hook(Call& call, const DeleteLifecycleHookType& request) {
  const Group group = find_group(call, request.AutoScalingGroupName);
  delete_hook(call, group, existing_hook(call, group, request.LifecycleHookName));
  touch_group(call, group.number);
  return {};
}

// The action of a hook that waits, by its token or by its instance.
template <class Request>
HookActionRow find_waiting_action(Call& call, const Group& group, const Request& request) {
  if (!request.LifecycleActionToken && !request.InstanceId) {
    throw validation_error("Either a lifecycle action token or an instance ID must be specified");
  }
  for (HookActionRow& action : list_hook_actions(call.tx, group.number)) {
    if (action.hook != request.LifecycleHookName || !action.result.empty()) continue;
    if (request.LifecycleActionToken && action.token != *request.LifecycleActionToken) continue;
    if (request.InstanceId && action.instance != *request.InstanceId) continue;
    return std::move(action);
  }
  throw validation_error("No active Lifecycle Action found with " + (request.LifecycleActionToken
                                                                         ? "token " + *request.LifecycleActionToken
                                                                         : "instance ID " + *request.InstanceId));
}

CompleteLifecycleActionAnswer complete_lifecycle_action(Call& call, const CompleteLifecycleActionType& request) {
  if (request.LifecycleActionResult != "CONTINUE" && request.LifecycleActionResult != "ABANDON") {
    throw validation_error("'LifecycleActionResult' must be one of: CONTINUE, ABANDON");
  }
  const Group group = find_group(call, request.AutoScalingGroupName);
  HookActionRow action = find_waiting_action(call, group, request);
  action.result = request.LifecycleActionResult;
  update_hook_action(call.tx, action);
  touch_group(call, group.number);
  return {};
}

RecordLifecycleActionHeartbeatAnswer record_lifecycle_action_heartbeat(
    Call& call, const RecordLifecycleActionHeartbeatType& request) {
  const Group group = find_group(call, request.AutoScalingGroupName);
  HookActionRow action = find_waiting_action(call, group, request);
  action.expires_at = std::min(call.now + std::chrono::seconds(action.heartbeat_s), action.ends_at);
  update_hook_action(call.tx, action);
  touch_group(call, group.number);
  return {};
}

}  // namespace

std::vector<Operation> hook_operations() {
  return {operation<&put_lifecycle_hook>("PutLifecycleHook", Access::Write),
          operation<&describe_lifecycle_hooks>("DescribeLifecycleHooks", Access::Read),
          operation<&describe_lifecycle_hook_types>("DescribeLifecycleHookTypes", Access::Read),
          operation<&delete_lifecycle_hook>("DeleteLifecycleHook", Access::Write),
          operation<&complete_lifecycle_action>("CompleteLifecycleAction", Access::Write),
          operation<&record_lifecycle_action_heartbeat>("RecordLifecycleActionHeartbeat", Access::Write)};
}

}  // namespace services::autoscaling
