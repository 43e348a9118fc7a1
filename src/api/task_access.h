// SPDX-License-Identifier: Apache-2.0
// What the key of a task may not do, whatever its role is: there are no policies of roles. It may not make keys, act as
// a machine, or operate Stoker.
#pragma once

#include <string_view>

#include "services/call.h"

namespace api {

// Throws AccessDeniedException. `service` is a name on the wire.
void check_task_access(const services::Caller& caller, std::string_view service, std::string_view operation);

}  // namespace api
