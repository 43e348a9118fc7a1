// SPDX-License-Identifier: Apache-2.0
// Errors of several of EventBridge's operations, in Amazon's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/page.h"
#include "wire/operation.h"

namespace services::events {

inline constexpr std::int32_t kMaxPage = 100;  // Amazon's

wire::ApiError validation_error(std::string message);
wire::ApiError rule_not_found(const std::string& name, const std::string& bus);
wire::ApiError limit_exceeded();
// "Stoker does not support <what>."
wire::ApiError unsupported(const std::string& what);
wire::ApiError invalid_token();

// Names of rules and buses and ids of targets have letters, digits and ".-_" only. Throws with Amazon's message for the member.
void check_name(const std::string& path, const std::string& value);
// A zero byte can't be stored as text. Throws ValidationException.
void check_text(const std::string& member, const std::string& value);

// Of all lists.
PageRules page_rules();

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

}  // namespace services::events
