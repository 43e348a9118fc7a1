// SPDX-License-Identifier: Apache-2.0
#include "cli/group_explanation.h"

#include <algorithm>

#include "cli/group_rows.h"
#include "cli/scaling_events.h"
#include "cli/scaling_policy.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using shapes::autoscaling::Activity;
using shapes::autoscaling::AutoScalingGroup;
using shapes::autoscaling::Instance;
using shapes::autoscaling::SuspendedProcess;
using Sentences = std::vector<std::string>;

std::vector<Instance> instances_of(const AutoScalingGroup& group) {
  return group.Instances.value_or(std::vector<Instance>());
}

bool is_process_suspended(const AutoScalingGroup& group, std::string_view process) {
  const auto suspended = group.SuspendedProcesses.value_or(std::vector<SuspendedProcess>());
  return std::ranges::any_of(suspended, [&](const SuspendedProcess& one) { return one.ProcessName == process; });
}

void explain_last_change(const GroupFacts& facts, Sentences& out) {
  const std::vector<ScalingEvent> events = events_of_groups(facts.activities);
  if (events.empty()) return out.push_back("No recent activity changed the desired capacity.");
  const ScalingEvent& last = events.front();
  std::string text = "The desired capacity changed from " + std::to_string(*last.from) + " to " +
                     std::to_string(*last.to) + " at " + wire::to_iso8601(last.time) + ": " + last.reason;
  if (last.alarm) text += ", by alarm " + *last.alarm + " in state " + *last.alarmState;
  out.push_back(text + ".");
}

void explain_bounds(const AutoScalingGroup& group, Sentences& out) {
  if (group.DesiredCapacity < group.MaxSize) return;
  out.push_back("It is at its maximum of " + std::to_string(group.MaxSize) + ": `stoker group set " +
                group.AutoScalingGroupName + " --max N` raises it.");
}

void explain_suspension(const AutoScalingGroup& group, Sentences& out) {
  for (const auto& one : group.SuspendedProcesses.value_or(std::vector<SuspendedProcess>())) {
    out.push_back("The process " + one.ProcessName.value_or("") + " is suspended (" +
                  one.SuspensionReason.value_or("") + "): `aws autoscaling resume-processes` resumes it.");
  }
}

void explain_failed_launches(const GroupFacts& facts, base::Time now, Sentences& out) {
  const int failed = facts.waits.failedLaunches;
  if (failed == 0) return;
  std::string text = failed == 1 ? "The last launch failed"
                                 : "Launches have failed " + std::to_string(failed) + " times in a row";
  for (const Activity& activity : facts.activities) {
    const bool is_launch = activity.Description.value_or("").starts_with("Launching");
    if (!is_launch || (activity.StatusCode != "Failed" && activity.StatusCode != "Cancelled")) continue;
    text += ": " + activity.StatusMessage.value_or("no reason was reported");
    break;
  }
  while (text.ends_with('.')) text.pop_back();
  if (facts.waits.retryAt) text += ". The next launch is not before " + time_until(*facts.waits.retryAt, now);
  out.push_back(text + ".");
}

void explain_instances(const GroupFacts& facts, base::Time now, Sentences& out) {
  for (const Instance& one : instances_of(facts.group)) {
    if (one.LifecycleState == "Pending") out.push_back(one.InstanceId + " is Pending: its machine starts.");
    if (one.LifecycleState == "Terminating") out.push_back(one.InstanceId + " is Terminating: its machine stops.");
    if (one.HealthStatus == "Unhealthy") out.push_back(one.InstanceId + " is unhealthy.");
  }
  for (const auto& hook : facts.waits.hooks) {
    out.push_back(hook.instanceId + " waits for the hook " + hook.hook + ", until " + time_until(hook.expiresAt, now) +
                  " at most; the result is then " + hook.defaultResult + ".");
  }
}

// More instances than desired stay while they are protected.
void explain_protection(const AutoScalingGroup& group, Sentences& out) {
  const GroupCounts counts = count_instances(group);
  if (counts.in_service + counts.pending <= group.DesiredCapacity) return;
  std::string names;
  for (const Instance& one : instances_of(group)) {
    if (one.LifecycleState == "InService" && one.ProtectedFromScaleIn) {
      names += (names.empty() ? "" : ", ") + one.InstanceId;
    }
  }
  if (!names.empty()) out.push_back("Protected from scale-in, although fewer instances are desired: " + names + ".");
}

base::Duration warmup_of(const shapes::autoscaling::ScalingPolicy& policy, const AutoScalingGroup& group) {
  if (policy.EstimatedInstanceWarmup) return std::chrono::seconds(*policy.EstimatedInstanceWarmup);
  return std::chrono::seconds(group.DefaultInstanceWarmup.value_or(group.DefaultCooldown));
}

