// SPDX-License-Identifier: Apache-2.0
// What the key of a machine may do: act as the agent of its own container instance, and nothing else. Operations of ECS
// then check that the instance or the task is the machine's own.
#pragma once

#include <string_view>

#include "services/call.h"

namespace api {

// Throws AccessDeniedException for the key of a machine, unless its agent calls this operation. `service` is a name on
// the wire.
void check_machine_access(const services::Caller& caller, std::string_view service, std::string_view operation);

// Throws AccessDeniedException for the key of a machine.
void refuse_machine(const services::Caller& caller, std::string_view what);

}  // namespace api
