// SPDX-License-Identifier: Apache-2.0
// A container's overrides, which arrive as JSON in a string.
#pragma once

#include "base/result.h"
#include "shapes/agent/task.h"

namespace agent {

// {"command": [...], "environment": {...} or [{"name", "value"}], "cpu", "memory"} applied to the
// container.
base::Result<shapes::agent::Container> with_overrides(shapes::agent::Container container);

}  // namespace agent
