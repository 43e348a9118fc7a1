// SPDX-License-Identifier: Apache-2.0
// A new deployment of a service: its next revision becomes PRIMARY, and what is PRIMARY now is replaced.
#pragma once

#include "services/ecs/services/stored_service.h"

namespace services::ecs {

// Writes the deployment and the service deployment that leads to it, and changes `service`, whose row the caller
// writes. A service deployment that was not finished is stopped.
void start_deployment(Call& call, StoredService& service, state::DefinitionNumber definition,
                      const DeploymentBody& body);

// Stops the service deployment that is not finished, if there is one.
void stop_unfinished(Call& call, state::ServiceNumber service, const std::string& reason);
// No SUCCESSFUL, STOPPED, ROLLBACK_SUCCESSFUL or ROLLBACK_FAILED one.
bool is_unfinished(const state::ServiceDeployment& deployment);

}  // namespace services::ecs
