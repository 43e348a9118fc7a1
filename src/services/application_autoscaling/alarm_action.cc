// SPDX-License-Identifier: Apache-2.0
// ExecuteAlarmAction: what a policy does when one of its alarms has, or keeps, a state.
#include <fmt/format.h>

#include <algorithm>

#include "autoscaler/step.h"
#include "autoscaler/target_tracking.h"
#include "base/check.h"
#include "services/application_autoscaling/activity.h"
#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/policy.h"
#include "services/application_autoscaling/policy_alarms.h"
#include "services/application_autoscaling/service_capacity.h"
#include "services/application_autoscaling/tracked_metric.h"
#include "shapes/stoker/alarm_action.h"

namespace services::application_autoscaling {
namespace {

using autoscaler::Direction;
using autoscaler::Scaled;
using shapes::application_autoscaling::NotScaledReason;
using shapes::application_autoscaling::StepScalingPolicyConfiguration;
using shapes::application_autoscaling::TargetTrackingScalingPolicyConfiguration;
using shapes::stoker::ExecuteAlarmAction;

// One run of a policy.
struct Scaling {
  StoredTarget target;
  StoredPolicy policy;
  ServiceCapacity capacity;
  std::string cause;
};

// What the run decided. `cooldown` counts if the desired count changes.
struct ScalingDecision {
  Direction direction = Direction::None;
  Scaled scaled = {};
  base::Duration cooldown = {};
};

// 85.0 and 0.14, as Java writes them.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == text.npos) text += ".0";
  return text;
}

std::string list_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + number_text(value);
  return "[" + text + "]";
}

autoscaler::TargetCapacity capacity_of(const Scaling& scaling) {
  return {.desired = scaling.capacity.desired,
          .running = scaling.capacity.running,
          .bounds = scaling.target.bounds,
          .cooling = scaling.target.cooling};
}

ScalingDecision run_steps(const Scaling& scaling, const ExecuteAlarmAction& request, base::Time now) {
  const StepScalingPolicyConfiguration& configuration = *scaling.policy.body.StepScalingPolicyConfiguration;
  const auto aggregation = autoscaler::parse_aggregation(configuration.MetricAggregationType.value_or("Average"));
  const auto type = autoscaler::parse_adjustment_type(configuration.AdjustmentType.value_or(""));
  CHECK(aggregation && type) << "a stored policy is invalid";
  const auto value = autoscaler::aggregate(request.recentDatapoints, *aggregation);
  if (!value) throw validation_error("Metric data points must be provided");
  std::vector<autoscaler::Step> steps;
  for (const auto& step : *configuration.StepAdjustments) {
    steps.push_back({step.MetricIntervalLowerBound, step.MetricIntervalUpperBound, step.ScalingAdjustment});
  }
  const double threshold = request.threshold.value_or(0);
  const autoscaler::Step* step =
      autoscaler::find_step(steps, *value - threshold, autoscaler::side_of(request.comparisonOperator));
  if (!step) {
    throw validation_error("No step adjustment found for metric value " + list_text(request.recentDatapoints) +
                           " and breach threshold " + number_text(threshold));
  }
  const autoscaler::Adjustment adjustment{*type, step->adjustment, configuration.MinAdjustmentMagnitude.value_or(0)};
  const auto capacity = capacity_of(scaling);
  return {.direction = autoscaler::direction(capacity.desired, adjustment),
          .scaled = autoscaler::step_target(capacity, adjustment, now),
          .cooldown = std::chrono::seconds(configuration.Cooldown.value_or(kDefaultCooldown))};
}

int tracked(const Scaling& scaling, const StoredPolicy& policy, const std::vector<double>& points, Direction direction) {
  const auto& configuration = *policy.body.TargetTrackingScalingPolicyConfiguration;
  autoscaler::Tracking tracking{.capacity = scaling.capacity.running,
                                .metric = autoscaler::tracking_metric(points, direction),
                                .target = configuration.TargetValue};
  if (tracks_backlog(configuration)) {
    tracking.from_zero = autoscaler::FromZero::CountAsOne;
    // With no task, the metric is the backlog and the target: see tracked_metric.cc.
    if (tracking.capacity == 0 && tracking.metric > 0) {
      tracking.metric = std::max(tracking.metric - tracking.target, std::min(tracking.metric, tracking.target));
    }
  }
  return autoscaler::tracked_capacity(tracking);
}

// nullopt: another policy is not ready to scale in.
std::optional<int> agreed_capacity(Call& call, const Scaling& scaling, const ExecuteAlarmAction& request) {
  std::vector<autoscaler::TrackingVote> votes;
  for (const StoredPolicy& policy : list_policies(call.tx, scaling.target.number)) {
    if (policy.body.PolicyType != kTargetTracking) continue;
    autoscaler::TrackingVote vote;
    vote.scale_in_enabled = !policy.body.TargetTrackingScalingPolicyConfiguration->DisableScaleIn.value_or(false);
    if (policy.number == scaling.policy.number) {
      vote.ready_to_scale_in = true;
      vote.wanted = tracked(scaling, policy, request.recentDatapoints, Direction::In);
    } else if (vote.scale_in_enabled) {
      const LowAlarm low = read_low_alarm(call, scaling.target, policy);
      vote.ready_to_scale_in = low.in_alarm && !low.points.empty();
      vote.wanted = tracked(scaling, policy, low.points, Direction::In);
    }
    votes.push_back(vote);
  }
  return autoscaler::agreed_scale_in(votes);
}

