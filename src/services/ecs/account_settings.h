// SPDX-License-Identifier: Apache-2.0
// An account's settings in a region: what was put, and the defaults of the rest.
#pragma once

#include <string>
#include <string_view>

#include "services/call.h"

namespace services::ecs {

// The value that holds for the caller. `name` is one of the model's.
std::string account_setting(Call& call, std::string_view name);

}  // namespace services::ecs
