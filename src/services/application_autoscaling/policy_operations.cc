// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/random.h"
#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/policy.h"
#include "services/application_autoscaling/policy_alarms.h"
#include "services/invoke.h"
#include "services/shape_json.h"
#include "shapes/cloudwatch/alarm.h"

namespace services::application_autoscaling {
namespace {

using namespace shapes::application_autoscaling;

constexpr std::size_t kMaxPolicies = 50;  // of a target, Amazon's

StoredTarget target_of_policy(Call& call, const PutScalingPolicyRequest& request) {
  check_resource(request.ServiceNamespace, request.ScalableDimension, request.ResourceId);
  check_name("PolicyName", request.PolicyName);
  auto target = find_target(call, request.ResourceId);
  if (!target) throw target_not_found("registered", request.ResourceId);
  return std::move(*target);
}

bool tracks_same_metric(const TargetTrackingScalingPolicyConfiguration& a,
                        const TargetTrackingScalingPolicyConfiguration& b) {
  return a.PredefinedMetricSpecification == b.PredefinedMetricSpecification &&
         a.CustomizedMetricSpecification == b.CustomizedMetricSpecification;
}

void check_others(store::Tx& tx, const StoredPolicy& policy) {
  const auto others = list_policies(tx, policy.target);
  if (policy.number == 0 && others.size() >= kMaxPolicies) throw limit_exceeded("scaling policies");
  for (const StoredPolicy& other : others) {
    if (other.number == policy.number || other.body.PolicyType != kTargetTracking) continue;
    if (policy.body.PolicyType == kTargetTracking &&
        tracks_same_metric(*other.body.TargetTrackingScalingPolicyConfiguration,
                           *policy.body.TargetTrackingScalingPolicyConfiguration)) {
      throw validation_error("Only one TargetTrackingScaling policy for a given metric specification is allowed.");
    }
  }
}

void configure_step_scaling(const PutScalingPolicyRequest& request, ScalingPolicy& body) {
  if (request.TargetTrackingScalingPolicyConfiguration) {
    throw validation_error("TargetTrackingScalingPolicyConfiguration cannot be specified for policy type: StepScaling");
  }
  if (!request.StepScalingPolicyConfiguration) {
    throw validation_error("StepScalingPolicyConfiguration must be specified for policy type: StepScaling");
  }
  check_step_scaling(*request.StepScalingPolicyConfiguration);
  body.StepScalingPolicyConfiguration = request.StepScalingPolicyConfiguration;
  auto& configuration = *body.StepScalingPolicyConfiguration;
  if (!configuration.Cooldown) configuration.Cooldown = kDefaultCooldown;
  if (!configuration.MetricAggregationType) configuration.MetricAggregationType = "Average";
}

void configure_target_tracking(const StoredTarget& target, const PutScalingPolicyRequest& request, ScalingPolicy& body) {
  if (request.StepScalingPolicyConfiguration) {
    throw validation_error(
        "StepScalingPolicyConfiguration cannot be specified for policy type: TargetTrackingScaling");
  }
  if (!request.TargetTrackingScalingPolicyConfiguration) {
    throw validation_error(
        "TargetTrackingScalingPolicyConfiguration must be specified for policy type: TargetTrackingScaling");
  }
  check_target_tracking(target, *request.TargetTrackingScalingPolicyConfiguration);
  body.TargetTrackingScalingPolicyConfiguration = request.TargetTrackingScalingPolicyConfiguration;
}

PutScalingPolicyResponse put_scaling_policy(Call& call, const PutScalingPolicyRequest& request) {
  const StoredTarget target = target_of_policy(call, request);
  auto known = find_policy(call.tx, target.number, request.PolicyName);
  const std::string old_type = known ? known->body.PolicyType : kStepScaling;
  const std::string type = request.PolicyType.value_or(old_type);
  if (type == "PredictiveScaling" || request.PredictiveScalingPolicyConfiguration) {
    throw unsupported("policies of type PredictiveScaling");
  }
  StoredPolicy policy;
  if (known) policy = *known;
  policy.target = target.number;
  if (!known) policy.uuid = base::random_uuid();
  policy.body = {};
  policy.body.PolicyARN = policy_arn(target, policy.uuid, request.PolicyName);
  policy.body.PolicyName = request.PolicyName;
  policy.body.ServiceNamespace = kNamespace;
  policy.body.ResourceId = target.resource;
  policy.body.ScalableDimension = kDimension;
  policy.body.PolicyType = type;
  policy.body.CreationTime = known ? known->body.CreationTime : call.now;
  if (type == kTargetTracking) {
    configure_target_tracking(target, request, policy.body);
  } else {
    configure_step_scaling(request, policy.body);
  }
  check_others(call.tx, policy);
  if (known) delete_alarms(call, target, *known);
  if (type == kTargetTracking) policy.body.Alarms = create_alarms(call, target, policy);
  known ? update_policy(call.tx, policy) : insert_policy(call.tx, policy);
  return {.PolicyARN = policy.body.PolicyARN,
          .Alarms = policy.body.Alarms.value_or(std::vector<shapes::application_autoscaling::Alarm>())};
}

// The alarms of clients that trigger a step policy.
std::vector<shapes::application_autoscaling::Alarm> alarms_of_step_policy(Call& call, const ScalingPolicy& policy) {
  shapes::cloudwatch::DescribeAlarmsInput input;
  input.ActionPrefix = policy.PolicyARN;
  Caller principal = call.caller;
  std::vector<shapes::application_autoscaling::Alarm> alarms;
  const auto found =
      invoke<shapes::cloudwatch::DescribeAlarmsOutput>(call, principal, "cloudwatch", "DescribeAlarms", input);
  if (!found.MetricAlarms) return alarms;
  for (const auto& alarm : *found.MetricAlarms) {
    alarms.push_back({.AlarmName = alarm.AlarmName.value_or(""), .AlarmARN = alarm.AlarmArn.value_or("")});
  }
  return alarms;
}

bool is_wanted(const DescribeScalingPoliciesRequest& request, const ScalingPolicy& policy) {
  if (request.ResourceId && *request.ResourceId != policy.ResourceId) return false;
  if (!request.PolicyNames || request.PolicyNames->empty()) return true;
  return std::ranges::find(*request.PolicyNames, policy.PolicyName) != request.PolicyNames->end();
}

DescribeScalingPoliciesResponse describe_scaling_policies(Call& call, const DescribeScalingPoliciesRequest& request) {
  if (!lists_services(request.ServiceNamespace, request.ScalableDimension)) {
    return {.ScalingPolicies = std::vector<ScalingPolicy>()};
  }
  const Page page = read_page(request.MaxResults, request.NextToken);
  const auto most = static_cast<std::size_t>(page.size) + 1;
  std::vector<std::pair<std::int64_t, ScalingPolicy>> found;
  call.tx
      .query("SELECT policy.id, policy.body FROM scalable_target_policies AS policy "
             "JOIN scalable_targets AS target ON target.id = policy.target "
             "WHERE target.account = $1 AND target.region = $2 AND policy.id > $3 ORDER BY policy.id",
             call.caller.account, call.caller.region, row_after(page))
      .each([&](const store::Row& row) {
        if (found.size() >= most) return;
        auto policy = from_json<ScalingPolicy>(row.text(1));
        if (is_wanted(request, policy)) found.emplace_back(row.integer(0), std::move(policy));
      });
  std::vector<std::string> keys;
  for (const auto& [number, policy] : found) keys.push_back(std::to_string(number));
  DescribeScalingPoliciesResponse response;
  response.NextToken = cut_page(keys, page);
  found.resize(keys.size());
  response.ScalingPolicies.emplace();
  for (auto& [number, policy] : found) {
    if (policy.PolicyType == kStepScaling) policy.Alarms = alarms_of_step_policy(call, policy);
    response.ScalingPolicies->push_back(std::move(policy));
  }
  return response;
}

DeleteScalingPolicyResponse delete_scaling_policy(Call& call, const DeleteScalingPolicyRequest& request) {
  check_resource(request.ServiceNamespace, request.ScalableDimension, request.ResourceId);
  check_name("PolicyName", request.PolicyName);
  const auto target = find_target(call, request.ResourceId);
  const auto policy = target ? find_policy(call.tx, target->number, request.PolicyName) : std::nullopt;
  if (!policy) throw policy_not_found(request.ResourceId, request.PolicyName);
  delete_alarms(call, *target, *policy);
  delete_policy(call.tx, policy->number);
  return {};
}

}  // namespace

std::vector<Operation> policy_operations() {
  return {
      operation<&put_scaling_policy>("PutScalingPolicy", Access::Write),
      operation<&describe_scaling_policies>("DescribeScalingPolicies", Access::Read),
      operation<&delete_scaling_policy>("DeleteScalingPolicy", Access::Write),
  };
}

}  // namespace services::application_autoscaling
