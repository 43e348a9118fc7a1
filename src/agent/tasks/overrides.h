// SPDX-License-Identifier: Apache-2.0
// A container's overrides, which travel as JSON in a string.
#pragma once

#include "base/result.h"
#include "shapes/agent/task.h"

namespace agent {

// {"command": [...], "environment": {...} or [{"name", "value"}], "cpu", "memory"} put in place.
base::Result<shapes::agent::Container> with_overrides(shapes::agent::Container container);

}  // namespace agent
