// SPDX-License-Identifier: Apache-2.0
// The loop that makes services run what they declare.
#pragma once

#include "services/module.h"

namespace services::ecs {

Loop service_loop();

// At start: every service that is not INACTIVE is looked at once.
void recover_services(Call& call);

}  // namespace services::ecs
