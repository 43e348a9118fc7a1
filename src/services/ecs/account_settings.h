// SPDX-License-Identifier: Apache-2.0
// The settings of an account in a region, or their defaults.
#pragma once

#include <string>
#include <string_view>

#include "services/call.h"

namespace services::ecs {

// The value for the caller. `name` is one that the model lists.
std::string account_setting(Call& call, std::string_view name);

}  // namespace services::ecs
