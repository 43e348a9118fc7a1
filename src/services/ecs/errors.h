// SPDX-License-Identifier: Apache-2.0
// The errors that several of ECS's operations give, in Amazon's words where they are known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/operation.h"

namespace services::ecs {

wire::ApiError client_error(std::string message);       // ClientException
wire::ApiError invalid_parameter(std::string message);  // InvalidParameterException
wire::ApiError cluster_not_found();
// "Unable to describe task definition.": there is none of that name.
wire::ApiError no_task_definition();
// "Invalid 'memory' setting for container 'web'."
wire::ApiError invalid_setting(std::string_view setting, std::string_view container);
// For what Amazon has and Stoker has not; it is refused by name, never dropped.
wire::ApiError not_here(std::string_view what, std::string_view why);

// How ECS says that members are missing or out of range; nullopt where a handler words it.
std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

}  // namespace services::ecs
