// SPDX-License-Identifier: Apache-2.0
// WeightedCapacity: how many units of its group's capacity an instance of a type counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "services/autoscaling/groups/group.h"

namespace services::autoscaling {

// "1" to "999"; nullopt for anything else.
std::optional<std::int32_t> parse_weight(const std::string& text);
std::int32_t weight_of(const shapes::autoscaling::LaunchTemplateOverrides& one);

// Either all overrides of a group have weights or none has.
bool has_weights(const Group& group);
// Of an instance that is attached; 1 for a type that is none of the overrides.
std::int32_t weight_of_type(const Group& group, const std::string& type);

// The option that the next launch tries first. After failures it is another one: the machine of the first one may be
// what can't be started.
std::size_t first_option(const Group& group, std::size_t options);
std::int32_t next_weight(const Group& group);

}  // namespace services::autoscaling
