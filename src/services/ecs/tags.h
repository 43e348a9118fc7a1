// SPDX-License-Identifier: Apache-2.0
// Tags, with Amazon's limits.
#pragma once

#include <vector>

#include "shapes/ecs/tag.h"

namespace services::ecs {

// `tags` with `more` added, or replacing tags of the same key. Throws InvalidParameterException.
std::vector<shapes::ecs::Tag> add_tags(std::vector<shapes::ecs::Tag> tags, const std::vector<shapes::ecs::Tag>& more);

}  // namespace services::ecs
