// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/errors.h"

namespace services::autoscaling {

using wire::ApiError;

ApiError validation_error(std::string message) { return ApiError("ValidationError", std::move(message)); }

ApiError group_not_found(const std::string& name) {
  return validation_error("AutoScalingGroup name not found - AutoScalingGroup '" + name + "' not found");
}

ApiError unsupported(const std::string& what) { return validation_error("Stoker does not support " + what + "."); }

void check_text(const std::string& member, const std::string& value) {
  if (value.find('\0') != value.npos) throw validation_error("Invalid value for " + member + ".");
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  if (violations.empty()) return std::nullopt;
  return validation_error(wire::validation_message(violations));
}

Page read_records_page(const std::optional<std::int32_t>& max_records, const std::optional<std::string>& token,
                       std::int32_t most, std::int32_t normal) {
  const PageRules rules{
      .most = most,
      .invalid_size =
          [most](std::int32_t) {
            return validation_error("The value for MaxRecords must be between 1 and " + std::to_string(most) + ".");
          },
      .invalid_token = [](const std::string&) { return ApiError("InvalidNextToken", "The token is invalid."); }};
  return read_page(max_records ? max_records : std::optional(normal), token, rules);
}

}  // namespace services::autoscaling
