// SPDX-License-Identifier: Apache-2.0
// ECS's pages of lists.
#pragma once

#include "services/page.h"

namespace services::ecs {

// Throws InvalidParameterException for a size that is not 1 to `most`, and for an invalid token.
Page page_of(const std::optional<std::int32_t>& max_results, const std::optional<std::string>& token,
             std::int32_t most = 100);

}  // namespace services::ecs
