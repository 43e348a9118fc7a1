// SPDX-License-Identifier: Apache-2.0
// Scaling policies of a target.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/application_autoscaling/scalable_target.h"
#include "services/call.h"
#include "shapes/application_autoscaling/policy.h"

namespace services::application_autoscaling {

inline constexpr char kStepScaling[] = "StepScaling";
inline constexpr char kTargetTracking[] = "TargetTrackingScaling";
// Amazon's default for ECS, of all cooldowns.
inline constexpr std::int32_t kDefaultCooldown = 300;

struct StoredPolicy {
  std::int64_t number = 0, target = 0;
  std::string uuid;
  shapes::application_autoscaling::ScalingPolicy body;
};

// "arn:aws:autoscaling:<region>:<account>:scalingPolicy:<uuid>:resource/ecs/service/<cluster>/<service>:policyName/<name>"
std::string policy_arn(const StoredTarget& target, const std::string& uuid, const std::string& name);
// The UUID in such an ARN, also in one with ":createdBy/<uuid>" at its end; "" for other text.
std::string uuid_of_policy(const std::string& arn);

std::optional<StoredPolicy> find_policy(store::Tx& tx, std::int64_t target, const std::string& name);
std::optional<StoredPolicy> find_policy_by_uuid(store::Tx& tx, const std::string& uuid);
std::vector<StoredPolicy> list_policies(store::Tx& tx, std::int64_t target);
void insert_policy(store::Tx& tx, StoredPolicy& policy);
void update_policy(store::Tx& tx, const StoredPolicy& policy);
void delete_policy(store::Tx& tx, std::int64_t number);

// Throws ValidationException, in Amazon's words.
void check_step_scaling(const shapes::application_autoscaling::StepScalingPolicyConfiguration& configuration);
void check_target_tracking(const StoredTarget& target,
                           const shapes::application_autoscaling::TargetTrackingScalingPolicyConfiguration& configuration);

}  // namespace services::application_autoscaling
