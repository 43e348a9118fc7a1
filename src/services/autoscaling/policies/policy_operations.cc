// SPDX-License-Identifier: Apache-2.0
// PutScalingPolicy, DescribePolicies, DeletePolicy, ExecutePolicy and DescribeAdjustmentTypes.
#include <algorithm>

#include "base/random.h"
#include "services/autoscaling/errors.h"
#include "services/autoscaling/policies/no_parameters.h"
#include "services/autoscaling/policies/policies.h"
#include "services/autoscaling/policies/policy_errors.h"
#include "services/autoscaling/policies/policy_execution.h"
#include "services/autoscaling/policies/policy_row.h"
#include "services/autoscaling/policies/policy_validation.h"
#include "services/autoscaling/policies/tracking_alarms.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

constexpr std::size_t kMaxPolicies = 50;      // Amazon's, of a group
constexpr std::size_t kMaxNamesInFilter = 50;  // Amazon's

void check_single_tracking(Call& call, const PolicyRow& policy) {
  for (const PolicyRow& other : list_policies(call.tx, policy.group)) {
    if (other.type() != kTargetTracking || other.name == policy.name) continue;
    if (tracked_metric(other) == tracked_metric(policy)) {
      throw invalid_request("Only one TargetTrackingScaling policy for a given metric specification is allowed.");
    }
  }
}

PolicyRow new_policy(Call& call, const Group& group, const std::string& name) {
  if (list_policies(call.tx, group.number).size() >= kMaxPolicies) {
    throw limit_reached("The Auto Scaling group " + group.name + " has 50 scaling policies already.");
  }
  PolicyRow policy;
  policy.group = group.number;
  policy.account = group.account;
  policy.region = group.region;
  policy.group_name = group.name;
  policy.name = name;
  policy.uuid = base::random_uuid();
  return policy;
}

std::vector<Alarm> tracking_alarms_of(const PolicyRow& policy) {
  std::vector<Alarm> alarms;
  for (const std::string& name : {policy.alarm_high, policy.alarm_low}) {
    if (name.empty()) continue;
    alarms.push_back({name, "arn:aws:cloudwatch:" + policy.region + ":" + policy.account + ":alarm:" + name});
  }
  return alarms;
}

// Replaces all of a known policy but its ARN.
PolicyARNType put_scaling_policy(Call& call, const PutScalingPolicyType& request) {
  check_text("PolicyName", request.PolicyName);
  if (request.PolicyName.find(':') != std::string::npos) {
    throw invalid_request("The policy name must not contain a colon: " + request.PolicyName);
  }
  PutScalingPolicyType terms = checked_policy(request);
  const Group group = find_group(call, request.AutoScalingGroupName);
  const auto known = load_policy(call.tx, group.number, request.PolicyName);
  PolicyRow policy = known ? *known : new_policy(call, group, request.PolicyName);
  policy.terms = std::move(terms);
  policy.wanted.reset();
  policy.wanted_at.reset();
  if (policy.type() == kTargetTracking) {
    check_single_tracking(call, policy);
    replace_tracking_alarms(call, policy);
  } else {
    delete_tracking_alarms(call, policy);  // of the target tracking policy that it was
  }
  save_policy(call.tx, policy);
  return {.PolicyARN = policy.arn(), .Alarms = tracking_alarms_of(policy)};
}

bool has_one_of(const std::optional<std::vector<std::string>>& list, const std::string& value,
                const std::string& other) {
  if (!list || list->empty()) return true;
  return std::any_of(list->begin(), list->end(), [&](const std::string& one) { return one == value || one == other; });
}

void check_policy_types(const std::optional<std::vector<std::string>>& types) {
  if (!types) return;
  for (const std::string& type : *types) {
    if (type != kSimpleScaling && type != kStepScaling && type != kTargetTracking && type != "PredictiveScaling") {
      throw invalid_request("Invalid policy type: " + type);
    }
  }
}

