// SPDX-License-Identifier: Apache-2.0
// Files of variables that a container's agent reads from S3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shapes/ecs/container_definition.h"

namespace services::ecs {

// An agent that can read them has this attribute, by Amazon's name.
inline constexpr const char* kReadsEnvironmentFiles = "ecs.capability.env-files.s3";

// Why ECS rejects them; nullopt where it accepts them.
std::optional<std::string> why_not_files(const std::optional<std::vector<shapes::ecs::EnvironmentFile>>& files);

}  // namespace services::ecs
