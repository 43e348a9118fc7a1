// SPDX-License-Identifier: Apache-2.0
// Rows of scaling policies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "services/autoscaling/groups/group.h"
#include "services/call.h"
#include "shapes/autoscaling/policy.h"

namespace services::autoscaling {

struct PolicyRow {
  std::int64_t number = 0;
  std::int64_t group = 0;
  std::string account, region, group_name, name, uuid;
  shapes::autoscaling::PutScalingPolicyType terms;  // with the defaults of its type
  std::string alarm_high, alarm_low;  // names of a target tracking policy's alarms; "": there is none
  // The capacity that an alarm's action last resulted in, when, and by which alarm in which state: several policies of a
  // group have to agree.
  std::optional<std::int32_t> wanted;
  std::optional<base::Time> wanted_at;
  std::string wanted_alarm, wanted_state;

  std::string arn() const;
  const std::string& type() const { return *terms.PolicyType; }
  bool is_enabled() const { return terms.Enabled.value_or(true); }
};

inline constexpr char kSimpleScaling[] = "SimpleScaling";
inline constexpr char kStepScaling[] = "StepScaling";
inline constexpr char kTargetTracking[] = "TargetTrackingScaling";

// "arn:aws:autoscaling:us-east-1:111111111111:scalingPolicy:<uuid>:autoScalingGroupName/g:policyName/p" -> the UUID.
std::optional<std::string> policy_uuid(std::string_view arn);

std::optional<PolicyRow> load_policy(store::Tx& tx, std::int64_t group, const std::string& name);
std::optional<PolicyRow> load_policy(Call& call, const std::string& uuid);  // of the caller's account and region
// Those of a group, by number.
std::vector<PolicyRow> list_policies(store::Tx& tx, std::int64_t group);
// Those of the caller, of all groups or one (0: all), after a number.
void each_policy(Call& call, std::int64_t group, std::int64_t after, const std::function<void(PolicyRow)>& use);

// Sets its number where that is 0.
void save_policy(store::Tx& tx, PolicyRow& policy);
void delete_policy_row(store::Tx& tx, std::int64_t number);

}  // namespace services::autoscaling
