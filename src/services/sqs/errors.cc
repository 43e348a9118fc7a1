// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/errors.h"

#include "shapes/sqs/errors.h"

namespace services::sqs {

using wire::ApiError;

ApiError missing_parameter(std::string_view name) {
  return ApiError("MissingRequiredParameterException", "The request must contain the parameter " + std::string(name) + ".");
}

ApiError invalid_parameter(std::string message) {
  return ApiError("InvalidParameterValueException", std::move(message));
}

ApiError invalid_value(std::string_view value, std::string_view parameter, std::string_view reason) {
  return invalid_parameter("Value " + std::string(value) + " for parameter " + std::string(parameter) +
                           " is invalid. Reason: " + std::string(reason));
}

ApiError queue_does_not_exist() { return ApiError("QueueDoesNotExist", "The specified queue does not exist."); }

ApiError access_denied(std::string_view principal, std::string_view action, std::string_view arn) {
  return ApiError("AccessDeniedException",
                  "User: " + std::string(principal) + " is not authorized to perform: sqs:" + std::string(action) +
                      " on resource: " + std::string(arn) + " with an explicit deny in a resource-based policy");
}

ApiError service_denied(std::string_view service, std::string_view action, std::string_view arn) {
  return ApiError("AccessDeniedException", std::string(service) + " is not authorized to perform: sqs:" +
                                               std::string(action) + " on resource: " + std::string(arn) +
                                               " because no resource-based policy allows the sqs:" +
                                               std::string(action) + " action");
}

void check_quota(const Call& call, const std::string& account, const Usage& gain) {
  if (auto problem = quota_problem(call, account, gain)) throw ApiError("OverLimit", std::move(*problem));
}

std::optional<ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  for (const wire::Violation& violation : violations) {
    if (violation.kind == wire::Violation::Missing) return missing_parameter(violation.member);
    // The handlers accept names that the model's enumerations lack: for ReceiveMessage's
    // AttributeNames the model lists a queue's attributes instead of a message's.
    if (violation.kind != wire::Violation::NotInEnum) return invalid_parameter(wire::validation_message({violation}));
  }
  return std::nullopt;
}

std::vector<wire::ErrorSpec> error_table() {
  std::vector<wire::ErrorSpec> table(std::begin(shapes::sqs::kErrors), std::end(shapes::sqs::kErrors));
  for (wire::ErrorSpec& spec : table) {
    if (spec.name != "QueueDoesNotExist") continue;
    spec.query_message = "The specified queue does not exist for this wsdl version.";
  }
  constexpr std::string_view kCoral = "com.amazon.coral.service";
  table.push_back({"MissingRequiredParameterException", "MissingParameter", 400, true, kCoral});
  table.push_back({"InvalidParameterValueException", "InvalidParameterValue", 400, true, kCoral});
  table.push_back({"InvalidParameterCombinationException", "InvalidParameterCombination", 400, true, kCoral});
  table.push_back({"AccessDeniedException", "AccessDenied", 403, true, kCoral});
  return table;
}

}  // namespace services::sqs
