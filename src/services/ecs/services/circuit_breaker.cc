// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/circuit_breaker.h"

#include "services/ecs/errors.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

using shapes::ecs::DeploymentConfiguration;

constexpr std::int32_t kMaxPercent = 100;

}  // namespace

scheduler::FailureThreshold failure_threshold(const DeploymentConfiguration& configuration) {
  const auto& breaker = configuration.deploymentCircuitBreaker;
  if (!breaker || !breaker->thresholdConfiguration) return {};
  const auto& [type, value] = *breaker->thresholdConfiguration;
  using Kind = scheduler::FailureThreshold::Kind;
  const Kind kind = type == "COUNT"               ? Kind::Count
                    : type == "UNBOUNDED_PERCENT" ? Kind::UnboundedPercent
                                                  : Kind::BoundedPercent;
  return {.kind = kind, .value = value};
}

bool sums_failures(const DeploymentConfiguration& configuration) {
  const auto& breaker = configuration.deploymentCircuitBreaker;
  return breaker && !breaker->resetOnHealthyTask.value_or(true);
}

std::int32_t count_failures(const DeploymentConfiguration& configuration, const state::Deployment& deployment) {
  if (!sums_failures(configuration)) return deployment.failed_tasks;
  return deployment.failed_tasks + from_json<DeploymentBody>(deployment.body_json).earlierFailures;
}

void check_circuit_breaker(const DeploymentConfiguration& configuration) {
  const scheduler::FailureThreshold threshold = failure_threshold(configuration);
  if (threshold.kind == scheduler::FailureThreshold::Kind::Count) {
    if (threshold.value < 1) throw invalid_parameter("thresholdConfiguration: a COUNT should be at least 1.");
  } else if (threshold.value < 1 || threshold.value > kMaxPercent) {
    throw invalid_parameter("thresholdConfiguration: a percentage should be between 1 and 100.");
  }
}

}  // namespace services::ecs
