// SPDX-License-Identifier: Apache-2.0
// Errors of several of EventBridge's operations, in Amazon's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/operation.h"

namespace services::events {

wire::ApiError validation_error(std::string message);
wire::ApiError rule_not_found(const std::string& name);
wire::ApiError limit_exceeded();
// "Stoker does not support <what>."
wire::ApiError unsupported(const std::string& what);
wire::ApiError invalid_token();

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

}  // namespace services::events
