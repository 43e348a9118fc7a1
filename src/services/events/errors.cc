// SPDX-License-Identifier: Apache-2.0
#include "services/events/errors.h"

namespace services::events {

using wire::ApiError;

ApiError validation_error(std::string message) { return ApiError("ValidationException", std::move(message)); }

ApiError rule_not_found(const std::string& name, const std::string& bus) {
  return ApiError("ResourceNotFoundException", "Rule " + name + " does not exist on EventBus " + bus + ".");
}

ApiError limit_exceeded() {
  return ApiError("LimitExceededException", "The requested resource exceeds the maximum number allowed.");
}

ApiError unsupported(const std::string& what) { return validation_error("Stoker does not support " + what + "."); }

ApiError invalid_token() { return validation_error("Parameter NextToken is not valid."); }

void check_name(const std::string& path, const std::string& value) {
  constexpr char kCharacters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  if (value.find_first_not_of(kCharacters) == value.npos) return;
  wire::Violation violation;
  violation.path = violation.member = path;
  violation.kind = wire::Violation::Pattern;
  violation.constraint = "[\\.\\-_A-Za-z0-9]+";
  violation.value = value;
  throw validation_error(wire::validation_message({violation}));
}

void check_text(const std::string& member, const std::string& value) {
  if (value.find('\0') != value.npos) throw validation_error("Parameter " + member + " is not valid.");
}

PageRules page_rules() {
  return {.most = kMaxPage,
          .invalid_size = [](std::int32_t) { return validation_error("Parameter Limit is not valid."); },
          .invalid_token = [](const std::string&) { return invalid_token(); }};
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return validation_error(wire::validation_message(violations));
}

}  // namespace services::events
