// SPDX-License-Identifier: Apache-2.0
// Checks of what a cluster is created or changed with: settings, configuration, capacity providers.
#pragma once

#include <string>
#include <vector>

#include "shapes/ecs/cluster.h"

namespace services::ecs {

// Throws InvalidParameterException for an invalid name or value.
void check_settings(const std::vector<shapes::ecs::ClusterSetting>& settings);

// Throws for contradictions and for unsupported features.
void check_configuration(const shapes::ecs::ClusterConfiguration& configuration);

// There are no capacity providers yet, so only the empty list passes: Fargate's are unsupported, any other
// does not exist.
void check_capacity_providers(const std::vector<std::string>& providers,
                              const std::vector<shapes::ecs::CapacityProviderStrategyItem>& strategy);

}  // namespace services::ecs
