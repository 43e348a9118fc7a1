// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/policy_execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "autoscaler/group_plan.h"
#include "autoscaler/target_tracking.h"
#include "services/autoscaling/groups/capacity.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/policies/policy_errors.h"
#include "services/autoscaling/policies/tracking_alarms.h"

namespace services::autoscaling {
namespace {

using autoscaler::Adjustment;
using autoscaler::Direction;
using autoscaler::GroupCapacity;
using shapes::autoscaling::ExecutePolicyType;
using shapes::autoscaling::StepAdjustment;
using shapes::stoker::ExecuteAlarmAction;

// CloudWatch repeats the actions of an alarm every minute, so a policy in force has a result that is not older.
constexpr base::Duration kResultLife = std::chrono::seconds(90);
// Alarms that change on the same data change within moments.
constexpr base::Duration kSameMoment = std::chrono::seconds(5);

base::Duration warmup_of(const PolicyRow& policy, const Group& group) {
  return autoscaler::warm_up_time(policy.terms.EstimatedInstanceWarmup, group.settings.warmup_s,
                                  group.settings.cooldown_s);
}

Adjustment adjustment_of(const PolicyRow& policy, int amount) {
  const auto& terms = policy.terms;
  const auto magnitude = terms.MinAdjustmentMagnitude ? terms.MinAdjustmentMagnitude : terms.MinAdjustmentStep;
  return {*autoscaler::parse_adjustment_type(*terms.AdjustmentType), amount, magnitude.value_or(0)};
}

std::vector<autoscaler::Step> steps_of(const PolicyRow& policy) {
  std::vector<autoscaler::Step> steps;
  for (const StepAdjustment& step : *policy.terms.StepAdjustments) {
    steps.push_back({step.MetricIntervalLowerBound, step.MetricIntervalUpperBound, step.ScalingAdjustment});
  }
  return steps;
}

// Throws where no step has this value.
Adjustment step_adjustment(const PolicyRow& policy, double value, std::span<const double> points, double threshold,
                           autoscaler::Side side) {
  const auto steps = steps_of(policy);
  const auto* step = autoscaler::find_step(steps, value - threshold, side);
  if (!step) {
    throw invalid_request("No step adjustment found for metric value " + java_text(points) + " and breach threshold " +
                          java_text(threshold));
  }
  return adjustment_of(policy, step->adjustment);
}

struct Trigger {
  std::string alarm, state;     // "": a user's request
  std::string cause;            // "a monitor alarm a in state ALARM triggered policy p"
  std::string invoking_alarms;  // a JSON array; "": none
};

void record_result(Call& call, PolicyRow& policy, std::int32_t result, const Trigger& trigger) {
  policy.wanted = result;
  policy.wanted_at = call.now;
  policy.wanted_alarm = trigger.alarm;
  policy.wanted_state = trigger.state;
  save_policy(call.tx, policy);
}

// Other policies of the group that are in force: their alarm is still in the state that triggered them, at most so long
// ago.
std::vector<PolicyRow> others_in_force(Call& call, const PolicyRow& policy, base::Duration life) {
  std::vector<PolicyRow> others = list_policies(call.tx, policy.group);
  std::erase_if(others, [&](const PolicyRow& other) {
    if (other.number == policy.number || !other.is_enabled() || !other.wanted) return true;
    return *other.wanted_at + life < call.now || alarm_state(call, other, other.wanted_alarm) != other.wanted_state;
  });
  return others;
}

// Another policy may have lowered the capacity in the same moment. The larger of the two results counts, so this
// policy's is computed from the capacity before.
GroupCapacity before_other_policies(Call& call, const PolicyRow& policy, GroupCapacity capacity) {
  if (capacity.desired >= capacity.warm) return capacity;
  for (const PolicyRow& other : others_in_force(call, policy, kSameMoment)) {
    if (other.wanted == capacity.desired) capacity.desired = capacity.warm;
  }
  return capacity;
}

// A scale-in leaves as many instances as any policy in force wants.
void apply_result(Call& call, const PolicyRow& policy, Group& group, std::int32_t result, const Trigger& trigger) {
  std::int32_t desired = result;
  if (result < group.desired) {
    for (const PolicyRow& other : others_in_force(call, policy, kResultLife)) desired = std::max(desired, *other.wanted);
    desired = std::min(desired, group.desired);
  }
  set_desired(call, group, desired, trigger.cause, trigger.invoking_alarms);
}

std::int32_t simple_result(Call& call, const PolicyRow& policy, const Group& group) {
  const GroupCapacity capacity = count_capacity(call, group, warmup_of(policy, group));
  return autoscaler::adjust_group(capacity, adjustment_of(policy, *policy.terms.ScalingAdjustment));
}

base::Duration cooldown_of(const PolicyRow& policy, const Group& group) {
  return std::chrono::seconds(policy.terms.Cooldown.value_or(group.settings.cooldown_s));
}

// Target tracking policies scale in only together: nullopt where another one does not want to.
std::optional<std::int32_t> agreed_with_others(Call& call, const PolicyRow& policy, std::int32_t wanted) {
  std::vector<autoscaler::TrackingVote> votes = {{true, true, wanted}};
  for (const PolicyRow& other : list_policies(call.tx, policy.group)) {
    if (other.number == policy.number || other.type() != kTargetTracking || !other.is_enabled()) continue;
    const bool in = !other.terms.TargetTrackingConfiguration->DisableScaleIn.value_or(false);
    const bool has_result = other.wanted && *other.wanted_at + kResultLife >= call.now;
    const bool ready = in && has_result && alarm_state(call, other, other.alarm_low) == "ALARM";
    votes.push_back({in, ready, other.wanted.value_or(0)});
  }
  return autoscaler::agreed_scale_in(votes);
}

bool tracks_reservation(const PolicyRow& policy) {
  const auto metric = tracked_metric(policy);
  return autoscaler::is_capacity_provider_reservation(metric.Namespace.value_or(""), metric.MetricName.value_or(""));
}

void track(Call& call, PolicyRow& policy, Group& group, std::span<const double> points, const Trigger& trigger) {
  const auto& tracking = *policy.terms.TargetTrackingConfiguration;
  const bool out = autoscaler::tracking_metric(points, Direction::Out) > tracking.TargetValue;
  const double metric = autoscaler::tracking_metric(points, out ? Direction::Out : Direction::In);
  const GroupCapacity capacity = count_capacity(call, group, warmup_of(policy, group));
  const int wanted = autoscaler::tracked_capacity(
      {capacity.warm, metric, tracking.TargetValue, autoscaler::FromZero::CountAsOne});
  // Recorded also where it has to wait: the other policies follow it.
  record_result(call, policy, wanted, trigger);
  if (out) {
    const int result = autoscaler::bounded_capacity(capacity.desired, wanted, Direction::Out, capacity.bounds);
    return apply_result(call, policy, group, result, trigger);
  }
  if (tracking.DisableScaleIn.value_or(false) || capacity.warming) return;
  auto agreed = agreed_with_others(call, policy, wanted);
  if (!agreed) return;
  if (tracks_reservation(policy)) agreed = autoscaler::paced_scale_in(capacity.desired, *agreed);
  const int result = autoscaler::bounded_capacity(capacity.desired, *agreed, Direction::In, capacity.bounds);
  apply_result(call, policy, group, result, trigger);
}

void run_steps(Call& call, PolicyRow& policy, Group& group, const ExecuteAlarmAction& action, const Trigger& trigger) {
  const auto& points = action.recentDatapoints;
  const auto aggregation = autoscaler::parse_aggregation(policy.terms.MetricAggregationType.value_or("Average"));
  const auto value = autoscaler::aggregate(points, *aggregation);
  if (!value || !action.threshold) throw invalid_request("Metric data points must be provided");
  const Adjustment adjustment = step_adjustment(policy, *value, points, *action.threshold,
                                                autoscaler::side_of(action.comparisonOperator));
  GroupCapacity capacity = count_capacity(call, group, warmup_of(policy, group));
  capacity = before_other_policies(call, policy, capacity);
  const int result = autoscaler::step_group(capacity, adjustment);
  record_result(call, policy, result, trigger);
  apply_result(call, policy, group, result, trigger);
}

// Only simple policies wait for a cooldown. A lasting alarm triggers them again after a minute.
void run_by_alarm(Call& call, PolicyRow& policy, Group& group, const ExecuteAlarmAction& action) {
  const Trigger trigger{
      action.alarmName, action.newState,
      "a monitor alarm " + action.alarmName + " in state " + action.newState + " triggered policy " + policy.name,
      invoking_alarms(action)};
  if (policy.type() == kStepScaling) return run_steps(call, policy, group, action, trigger);
  if (policy.type() == kSimpleScaling) {
    if (is_cooling_down(call, group, cooldown_of(policy, group))) return;
    const int result = simple_result(call, policy, group);
    record_result(call, policy, result, trigger);
    return apply_result(call, policy, group, result, trigger);
  }
  if (action.recentDatapoints.empty()) throw invalid_request("Metric data points must be provided");
  track(call, policy, group, action.recentDatapoints, trigger);
}

void check_execute_request(const PolicyRow& policy, const ExecutePolicyType& request) {
  if (policy.type() == kTargetTracking) {
    throw invalid_request("Policies of type TargetTrackingScaling cannot be executed by a request");
  }
  const bool has_metric = request.MetricValue || request.BreachThreshold;
  if (policy.type() == kSimpleScaling && has_metric) {
    throw invalid_request("MetricValue and BreachThreshold are not supported for a SimpleScaling policy");
  }
  if (policy.type() != kStepScaling) return;
  if (!request.MetricValue || !request.BreachThreshold) {
    throw invalid_request("MetricValue and BreachThreshold must be specified for a StepScaling policy");
  }
  if (request.HonorCooldown.value_or(false)) {
    throw invalid_request("HonorCooldown is not supported for a StepScaling policy");
  }
}

}  // namespace

GroupCapacity count_capacity(Call& call, const Group& group, base::Duration warmup) {
  GroupCapacity capacity{.desired = group.desired, .bounds = {group.min, group.max}};
  int live = 0;
  for (const GroupInstance& instance : list_group_instances(call.tx, group.number)) {
    const bool in_service = instance.lifecycle == Lifecycle::InService;
    const bool warm = in_service && instance.in_service_at && *instance.in_service_at + warmup <= call.now;
    if (warm || autoscaler::is_terminating(instance.lifecycle)) capacity.warm += instance.weight;
    if (!autoscaler::is_capacity(instance.lifecycle)) continue;
    live += instance.weight;
    if (!warm) capacity.warming = true;
  }
  // The loop has not launched all of them yet.
  if (live < group.desired) capacity.warming = true;
  return capacity;
}

void execute_by_request(Call& call, const PolicyRow& policy, const ExecutePolicyType& request) {
  check_execute_request(policy, request);
  auto group = load_group(call.tx, policy.group);
  if (!group || group->status != GroupStatus::Active) return;
  const std::string cause = "a user request executed policy " + policy.name;
  if (policy.type() == kSimpleScaling) {
    if (request.HonorCooldown.value_or(false) && is_cooling_down(call, *group, cooldown_of(policy, *group))) {
      throw wire::ApiError("ScalingActivityInProgressFault",
                           "A scaling activity or a cooldown period is in progress and blocks this action");
    }
    return set_desired(call, *group, simple_result(call, policy, *group), cause);
  }
  const double value = *request.MetricValue;
  const Adjustment adjustment = step_adjustment(policy, value, {&value, 1}, *request.BreachThreshold,
                                                autoscaler::Side::Above);
  const GroupCapacity capacity = count_capacity(call, *group, warmup_of(policy, *group));
  set_desired(call, *group, autoscaler::step_group(capacity, adjustment), cause);
}

void execute_alarm_action(Call& call, const ExecuteAlarmAction& action) {
  const auto uuid = policy_uuid(action.actionArn);
  auto policy = uuid ? load_policy(call, *uuid) : std::nullopt;
  if (!policy || policy->arn() != action.actionArn) {
    throw invalid_request("No scaling policy found with ARN: " + action.actionArn);
  }
  auto group = load_group(call.tx, policy->group);
  if (!group || group->status != GroupStatus::Active) return;
  if (!policy->is_enabled() || group->is_suspended("AlarmNotification")) return;
  run_by_alarm(call, *policy, *group, action);
}

std::string java_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == text.npos) text += ".0";
  return text;
}

std::string java_text(std::span<const double> values) {
  std::string text = "[";
  for (const double value : values) text += (text.size() == 1 ? "" : ", ") + java_text(value);
  return text + "]";
}

}  // namespace services::autoscaling
