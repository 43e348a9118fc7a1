// SPDX-License-Identifier: Apache-2.0
// What a service's circuit breaker counts, and when it opens.
#pragma once

#include "scheduler/reconcile.h"
#include "services/ecs/services/stored_service.h"

namespace services::ecs {

scheduler::FailureThreshold failure_threshold(const shapes::ecs::DeploymentConfiguration& configuration);
// resetOnHealthyTask is false: a healthy task does not end the count.
bool sums_failures(const shapes::ecs::DeploymentConfiguration& configuration);
// Of this deployment: those in a row, or all of them.
std::int32_t count_failures(const shapes::ecs::DeploymentConfiguration& configuration,
                            const state::Deployment& deployment);
// Throws InvalidParameterException.
void check_circuit_breaker(const shapes::ecs::DeploymentConfiguration& configuration);

}  // namespace services::ecs
