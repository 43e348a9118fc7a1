// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "services/invoke.h"
#include "services/pipelines/definitions/reconciliation.h"
#include "services/shape_json.h"
#include "shapes/application_autoscaling/tag.h"
#include "shapes/cloudwatch/tag.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

namespace scaling = shapes::application_autoscaling;
namespace cloudwatch = shapes::cloudwatch;

constexpr char kScaling[] = "application-autoscaling";
constexpr char kTargetKind[] = "scalable target";
constexpr char kPolicyKind[] = "scaling policy";
constexpr char kAlarmKind[] = "alarm";

std::optional<scaling::ScalableTarget> find_scalable_target(Call& call, const std::string& resource) {
  scaling::DescribeScalableTargetsRequest request;
  request.ServiceNamespace = "ecs";
  request.ResourceIds = std::vector<std::string>{resource};
  const auto found =
      invoke<scaling::DescribeScalableTargetsResponse>(call, call.caller, kScaling, "DescribeScalableTargets", request);
  if (!found.ScalableTargets || found.ScalableTargets->empty()) return std::nullopt;
  return found.ScalableTargets->front();
}

void reconcile_target(Reconciliation& work, const scaling::RegisterScalableTargetRequest& desired) {
  const auto standing = find_scalable_target(work.call, desired.ResourceId);
  claim(work, kTargetKind, desired.ResourceId, standing.has_value());
  scaling::RegisterScalableTargetRequest request = desired;
  bool untagged = false;
  if (!standing) {
    work.created(kTargetKind, desired.ResourceId);
    request.Tags = work.tags();
  } else {
    Comparison comparison(work, kTargetKind, desired.ResourceId);
    comparison.number("MinCapacity", standing->MinCapacity, *desired.MinCapacity);
    comparison.number("MaxCapacity", standing->MaxCapacity, *desired.MaxCapacity);
    const auto suspended = standing->SuspendedState.value_or(scaling::SuspendedState());
    comparison.flag("DynamicScalingInSuspended", suspended.DynamicScalingInSuspended.value_or(false),
                    *desired.SuspendedState->DynamicScalingInSuspended);
    comparison.flag("DynamicScalingOutSuspended", suspended.DynamicScalingOutSuspended.value_or(false),
                    *desired.SuspendedState->DynamicScalingOutSuspended);
    const bool same = !comparison.differs();
    const scaling::ListTagsForResourceRequest list{.ResourceARN = standing->ScalableTargetARN.value_or("")};
    const auto tags =
        invoke<scaling::ListTagsForResourceResponse>(work.call, work.call.caller, kScaling, "ListTagsForResource", list)
            .Tags.value_or(std::map<std::string, std::string>());
    const auto tag = tags.find(kPipelineTag);
    untagged = comparison.tag(tag == tags.end() ? "" : tag->second);
    if (untagged && !work.dry_run) {
      scaling::TagResourceRequest tagging{.ResourceARN = list.ResourceARN};
      tagging.Tags = work.tags();
      invoke<scaling::TagResourceResponse>(work.call, work.call.caller, kScaling, "TagResource", tagging);
    }
    if (same) return;
  }
  if (work.dry_run) return;
  invoke<scaling::RegisterScalableTargetResponse>(work.call, work.call.caller, kScaling, "RegisterScalableTarget",
                                                  request);
}

std::optional<scaling::ScalingPolicy> find_scaling_policy(Call& call, const std::string& resource,
                                                          const std::string& name) {
  scaling::DescribeScalingPoliciesRequest request;
  request.ServiceNamespace = "ecs";
  request.ResourceId = resource;
  request.PolicyNames = std::vector<std::string>{name};
  const auto found =
      invoke<scaling::DescribeScalingPoliciesResponse>(call, call.caller, kScaling, "DescribeScalingPolicies", request);
  if (!found.ScalingPolicies || found.ScalingPolicies->empty()) return std::nullopt;
  return found.ScalingPolicies->front();
}

