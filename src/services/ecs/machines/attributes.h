// SPDX-License-Identifier: Apache-2.0
// Attributes of container instances: which of them are an agent's, not a user's.
#pragma once

#include <string_view>

namespace services::ecs {

// What an agent says of its machine. The rest are custom ones, which Amazon lets users change: "Deletes
// one or more custom attributes", "up to 10 custom attributes for each resource".
bool is_built_in_attribute(std::string_view name);

}  // namespace services::ecs
