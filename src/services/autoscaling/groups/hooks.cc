// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/hooks.h"

#include <algorithm>
#include <cctype>

#include "base/random.h"
#include "services/arn.h"
#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/hook_messages.h"
#include "services/shape_json.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::PutLifecycleHookType;

constexpr std::int32_t kMinHeartbeat = 30, kMaxHeartbeat = 7200, kDefaultHeartbeat = 3600;
constexpr std::int32_t kMaxGlobalTimeout = 48 * 3600, kHeartbeats = 100;

LifecycleHook read_hook(const store::Row& row) { return from_json<LifecycleHook>(row.text(0)); }

HookActionRow read_hook_action(const store::Row& row) {
  return {row.str(0), row.str(1), row.str(2), row.str(3), row.str(4), row.integer(5), row.time(6), row.time(7)};
}

constexpr char kSelectActions[] =
    "SELECT token, instance, hook, result, default_result, heartbeat_s, expires_at, ends_at "
    "FROM autoscaling_hook_actions WHERE grp = $1";

void check_hook_target(const PutLifecycleHookType& request) {
  const std::string target = request.NotificationTargetARN.value_or("");
  if (request.RoleARN && target.empty()) {
    throw validation_error("'NotificationTargetARN' parameter required when 'RoleARN' parameter is specified");
  }
  if (target.empty()) return;
  const auto arn = parse_arn(target);
  if (!arn) throw validation_error("'NotificationTargetARN' must be a valid ARN");
  if (arn->service != "sqs") throw unsupported("notification targets of the service " + std::string(arn->service));
  if (arn->resource.ends_with(".fifo")) throw validation_error("FIFO queues are not supported as notification targets");
}

void check_hook_name(const std::string& name) {
  const auto allowed = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '/'; };
  if (std::ranges::all_of(name, allowed)) return;
  wire::Violation violation;
  violation.path = violation.member = "lifecycleHookName";
  violation.kind = wire::Violation::Pattern;
  violation.constraint = "[A-Za-z0-9\\-_\\/]+";
  violation.value = name;
  throw validation_error(wire::validation_message({violation}));
}

void check_hook_members(const PutLifecycleHookType& request) {
  check_hook_name(request.LifecycleHookName);
  if (request.HeartbeatTimeout &&
      (*request.HeartbeatTimeout < kMinHeartbeat || *request.HeartbeatTimeout > kMaxHeartbeat)) {
    throw validation_error("HeartbeatTimeout must be between 30 and 7200 seconds");
  }
  if (request.DefaultResult && *request.DefaultResult != "CONTINUE" && *request.DefaultResult != "ABANDON") {
    throw validation_error("'DefaultResult' must be one of: CONTINUE, ABANDON");
  }
  if (request.LifecycleTransition && *request.LifecycleTransition != kLaunching &&
      *request.LifecycleTransition != kTerminating) {
    throw validation_error(
        "'LifecycleTransition' must be one of: autoscaling:EC2_INSTANCE_LAUNCHING, "
        "autoscaling:EC2_INSTANCE_TERMINATING");
  }
  check_hook_target(request);
}

// The empty target removes it.
void set_hook_target(LifecycleHook& hook, const PutLifecycleHookType& request) {
  if (request.RoleARN) hook.RoleARN = request.RoleARN;
  if (!request.NotificationTargetARN) return;
  hook.NotificationTargetARN = request.NotificationTargetARN;
  if (!hook.NotificationTargetARN->empty()) return;
  hook.NotificationTargetARN.reset();
  hook.RoleARN.reset();
}

}  // namespace

std::vector<LifecycleHook> list_hooks(store::Tx& tx, std::int64_t group) {
  return tx.query("SELECT body FROM autoscaling_hooks WHERE grp = $1 ORDER BY name", group).all(read_hook);
}

bool has_hooks(store::Tx& tx, std::int64_t group, std::string_view transition) {
  return tx.query("SELECT 1 FROM autoscaling_hooks WHERE grp = $1 AND transition = $2 LIMIT 1", group, transition)
             .integer() != 0;
}

std::optional<LifecycleHook> find_hook(store::Tx& tx, std::int64_t group, const std::string& name) {
  if (name.find('\0') != name.npos) return std::nullopt;
  return tx.query("SELECT body FROM autoscaling_hooks WHERE grp = $1 AND name = $2", group, name).one(read_hook);
}

