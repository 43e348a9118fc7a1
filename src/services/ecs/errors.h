// SPDX-License-Identifier: Apache-2.0
// Errors of several operations, in Amazon's words where they are known.
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
// "Unable to describe task definition.": it does not exist.
wire::ApiError no_task_definition();
// "Invalid 'memory' setting for container 'web'."
wire::ApiError invalid_setting(std::string_view setting, std::string_view container);
// A feature of Amazon that Stoker does not support. It is rejected by name, never ignored.
wire::ApiError unsupported(std::string_view what, std::string_view why);

// ECS's error for members that are missing or out of range; nullopt where a handler reports it.
std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

}  // namespace services::ecs