shapes::autoscaling::ScalingPolicy show_policy(const PolicyRow& row, const PolicyAlarms& alarms) {
  shapes::autoscaling::ScalingPolicy shown;
  shown.AutoScalingGroupName = row.group_name;
  shown.PolicyName = row.name;
  shown.PolicyARN = row.arn();
  shown.PolicyType = row.type();
  shown.AdjustmentType = row.terms.AdjustmentType;
  shown.MinAdjustmentStep = row.terms.MinAdjustmentStep;
  shown.MinAdjustmentMagnitude = row.terms.MinAdjustmentMagnitude;
  shown.ScalingAdjustment = row.terms.ScalingAdjustment;
  shown.Cooldown = row.terms.Cooldown;
  shown.StepAdjustments = row.terms.StepAdjustments.value_or(std::vector<StepAdjustment>());
  shown.MetricAggregationType = row.terms.MetricAggregationType;
  shown.EstimatedInstanceWarmup = row.terms.EstimatedInstanceWarmup;
  shown.TargetTrackingConfiguration = row.terms.TargetTrackingConfiguration;
  shown.Enabled = row.is_enabled();
  const auto found = alarms.find(row.arn());
  shown.Alarms = found == alarms.end() ? std::vector<Alarm>() : found->second;
  return shown;
}

PoliciesType describe_policies(Call& call, const DescribePoliciesType& request) {
  const NumberPage page = read_number_page(request.MaxRecords, request.NextToken);
  check_policy_types(request.PolicyTypes);
  if (request.PolicyNames && request.PolicyNames->size() > kMaxNamesInFilter) {
    throw invalid_request("The number of policy names must not exceed 50");
  }
  const std::int64_t group = request.AutoScalingGroupName ? find_group(call, *request.AutoScalingGroupName).number : 0;
  std::vector<PolicyRow> rows;
  each_policy(call, group, page.after, [&](PolicyRow row) {
    if (rows.size() > static_cast<std::size_t>(page.size)) return;
    if (!has_one_of(request.PolicyNames, row.name, row.arn())) return;
    if (!has_one_of(request.PolicyTypes, row.type(), row.type())) return;
    rows.push_back(std::move(row));
  });
  PoliciesType answer;
  answer.NextToken = cut_number_page(rows, page);
  answer.ScalingPolicies.emplace();
  if (rows.empty()) return answer;
  const PolicyAlarms alarms = find_policy_alarms(call);
  for (const PolicyRow& row : rows) answer.ScalingPolicies->push_back(show_policy(row, alarms));
  return answer;
}

// By an ARN, or by its name and its group's.
std::optional<PolicyRow> look_up_policy(Call& call, const std::optional<std::string>& group, const std::string& name) {
  check_text("PolicyName", name);
  if (name.starts_with("arn:")) {
    const auto uuid = policy_uuid(name);
    auto policy = uuid ? load_policy(call, *uuid) : std::nullopt;
    return policy && policy->arn() == name && policy->group_name == group.value_or(policy->group_name) ? policy
                                                                                                      : std::nullopt;
  }
  if (!group) throw invalid_request("AutoScalingGroupName must be specified unless PolicyName is an ARN");
  return load_policy(call.tx, find_group(call, *group).number, name);
}

void delete_policy(Call& call, const DeletePolicyType& request) {
  auto policy = look_up_policy(call, request.AutoScalingGroupName, request.PolicyName);
  if (!policy) throw invalid_request("Policy " + request.PolicyName + " not found");
  delete_policy_with_alarms(call, *policy);
}

void execute_policy(Call& call, const ExecutePolicyType& request) {
  auto policy = look_up_policy(call, request.AutoScalingGroupName, request.PolicyName);
  if (!policy) throw invalid_request("No scaling policy found with name or ARN: " + request.PolicyName);
  execute_by_request(call, *policy, request);
}

DescribeAdjustmentTypesAnswer describe_adjustment_types(Call&, const NoParameters&) {
  DescribeAdjustmentTypesAnswer answer;
  answer.AdjustmentTypes.emplace();
  for (const char* type : {"ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity"}) {
    answer.AdjustmentTypes->push_back({type});
  }
  return answer;
}

}  // namespace

void delete_policy_with_alarms(Call& call, PolicyRow policy) {
  if (policy.type() == kTargetTracking) {
    delete_tracking_alarms(call, policy);
  } else {
    remove_alarm_actions(call, policy);
  }
  delete_policy_row(call.tx, policy.number);
}

std::vector<Operation> policy_operations() {
  return {
      operation<&delete_policy>("DeletePolicy", Access::Write),
      operation<&describe_adjustment_types>("DescribeAdjustmentTypes", Access::Read),
      operation<&describe_policies>("DescribePolicies", Access::Read),
      operation<&execute_policy>("ExecutePolicy", Access::Write),
      operation<&put_scaling_policy>("PutScalingPolicy", Access::Write),
  };
}

}  // namespace services::autoscaling
