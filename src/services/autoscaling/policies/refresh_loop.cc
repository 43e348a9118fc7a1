// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/serialize.hpp>

#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group_events.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/groups/weights.h"
#include "services/autoscaling/policies/refresh.h"

namespace services::autoscaling {
namespace {

using autoscaler::Obstacle;
using autoscaler::RefreshMember;
using autoscaler::RefreshPlan;
using autoscaler::RefreshState;
using autoscaler::RefreshStep;

constexpr char kRefreshCause[] = "an instance was taken out of service in response to an instance refresh";

Obstacle obstacle_choice(const std::string& choice) {
  if (choice == "Wait") return Obstacle::Wait;
  return choice == "Ignore" ? Obstacle::Ignore : Obstacle::Replace;
}

autoscaler::RefreshTerms refresh_terms(const shapes::autoscaling::RefreshPreferences& preferences) {
  autoscaler::RefreshTerms terms;
  terms.min_healthy = *preferences.MinHealthyPercentage;
  terms.max_healthy = *preferences.MaxHealthyPercentage;
  terms.checkpoints = preferences.CheckpointPercentages.value_or(std::vector<std::int32_t>());
  terms.checkpoint_delay = std::chrono::seconds(preferences.CheckpointDelay.value_or(3600));
  terms.bake = std::chrono::seconds(preferences.BakeTime.value_or(0));
  terms.protected_instances = obstacle_choice(*preferences.ScaleInProtectedInstances);
  terms.standby_instances = obstacle_choice(*preferences.StandbyInstances);
  return terms;
}

RefreshMember::Place place_of(const GroupInstance& instance) {
  using Place = RefreshMember::Place;
  if (!instance.replace_cause.empty()) return Place::Leaving;
  switch (instance.lifecycle) {
    case Lifecycle::Pending:
    case Lifecycle::PendingWait:
    case Lifecycle::PendingProceed: return Place::Pending;
    case Lifecycle::InService: return Place::InService;
    case Lifecycle::EnteringStandby:
    case Lifecycle::Standby: return Place::Standby;
    default: return Place::Leaving;
  }
}

// The refresh launches what is launched while it is in progress; a rollback replaces that.
bool is_new(const RefreshRow& refresh, const GroupInstance& instance) {
  const bool since_start = instance.launched_at >= refresh.started_at;
  if (refresh.is_rollback()) return !since_start || instance.launched_at >= *refresh.record.rollback->RollbackStartTime;
  const auto& skipped = refresh.record.skipped;
  return since_start || std::find(skipped.begin(), skipped.end(), instance.id) != skipped.end();
}

void publish_refresh_event(Call& call, const Group& group, const RefreshRow& refresh, const std::string& what,
                           boost::json::object detail = {}) {
  detail["InstanceRefreshId"] = refresh.uuid;
  detail["AutoScalingGroupName"] = group.name;
  publish_group_event(call, group, "EC2 Auto Scaling Instance Refresh " + what, "", boost::json::serialize(detail));
}

void reach_checkpoint(Call& call, const Group& group, RefreshRow& refresh, const RefreshPlan& plan) {
  const auto& percentages = *refresh.record.preferences.CheckpointPercentages;
  const auto reached = static_cast<std::size_t>(refresh.record.checkpoints_reached);
  boost::json::object detail;
  detail["CheckpointPercentage"] = std::to_string(percentages[reached]);
  detail["PercentageComplete"] = std::to_string(plan.percent);
  publish_refresh_event(call, group, refresh, "Checkpoint Reached", std::move(detail));
  ++refresh.record.checkpoints_reached;
  const bool is_last = reached + 1 == percentages.size();
  refresh.record.paused_until = is_last ? std::nullopt : plan.next;
}

void succeed(Call& call, const Group& group, RefreshRow& refresh) {
  refresh.status = refresh.is_rollback() ? "RollbackSuccessful" : "Successful";
  refresh.record.reason.clear();
  refresh.ended_at = call.now;
  publish_refresh_event(call, group, refresh, "Succeeded");
}

void take_step(Call& call, Group& group, RefreshRow& refresh, const RefreshPlan& plan) {
  switch (plan.step) {
    case RefreshStep::Continue: break;
    case RefreshStep::Checkpoint: return reach_checkpoint(call, group, refresh, plan);
    case RefreshStep::Bake:
      refresh.status = "Baking";
      refresh.record.bake_until = call.now + refresh_terms(refresh.record.preferences).bake;
      break;
    case RefreshStep::Succeed: return succeed(call, group, refresh);
    case RefreshStep::Cancel: return end_refresh(call, group, refresh, "Cancelled", plan.reason);
    case RefreshStep::Fail:
      if (refresh.is_rollback()) return end_refresh(call, group, refresh, "RollbackFailed", plan.reason);
      if (*refresh.record.preferences.AutoRollback) return start_rollback(call, group, refresh, plan.reason);
      return end_refresh(call, group, refresh, "Failed", plan.reason);
  }
}

// A rollback counts back to 0.
void record_progress(RefreshRow& refresh, const RefreshPlan& plan, base::Time now) {
  RefreshRecord& record = refresh.record;
  record.percent = refresh.is_rollback() ? 100 - plan.percent : plan.percent;
  if (!refresh.is_rollback()) record.to_update = plan.to_update;
  record.reason = plan.reason;
  if (!plan.blocked) record.blocked_since.reset();
  if (plan.blocked && !record.blocked_since) record.blocked_since = now;
}

void set_surge(Call& call, Group& group, RefreshRow& refresh, std::int32_t surge) {
  if (refresh.record.surge == surge) return;
  refresh.record.surge = surge;
  save_and_wake(call, group);
}

void advance(Call& call, std::int64_t number) {
  auto refresh = load_refresh(call.tx, number);
  if (!refresh || refresh->ended_at) return;
  auto group = load_group(call.tx, refresh->group);
  if (!group) return;
  if (refresh->status == "Pending") {
    refresh->status = "InProgress";
    publish_refresh_event(call, *group, *refresh, "Started");
  }
  const RefreshPlan plan = plan_refresh(refresh_state(call, *group, *refresh), call.now);
  record_progress(*refresh, plan, call.now);
  for (const std::string& id : plan.replace) replace_instance(call, *group, id, kRefreshCause);
  set_surge(call, *group, *refresh, plan.surge);
  take_step(call, *group, *refresh, plan);
  save_refresh(call.tx, *refresh);
}

bool has_news(const RefreshRow& refresh, const RefreshPlan& plan) {
  if (refresh.status == "Pending" || plan.step != RefreshStep::Continue || !plan.replace.empty()) return true;
  const RefreshRecord& record = refresh.record;
  const int percent = refresh.is_rollback() ? 100 - plan.percent : plan.percent;
  const bool counted = record.percent == percent && (refresh.is_rollback() || record.to_update == plan.to_update);
  return !counted || record.reason != plan.reason || record.blocked_since.has_value() != plan.blocked ||
         record.surge != plan.surge;
}

Decision look_at_refreshes(Call& call) {
  Decision decision;
  std::vector<std::int64_t> changed;
  for (const RefreshRow& refresh : list_active_refreshes(call.tx)) {
    const auto group = load_group(call.tx, refresh.group);
    if (!group) continue;
    const RefreshPlan plan = plan_refresh(refresh_state(call, *group, refresh), call.now);
    if (has_news(refresh, plan)) changed.push_back(refresh.number);
    if (plan.next) decision.next = decision.next ? std::min(*decision.next, *plan.next) : *plan.next;
  }
  if (changed.empty()) return decision;
  decision.next = call.now;
  decision.apply = [changed = std::move(changed)](Call& write) {
    for (const std::int64_t number : changed) advance(write, number);
  };
  return decision;
}

}  // namespace

bool can_roll_back(const RefreshRecord& record) {
  if (!record.desired) return false;
  const auto& before = record.before;
  const auto* specification = before.launch_template ? &*before.launch_template : nullptr;
  if (before.mixed_instances && before.mixed_instances->LaunchTemplate) {
    const auto& mixed = before.mixed_instances->LaunchTemplate->LaunchTemplateSpecification;
    if (mixed) specification = &*mixed;
  }
  if (!specification) return before.launch_configuration.has_value();
  return specification->Version && !specification->Version->starts_with("$");
}

RefreshState refresh_state(Call& call, const Group& group, const RefreshRow& refresh) {
  RefreshState state;
  state.desired = group.desired;
  state.terms = refresh_terms(refresh.record.preferences);
  if (refresh.is_rollback()) state.terms.checkpoints.clear();
  state.suspended = group.is_suspended("InstanceRefresh");
  state.launches_fail = group.failed_launches > 0;
  state.cancelling = refresh.status == "Cancelling";
  state.started_at = refresh.started_at;
  state.checkpoints_reached = refresh.record.checkpoints_reached;
  state.paused_until = refresh.record.paused_until;
  state.blocked_since = refresh.record.blocked_since;
  state.bake_until = refresh.record.bake_until;
  const auto warmup = std::chrono::seconds(*refresh.record.preferences.InstanceWarmup);
  for (const GroupInstance& instance : list_group_instances(call.tx, group.number)) {
    RefreshMember member{.id = instance.id, .place = place_of(instance)};
    member.is_new = is_new(refresh, instance);
    member.healthy = instance.healthy;
    member.is_protected = instance.is_protected;
    if (instance.in_service_at) member.warm_at = *instance.in_service_at + warmup;
    state.members.push_back(std::move(member));
  }
  // A refresh counts instances, not their units of capacity.
  if (has_weights(group)) {
    state.desired = static_cast<std::int32_t>(std::ranges::count_if(state.members, [](const RefreshMember& one) {
      return one.place == RefreshMember::Place::Pending || one.place == RefreshMember::Place::InService;
    }));
  }
  return state;
}

void start_rollback(Call& call, Group& group, RefreshRow& refresh, const std::string& reason) {
  auto& details = refresh.record.rollback.emplace();
  details.RollbackReason = reason;
  details.RollbackStartTime = call.now;
  details.PercentageCompleteOnRollback = refresh.record.percent;
  details.InstancesToUpdateOnRollback = refresh.record.to_update;
  refresh.status = "RollbackInProgress";
  refresh.record.reason = reason;
  refresh.record.surge = 0;
  refresh.record.paused_until.reset();
  refresh.record.blocked_since.reset();
  refresh.record.bake_until.reset();
  set_source(group, refresh.record.before);
  save_and_wake(call, group);
  save_refresh(call.tx, refresh);
  call.wake(std::string(kGroupChangesTopic));
}

void end_refresh(Call& call, Group& group, RefreshRow& refresh, const std::string& status, const std::string& reason) {
  refresh.status = status;
  refresh.record.reason = reason;
  refresh.ended_at = call.now;
  refresh.record.surge = 0;
  if (refresh.record.desired) set_source(group, refresh.record.before);
  save_and_wake(call, group);
  save_refresh(call.tx, refresh);
  publish_refresh_event(call, group, refresh, status == "Cancelled" ? "Cancelled" : "Failed");
}

std::int32_t refresh_surge(store::Tx& tx, std::int64_t group) {
  const auto refresh = active_refresh(tx, group);
  return refresh ? refresh->record.surge : 0;
}

Loop refresh_loop() {
  return {.name = "autoscaling-refreshes", .topic = std::string(kGroupChangesTopic), .look = look_at_refreshes};
}

}  // namespace services::autoscaling
