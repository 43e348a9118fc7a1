// SPDX-License-Identifier: Apache-2.0
// Errors of several of Logs' operations, in Amazon's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/operation.h"

namespace services::logs {

wire::ApiError invalid_parameter(std::string message);
wire::ApiError group_not_found();
wire::ApiError stream_not_found();
wire::ApiError invalid_token();
wire::ApiError resource_limit_exceeded();
// A member or a value that Stoker does not implement. `what` names it.
wire::ApiError unsupported(std::string_view what);

// "1 validation error detected: Value 'x' at 'logGroupName' failed to satisfy constraint: Member must satisfy regular
// expression pattern: ..."
wire::ApiError pattern_violation(std::string_view member, std::string_view value, std::string_view pattern);

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

}  // namespace services::logs