// nullopt: nothing to do.
std::optional<ScalingDecision> track_target(Call& call, const Scaling& scaling, const ExecuteAlarmAction& request) {
  if (request.newState != "ALARM" || request.recentDatapoints.empty()) return std::nullopt;
  const auto& configuration = *scaling.policy.body.TargetTrackingScalingPolicyConfiguration;
  const bool low = autoscaler::side_of(request.comparisonOperator) == autoscaler::Side::Below;
  ScalingDecision decision;
  decision.direction = low ? Direction::In : Direction::Out;
  const auto seconds = low ? configuration.ScaleInCooldown : configuration.ScaleOutCooldown;
  decision.cooldown = std::chrono::seconds(seconds.value_or(kDefaultCooldown));
  if (low && configuration.DisableScaleIn.value_or(false)) return std::nullopt;
  const auto wanted = low ? agreed_capacity(call, scaling, request)
                          : std::optional<int>(
                                tracked(scaling, scaling.policy, request.recentDatapoints, Direction::Out));
  if (!wanted) return std::nullopt;
  decision.scaled = autoscaler::scale_target(capacity_of(scaling), *wanted, decision.direction, call.now);
  return decision;
}

bool is_suspended(const StoredTarget& target, Direction direction) {
  if (direction == Direction::Out) return target.suspended.DynamicScalingOutSuspended.value_or(false);
  if (direction == Direction::In) return target.suspended.DynamicScalingInSuspended.value_or(false);
  return false;
}

void scale(Call& call, Scaling& scaling, const ScalingDecision& decision) {
  const int desired = decision.scaled.desired;
  const std::int64_t activity = scale_service(call, scaling.target, desired, scaling.cause);
  if (activity == 0) return;
  scaling.target.cooling = autoscaler::Cooling{scaling.capacity.desired, desired, call.now, decision.cooldown};
  scaling.target.cooling_activity = activity;
  update_target(call.tx, scaling.target);
}

void apply_decision(Call& call, Scaling& scaling, const ScalingDecision& decision) {
  if (is_suspended(scaling.target, decision.direction)) return;
  NotScaledReason reason;
  switch (decision.scaled.verdict) {
    case Scaled::Verdict::Cooling: return;
    case Scaled::Verdict::Changed:
      if (decision.direction != Direction::In || !scaling.capacity.deploying) return scale(call, scaling, decision);
      reason.Code = "TargetServicePutResourceAsUnscalable";
      break;
    case Scaled::Verdict::AtMax:
      reason.Code = "AlreadyAtMaxCapacity";
      reason.MaxCapacity = scaling.target.bounds.max;
      break;
    case Scaled::Verdict::AtMin:
      reason.Code = "AlreadyAtMinCapacity";
      reason.MinCapacity = scaling.target.bounds.min;
      break;
    case Scaled::Verdict::AtDesired:
      reason.Code = "AlreadyAtDesiredCapacity";
      reason.CurrentCapacity = scaling.capacity.desired;
      break;
  }
  record_not_scaled(call, scaling.target, scaling.cause, reason);
}

void execute_alarm_action(Call& call, const ExecuteAlarmAction& request) {
  auto policy = find_policy_by_uuid(call.tx, uuid_of_policy(request.actionArn));
  auto target = policy ? find_target(call.tx, policy->target) : std::nullopt;
  const bool owned = target && target->account == request.account && target->region == request.region;
  if (!owned) throw wire::ApiError("ObjectNotFoundException", "No scaling policy found for ARN: " + request.actionArn);
  const auto capacity = read_capacity(call.tx, target->account, target->region, target->resource);
  if (!capacity) throw validation_error("ECS service doesn't exist: " + target->resource);
  Scaling scaling{.target = std::move(*target), .policy = std::move(*policy), .capacity = *capacity};
  scaling.cause = "monitor alarm " + request.alarmName + " in state " + request.newState + " triggered policy " +
                  scaling.policy.body.PolicyName;
  if (scaling.policy.body.PolicyType == kTargetTracking) {
    if (const auto decision = track_target(call, scaling, request)) apply_decision(call, scaling, *decision);
  } else {
    apply_decision(call, scaling, run_steps(scaling, request, call.now));
  }
}

}  // namespace

std::vector<Operation> alarm_action_operations() {
  return {operation<&execute_alarm_action>("ExecuteAlarmAction", Access::Write)};
}

}  // namespace services::application_autoscaling