bool has_running_activity(const GroupFacts& facts) {
  return std::ranges::any_of(facts.activities, [](const Activity& one) { return !one.EndTime; });
}

std::string simple_next_action(const shapes::autoscaling::ScalingPolicy& policy, const GroupFacts& facts,
                               base::Time now) {
  if (has_running_activity(facts)) return "It acts only after the activities in progress, and a cooldown.";
  const std::chrono::seconds cooldown(policy.Cooldown.value_or(facts.group.DefaultCooldown));
  if (facts.waits.cooldownFrom && *facts.waits.cooldownFrom + cooldown > now) {
    return "It can act again at " + time_until(*facts.waits.cooldownFrom + cooldown, now) + ", after its cooldown.";
  }
  return "It can act now.";
}

std::string tracking_next_action(const shapes::autoscaling::ScalingPolicy& policy, const GroupFacts& facts,
                                 base::Time now) {
  const GroupCounts counts = count_instances(facts.group);
  if (counts.pending > 0 || counts.in_service < facts.group.DesiredCapacity) {
    return "It can scale out now, and scale in only when all desired instances are in service and warm.";
  }
  const auto newest = facts.waits.newestInServiceAt;
  const base::Duration warmup = warmup_of(policy, facts.group);
  if (newest && *newest + warmup > now) {
    return "It can scale out now, and scale in at " + time_until(*newest + warmup, now) +
           ", when the newest instance is warm.";
  }
  return "It can scale out and in now; it scales in only together with the other target tracking policies.";
}

}  // namespace

std::vector<std::string> group_sentences(const GroupFacts& facts, base::Time now) {
  Sentences out{group_sizes(facts.group) + "."};
  if (facts.group.Status) out.push_back(*facts.group.Status + ".");
  explain_last_change(facts, out);
  explain_bounds(facts.group, out);
  const std::size_t before = out.size();
  explain_suspension(facts.group, out);
  explain_failed_launches(facts, now, out);
  explain_instances(facts, now, out);
  explain_protection(facts.group, out);
  const bool complete = count_instances(facts.group).in_service == facts.group.DesiredCapacity;
  if (out.size() == before && complete) out.push_back("It waits for nothing.");
  return out;
}

std::vector<std::string> next_action(const shapes::autoscaling::ScalingPolicy& policy, const GroupFacts& facts,
                                     base::Time now) {
  if (!policy.Enabled.value_or(true)) return {"It is disabled."};
  if (is_process_suspended(facts.group, "AlarmNotification")) {
    return {"It can't act: the process AlarmNotification of its group is suspended."};
  }
  Sentences out;
  explain_bounds(facts.group, out);
  if (policy.PolicyType == "SimpleScaling") {
    out.push_back(simple_next_action(policy, facts, now));
  } else if (policy.PolicyType == "TargetTrackingScaling") {
    out.push_back(tracking_next_action(policy, facts, now));
  } else {
    out.push_back("It can act now: a step policy has no cooldown.");
  }
  return out;
}

std::vector<std::string> next_action(const shapes::application_autoscaling::ScalingPolicy& policy,
                                     const TargetFacts& facts, base::Time now) {
  if (!facts.target) return {"It can't act: its service is not registered as a scalable target."};
  Sentences out;
  const auto suspended = facts.target->SuspendedState.value_or(shapes::application_autoscaling::SuspendedState());
  if (suspended.DynamicScalingOutSuspended.value_or(false)) out.push_back("Scaling out is suspended.");
  if (suspended.DynamicScalingInSuspended.value_or(false)) out.push_back("Scaling in is suspended.");
  out.push_back("Its service has " + std::to_string(facts.target->MinCapacity) + " to " +
                std::to_string(facts.target->MaxCapacity) + " tasks.");
  if (facts.activities.empty()) return out;
  const auto& last = facts.activities.front();
  if (!last.EndTime) {
    out.push_back("A change is in progress since " + wire::to_iso8601(last.StartTime) + ": " + last.Description);
    return out;
  }
  const auto& tracking = policy.TargetTrackingScalingPolicyConfiguration;
  const auto& steps = policy.StepScalingPolicyConfiguration;
  constexpr std::int32_t kDefaultCooldownSeconds = 300;
  std::int32_t seconds = steps ? steps->Cooldown.value_or(kDefaultCooldownSeconds) : kDefaultCooldownSeconds;
  if (tracking) seconds = tracking->ScaleInCooldown.value_or(kDefaultCooldownSeconds);
  const base::Time ready = *last.EndTime + std::chrono::seconds(seconds);
  const bool cools = ready > now && last.Cause.find("triggered policy ") != last.Cause.npos;
  out.push_back(cools ? "It can scale in at " + time_until(ready, now) +
                            ", after a cooldown; a larger scale-out need not wait."
                      : std::string("It can act now."));
  return out;
}

}  // namespace cli
