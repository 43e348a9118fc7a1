// SPDX-License-Identifier: Apache-2.0
#include "services/logs/errors.h"

namespace services::logs {

using wire::ApiError;

ApiError invalid_parameter(std::string message) { return ApiError("InvalidParameterException", std::move(message)); }

ApiError group_not_found() {
  return ApiError("ResourceNotFoundException", "The specified log group does not exist.");
}

ApiError stream_not_found() {
  return ApiError("ResourceNotFoundException", "The specified log stream does not exist.");
}

ApiError invalid_token() { return invalid_parameter("The specified nextToken is invalid."); }

ApiError resource_limit_exceeded() { return ApiError("LimitExceededException", "Resource limit exceeded."); }

ApiError unsupported(std::string_view what) {
  return invalid_parameter("Stoker does not support " + std::string(what) + ".");
}

ApiError pattern_violation(std::string_view member, std::string_view value, std::string_view pattern) {
  wire::Violation violation;
  violation.path = member;
  violation.kind = wire::Violation::Pattern;
  violation.constraint = pattern;
  violation.value = value;
  violation.member = member;
  return invalid_parameter(wire::validation_message({violation}));
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return invalid_parameter(wire::validation_message(violations));
}

}  // namespace services::logs
