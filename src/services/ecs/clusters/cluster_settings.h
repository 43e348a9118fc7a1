// SPDX-License-Identifier: Apache-2.0
// Checks of what a cluster is created or changed with: settings and configuration.
#pragma once

#include <vector>

#include "shapes/ecs/cluster.h"

namespace services::ecs {

// Throws InvalidParameterException for an invalid name or value.
void check_settings(const std::vector<shapes::ecs::ClusterSetting>& settings);

// Throws for contradictions and for unsupported features.
void check_configuration(const shapes::ecs::ClusterConfiguration& configuration);

}  // namespace services::ecs
