// SPDX-License-Identifier: Apache-2.0
// Lifecycle hooks of groups, and the actions that wait for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/call.h"
#include "shapes/autoscaling/lifecycle_hook.h"

namespace services::autoscaling {

inline constexpr std::string_view kLaunching = "autoscaling:EC2_INSTANCE_LAUNCHING";
inline constexpr std::string_view kTerminating = "autoscaling:EC2_INSTANCE_TERMINATING";
// ECS completes the actions of this hook, after it has drained the container instance.
inline constexpr std::string_view kManagedDrainingHook = "ecs-managed-draining-termination-hook";
// Amazon's.
inline constexpr std::size_t kMaxHooks = 50, kMaxHooksAtCreation = 5;

using shapes::autoscaling::LifecycleHook;

// By name.
std::vector<LifecycleHook> list_hooks(store::Tx& tx, std::int64_t group);
bool has_hooks(store::Tx& tx, std::int64_t group, std::string_view transition);
std::optional<LifecycleHook> find_hook(store::Tx& tx, std::int64_t group, const std::string& name);

// PutLifecycleHook: creates or changes it, and sends the test message to its target. Throws ValidationError.
void put_hook(Call& call, const Group& group, const shapes::autoscaling::PutLifecycleHookType& request);
// Deletes it: launches that wait for it are abandoned, terminations continue.
void delete_hook(Call& call, const Group& group, const LifecycleHook& hook);
void delete_all_hooks(store::Tx& tx, std::int64_t group);

struct HookActionRow {
  std::string token, instance, hook;
  std::string result;  // "CONTINUE", "ABANDON"; "": it waits
  std::string default_result;
  std::int64_t heartbeat_s = 0;
  base::Time expires_at, ends_at;
};
std::vector<HookActionRow> list_hook_actions(store::Tx& tx, std::int64_t group);
std::vector<HookActionRow> list_hook_actions(store::Tx& tx, std::int64_t group, const std::string& instance);
void update_hook_action(store::Tx& tx, const HookActionRow& action);
void delete_hook_actions(store::Tx& tx, std::int64_t group, const std::string& instance);

// Starts an action for each hook of the transition: writes its row, then sends its message and event.
void start_hook_actions(Call& call, const Group& group, const GroupInstance& instance, std::string_view transition);

}  // namespace services::autoscaling
