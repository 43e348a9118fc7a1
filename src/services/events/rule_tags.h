// SPDX-License-Identifier: Apache-2.0
// Tags of rules.
#pragma once

#include <vector>

#include "shapes/events/rule.h"

namespace services::events {

// Adds or replaces tags. Throws ValidationException for an invalid one.
std::vector<shapes::events::Tag> add_tags(std::vector<shapes::events::Tag> tags,
                                          const std::vector<shapes::events::Tag>& more);

}  // namespace services::events
