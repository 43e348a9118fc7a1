// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/errors.h"

#include <cctype>

#include "shapes/cloudwatch/errors.h"

namespace services::cloudwatch {
namespace {

using wire::ApiError;
using wire::Violation;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == path.npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

// "[A, B]" -> "[ A, B ]"
std::string spaced(const std::string& set) {
  return set.size() < 2 ? set : "[ " + set.substr(1, set.size() - 2) + " ]";
}

// PutMetricData predates Amazon's common validation, and has its own words.
ApiError datum_error(const Violation& violation) {
  const std::string path = query_path(violation.path);
  switch (violation.kind) {
    case Violation::NotInEnum:
      return invalid_value("The parameter " + path + " must be a value in the set " + spaced(violation.constraint) + ".");
    case Violation::TooLong:
      if (path.ends_with("Dimensions")) {
        return invalid_value("The collection " + path + " must not have a size greater than " + violation.constraint + ".");
      }
      return invalid_value("The parameter " + path + " must be shorter than " +
                           std::to_string(std::stoll(violation.constraint) + 1) + " characters.");
    case Violation::TooShort: return invalid_value("The parameter " + path + " must be longer than 0 characters.");
    default: return invalid_value("The value " + violation.value + " for parameter " + path + " is invalid.");
  }
}

// Amazon's answer to an invalid state has the states in another order than its model.
std::vector<Violation> in_amazons_order(std::vector<Violation> violations) {
  for (Violation& violation : violations) {
    const bool state = violation.path == "stateValue" && violation.kind == Violation::NotInEnum;
    if (state) violation.constraint = "[INSUFFICIENT_DATA, ALARM, OK]";
  }
  return violations;
}

bool is_of_metric_data(const Violation& violation) { return violation.path.starts_with("metricData"); }

}  // namespace

std::string query_path(std::string_view path) {
  const auto parts = split_path(path);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '.';
    if (is_number(parts[i]) && i + 1 < parts.size() && parts[i + 1] == "member") {
      out += "member." + parts[i];
      ++i;
      continue;
    }
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(parts[i][0])));
    out += parts[i].substr(1);
  }
  return out;
}

ApiError invalid_value(std::string message) { return ApiError("InvalidParameterValue", std::move(message)); }
ApiError invalid_combination(std::string message) { return ApiError("InvalidParameterCombination", std::move(message)); }
ApiError missing_parameter(std::string_view path) {
  return ApiError("MissingParameter", "The parameter " + std::string(path) + " is required.");
}
ApiError validation_error(std::string message) { return ApiError("ValidationError", std::move(message)); }
ApiError unsupported_parameter(std::string_view path) {
  return invalid_value("Stoker does not support the parameter " + std::string(path) + ".");
}

std::optional<ApiError> violation_error(const std::vector<Violation>& violations) {
  if (violations.empty()) return std::nullopt;
  for (const Violation& violation : violations) {
    if (violation.kind == Violation::Missing) return missing_parameter(query_path(violation.path));
    if (is_of_metric_data(violation)) return datum_error(violation);
  }
  return validation_error(wire::validation_message(in_amazons_order(violations)));
}

std::vector<wire::ErrorSpec> error_table() {
  std::vector<wire::ErrorSpec> table(std::begin(shapes::cloudwatch::kErrors), std::end(shapes::cloudwatch::kErrors));
  table.push_back({"ValidationException", "ValidationError", 400, true, "com.amazon.coral.validate"});
  table.push_back({"ThrottlingException", "Throttling", 400, true, "com.amazon.coral.availability"});
  return table;
}

}  // namespace services::cloudwatch