// Its ARN, which alarms name; "" where a dry run does not create it.
std::string reconcile_policy(Reconciliation& work, const scaling::PutScalingPolicyRequest& desired) {
  const auto standing = find_scaling_policy(work.call, desired.ResourceId, desired.PolicyName);
  claim(work, kPolicyKind, desired.PolicyName, standing.has_value());
  if (standing) {
    Comparison comparison(work, kPolicyKind, desired.PolicyName);
    comparison.text("PolicyType", standing->PolicyType, desired.PolicyType.value_or(""));
    comparison.text("StepScalingPolicyConfiguration",
                    standing->StepScalingPolicyConfiguration ? to_json(*standing->StepScalingPolicyConfiguration) : "",
                    to_json(*desired.StepScalingPolicyConfiguration));
    if (!comparison.differs() || work.dry_run) return standing->PolicyARN;
  } else {
    work.created(kPolicyKind, desired.PolicyName);
    if (work.dry_run) return "";
  }
  return invoke<scaling::PutScalingPolicyResponse>(work.call, work.call.caller, kScaling, "PutScalingPolicy", desired)
      .PolicyARN;
}

std::optional<cloudwatch::MetricAlarm> find_metric_alarm(Call& call, const std::string& name) {
  cloudwatch::DescribeAlarmsInput request;
  request.AlarmNames = std::vector<std::string>{name};
  const auto found =
      invoke<cloudwatch::DescribeAlarmsOutput>(call, call.caller, "cloudwatch", "DescribeAlarms", request);
  if (!found.MetricAlarms || found.MetricAlarms->empty()) return std::nullopt;
  return found.MetricAlarms->front();
}

std::string joined(const std::optional<std::vector<std::string>>& list) {
  std::string text;
  for (const std::string& one : list.value_or(std::vector<std::string>())) text += (text.empty() ? "" : " ") + one;
  return text;
}

std::string metrics_text(const std::optional<std::vector<cloudwatch::MetricDataQuery>>& metrics) {
  std::string text;
  for (const auto& one : metrics.value_or(std::vector<cloudwatch::MetricDataQuery>())) {
    text += (text.empty() ? "" : ",") + to_json(one);
  }
  return text;
}

bool alarm_differs(Comparison& comparison, const cloudwatch::MetricAlarm& standing,
                   const cloudwatch::PutMetricAlarmInput& desired) {
  comparison.text("AlarmDescription", standing.AlarmDescription.value_or(""), desired.AlarmDescription.value_or(""));
  comparison.flag("ActionsEnabled", standing.ActionsEnabled.value_or(true), desired.ActionsEnabled.value_or(true));
  comparison.text("AlarmActions", joined(standing.AlarmActions), joined(desired.AlarmActions));
  comparison.text("OKActions", joined(standing.OKActions), joined(desired.OKActions));
  comparison.number("EvaluationPeriods", standing.EvaluationPeriods.value_or(0), desired.EvaluationPeriods.value_or(0));
  comparison.number("DatapointsToAlarm", standing.DatapointsToAlarm.value_or(0), desired.DatapointsToAlarm.value_or(0));
  comparison.text("Threshold", std::to_string(standing.Threshold.value_or(0)),
                  std::to_string(desired.Threshold.value_or(0)));
  comparison.text("ComparisonOperator", standing.ComparisonOperator.value_or(""),
                  desired.ComparisonOperator.value_or(""));
  comparison.text("TreatMissingData", standing.TreatMissingData.value_or(""), desired.TreatMissingData.value_or(""));
  comparison.text("Metrics", metrics_text(standing.Metrics), metrics_text(desired.Metrics));
  return comparison.differs();
}

void reconcile_alarm_tag(Reconciliation& work, Comparison& comparison, const std::string& arn) {
  const auto tags = invoke<cloudwatch::ListTagsForResourceOutput>(
                        work.call, work.call.caller, "cloudwatch", "ListTagsForResource",
                        cloudwatch::ListTagsForResourceInput{.ResourceARN = arn})
                        .Tags.value_or(std::vector<cloudwatch::Tag>());
  const auto tag = std::ranges::find(tags, kPipelineTag, &cloudwatch::Tag::Key);
  if (!comparison.tag(tag == tags.end() ? "" : tag->Value) || work.dry_run) return;
  cloudwatch::TagResourceInput tagging{.ResourceARN = arn};
  tagging.Tags = {{.Key = kPipelineTag, .Value = work.pipeline}};
  invoke<cloudwatch::TagResourceOutput>(work.call, work.call.caller, "cloudwatch", "TagResource", tagging);
}

