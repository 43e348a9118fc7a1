// SPDX-License-Identifier: Apache-2.0
// Errors of several of SQS's operations, in Amazon's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/usage.h"
#include "wire/operation.h"

namespace services::sqs {

wire::ApiError missing_parameter(std::string_view name);
wire::ApiError invalid_parameter(std::string message);
// "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: ..."
wire::ApiError invalid_value(std::string_view value, std::string_view parameter, std::string_view reason);
wire::ApiError queue_does_not_exist();
wire::ApiError access_denied(std::string_view principal, std::string_view action, std::string_view arn);
wire::ApiError service_denied(std::string_view service, std::string_view action, std::string_view arn);

// Throws OverLimit where the account would have more than its quota. Before the handler writes.
void check_quota(const Call& call, const std::string& account, const Usage& gain);

// SQS's error for missing or invalid members; nullopt where the handlers decide.
std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

// The model's error codes and others, with their names in JSON.
std::vector<wire::ErrorSpec> error_table();

}  // namespace services::sqs
