// SPDX-License-Identifier: Apache-2.0
// Tags of rules and buses.
#pragma once

#include <boost/describe/class.hpp>
#include <vector>

#include "shapes/events/rule.h"

namespace services::events {

// As they are stored.
struct TagList {
  std::vector<shapes::events::Tag> tags;
};
BOOST_DESCRIBE_STRUCT(TagList, (), (tags))

// Adds or replaces tags. Throws ValidationException for an invalid one.
std::vector<shapes::events::Tag> add_tags(std::vector<shapes::events::Tag> tags,
                                          const std::vector<shapes::events::Tag>& more);

}  // namespace services::events