void reconcile_alarm(Reconciliation& work, cloudwatch::PutMetricAlarmInput desired, const std::string& action) {
  desired.AlarmActions = std::vector<std::string>{action};
  const auto standing = find_metric_alarm(work.call, desired.AlarmName);
  claim(work, kAlarmKind, desired.AlarmName, standing.has_value());
  if (standing) {
    Comparison comparison(work, kAlarmKind, desired.AlarmName);
    const bool differs = alarm_differs(comparison, *standing, desired);
    reconcile_alarm_tag(work, comparison, standing->AlarmArn.value_or(""));
    if (!differs) return;
  } else {
    work.created(kAlarmKind, desired.AlarmName);
    desired.Tags = {{{.Key = kPipelineTag, .Value = work.pipeline}}};
  }
  if (!work.dry_run) invoke(work.call, work.call.caller, "cloudwatch", "PutMetricAlarm", desired);
}

void delete_one_alarm(Reconciliation& work, const std::string& name) {
  if (!find_metric_alarm(work.call, name)) return;
  work.deleted(kAlarmKind, name);
  if (work.dry_run) return;
  invoke(work.call, work.call.caller, "cloudwatch", "DeleteAlarms", cloudwatch::DeleteAlarmsInput{.AlarmNames = {name}});
}

void delete_one_policy(Reconciliation& work, const std::string& resource, const std::string& name) {
  if (!find_scaling_policy(work.call, resource, name)) return;
  work.deleted(kPolicyKind, name);
  if (work.dry_run) return;
  scaling::DeleteScalingPolicyRequest request;
  request.PolicyName = name;
  request.ServiceNamespace = "ecs";
  request.ResourceId = resource;
  request.ScalableDimension = "ecs:service:DesiredCount";
  invoke<scaling::DeleteScalingPolicyResponse>(work.call, work.call.caller, kScaling, "DeleteScalingPolicy", request);
}

// Those of the pipeline that are not among its present ones.
void delete_surplus(Reconciliation& work, const std::string& resource) {
  for (const auto& owned : work.owned) {
    if (work.present.contains(owned)) continue;
    if (owned.resource == kAlarmKind) delete_one_alarm(work, owned.name);
  }
  for (const auto& owned : work.owned) {
    if (work.present.contains(owned)) continue;
    if (owned.resource == kPolicyKind) delete_one_policy(work, resource, owned.name);
  }
}

}  // namespace

void reconcile_scaling(Reconciliation& work, const Desired& desired) {
  reconcile_target(work, desired.target);
  std::string scale_out, scale_in;
  for (const auto& policy : desired.policies) {
    const std::string arn = reconcile_policy(work, policy);
    (policy.PolicyName == desired.names.scale_in ? scale_in : scale_out) = arn;
  }
  for (const DesiredAlarm& alarm : desired.alarms) {
    reconcile_alarm(work, alarm.input, alarm.scales_in ? scale_in : scale_out);
  }
  delete_surplus(work, desired.names.target);
}

void delete_scaling(Reconciliation& work, const Desired& desired) {
  work.present.clear();
  delete_surplus(work, desired.names.target);
  if (!find_scalable_target(work.call, desired.names.target)) return;
  work.deleted(kTargetKind, desired.names.target);
  scaling::DeregisterScalableTargetRequest request;
  request.ServiceNamespace = "ecs";
  request.ResourceId = desired.names.target;
  request.ScalableDimension = "ecs:service:DesiredCount";
  invoke<scaling::DeregisterScalableTargetResponse>(work.call, work.call.caller, kScaling, "DeregisterScalableTarget",
                                                    request);
}

void show_scaling(Call& call, const ResourceNames& names, shapes::stoker::PipelineDescription& into) {
  if (!into.workers) into.workers.emplace();
  if (const auto target = find_scalable_target(call, names.target)) {
    into.workers->min = target->MinCapacity;
    into.workers->max = target->MaxCapacity;
  }
  if (!into.resources) return;
  into.alarms.emplace();
  for (const auto& resource : *into.resources) {
    if (resource.resource != kAlarmKind) continue;
    const auto alarm = find_metric_alarm(call, resource.name);
    into.alarms->push_back({.name = resource.name,
                            .state = alarm ? alarm->StateValue.value_or("") : "MISSING",
                            .description = alarm ? alarm->AlarmDescription.value_or("") : ""});
  }
}

}  // namespace services::pipelines
