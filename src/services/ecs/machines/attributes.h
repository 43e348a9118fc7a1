// SPDX-License-Identifier: Apache-2.0
// Which attributes of container instances are set by agents, and not by users.
#pragma once

#include <string_view>

namespace services::ecs {

// Set by an agent. The others are custom attributes, which users can change at Amazon: "Deletes one or more
// custom attributes", "up to 10 custom attributes for each resource".
bool is_built_in_attribute(std::string_view name);

}  // namespace services::ecs