void put_hook(Call& call, const Group& group, const PutLifecycleHookType& request) {
  check_hook_members(request);
  check_text("LifecycleHookName", request.LifecycleHookName);
  auto existing = find_hook(call.tx, group.number, request.LifecycleHookName);
  if (!existing && !request.LifecycleTransition) {
    throw validation_error("LifecycleTransition is required for a new lifecycle hook");
  }
  if (!existing && list_hooks(call.tx, group.number).size() >= kMaxHooks) {
    throw wire::ApiError("LimitExceededFault", "You may only have up to 50 lifecycle hooks per AutoScalingGroup");
  }
  LifecycleHook hook = existing.value_or(LifecycleHook());
  hook.LifecycleHookName = request.LifecycleHookName;
  hook.AutoScalingGroupName = group.name;
  if (request.LifecycleTransition) hook.LifecycleTransition = request.LifecycleTransition;
  if (request.NotificationMetadata) hook.NotificationMetadata = request.NotificationMetadata;
  hook.HeartbeatTimeout = request.HeartbeatTimeout.value_or(hook.HeartbeatTimeout.value_or(kDefaultHeartbeat));
  hook.GlobalTimeout = std::min(kMaxGlobalTimeout, kHeartbeats * *hook.HeartbeatTimeout);
  hook.DefaultResult = request.DefaultResult.value_or(hook.DefaultResult.value_or("ABANDON"));
  set_hook_target(hook, request);
  call.tx.exec(
      "INSERT INTO autoscaling_hooks (grp, name, transition, body) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (grp, name) DO UPDATE SET transition = EXCLUDED.transition, body = EXCLUDED.body",
      group.number, *hook.LifecycleHookName, *hook.LifecycleTransition, to_json(hook));
  if (request.NotificationTargetARN && hook.NotificationTargetARN) send_test_message(call, group, hook);
}

void delete_hook(Call& call, const Group& group, const LifecycleHook& hook) {
  const char* result = hook.LifecycleTransition == kLaunching ? "ABANDON" : "CONTINUE";
  call.tx.exec("UPDATE autoscaling_hook_actions SET result = $3 WHERE grp = $1 AND hook = $2 AND result = ''",
               group.number, *hook.LifecycleHookName, result);
  call.tx.exec("DELETE FROM autoscaling_hooks WHERE grp = $1 AND name = $2", group.number, *hook.LifecycleHookName);
}

void delete_all_hooks(store::Tx& tx, std::int64_t group) {
  tx.exec("DELETE FROM autoscaling_hooks WHERE grp = $1", group);
  tx.exec("DELETE FROM autoscaling_hook_actions WHERE grp = $1", group);
}

std::vector<HookActionRow> list_hook_actions(store::Tx& tx, std::int64_t group) {
  static const std::string sql = std::string(kSelectActions) + " ORDER BY token";
  return tx.query(sql, group).all(read_hook_action);
}

std::vector<HookActionRow> list_hook_actions(store::Tx& tx, std::int64_t group, const std::string& instance) {
  static const std::string sql = std::string(kSelectActions) + " AND instance = $2 ORDER BY hook, token";
  return tx.query(sql, group, instance).all(read_hook_action);
}

void update_hook_action(store::Tx& tx, const HookActionRow& action) {
  tx.exec("UPDATE autoscaling_hook_actions SET result = $2, expires_at = $3 WHERE token = $1", action.token,
          action.result, action.expires_at);
}

void delete_hook_actions(store::Tx& tx, std::int64_t group, const std::string& instance) {
  tx.exec("DELETE FROM autoscaling_hook_actions WHERE grp = $1 AND instance = $2", group, instance);
}

void start_hook_actions(Call& call, const Group& group, const GroupInstance& instance, std::string_view transition) {
  delete_hook_actions(call.tx, group.number, instance.id);
  for (const LifecycleHook& hook : list_hooks(call.tx, group.number)) {
    if (hook.LifecycleTransition != transition) continue;
    const std::string token = base::random_uuid();
    call.tx.exec(
        "INSERT INTO autoscaling_hook_actions (token, grp, instance, hook, result, default_result, heartbeat_s, "
        "expires_at, ends_at) VALUES ($1, $2, $3, $4, '', $5, $6, $7, $8)",
        token, group.number, instance.id, *hook.LifecycleHookName, *hook.DefaultResult, *hook.HeartbeatTimeout,
        call.now + std::chrono::seconds(*hook.HeartbeatTimeout), call.now + std::chrono::seconds(*hook.GlobalTimeout));
    send_hook_message(call, group, hook, {instance.id, token});
  }
}

}  // namespace services::autoscaling
