// SPDX-License-Identifier: Apache-2.0
// The loop of clusters with capacity providers: places waiting tasks, oldest first, ends the wait of those whose time
// is over, protects machines with tasks, and completes drains.
#pragma once

#include "services/module.h"

namespace services::ecs {

Loop capacity_loop();

}  // namespace services::ecs
