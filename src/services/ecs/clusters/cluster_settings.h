// SPDX-License-Identifier: Apache-2.0
// What a cluster may be told to be: settings, configuration, capacity providers.
#pragma once

#include <string>
#include <vector>

#include "shapes/ecs/cluster.h"

namespace services::ecs {

// Throws InvalidParameterException for a name or value that is none.
void check_settings(const std::vector<shapes::ecs::ClusterSetting>& settings);

// Throws for what contradicts itself, and for what is not here, by name.
void check_configuration(const shapes::ecs::ClusterConfiguration& configuration);

// There are no capacity providers yet, so only the empty list passes: Fargate's are
// refused by name, any other was never made.
void check_capacity_providers(const std::vector<std::string>& providers,
                              const std::vector<shapes::ecs::CapacityProviderStrategyItem>& strategy);

}  // namespace services::ecs
