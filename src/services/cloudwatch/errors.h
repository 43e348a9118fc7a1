// SPDX-License-Identifier: Apache-2.0
// CloudWatch's errors, in its words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/error.h"
#include "wire/operation.h"

namespace services::cloudwatch {

wire::ApiError invalid_value(std::string message);        // InvalidParameterValue
wire::ApiError invalid_combination(std::string message);  // InvalidParameterCombination
wire::ApiError missing_parameter(std::string_view path);  // MissingParameter
wire::ApiError validation_error(std::string message);     // ValidationError
// A member that Amazon has and Stoker does not.
wire::ApiError unsupported_parameter(std::string_view path);

// "metricData.1.member.unit" -> "MetricData.member.1.Unit": these messages use the names of the query protocol.
std::string query_path(std::string_view path);

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);
std::vector<wire::ErrorSpec> error_table();

}  // namespace services::cloudwatch
