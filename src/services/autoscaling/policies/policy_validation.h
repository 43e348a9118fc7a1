// SPDX-License-Identifier: Apache-2.0
// What PutScalingPolicy rejects, by the type of the policy.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "shapes/autoscaling/policy.h"

namespace services::autoscaling {

inline constexpr std::size_t kMaxSteps = 20;  // Amazon's, of a policy

// Predefined metric types. That of GPUs is ours.
inline constexpr std::string_view kCpuUtilization = "ASGAverageCPUUtilization";
inline constexpr std::string_view kGpuUtilization = "ASGAverageGPUUtilization";

// The request with the defaults of its type. Throws wire::ApiError (ValidationError), in Amazon's words where they are
// known.
shapes::autoscaling::PutScalingPolicyType checked_policy(shapes::autoscaling::PutScalingPolicyType request);

// The period of a target tracking policy's metric, in seconds: 10, 20, 30 or 60; nullopt where it states none.
std::optional<std::int32_t> metric_period(const shapes::autoscaling::CustomizedMetricSpecification& metric);

}  // namespace services::autoscaling
