// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/errors.h"

#include <algorithm>

namespace services::ec2 {

using wire::ApiError;
using wire::Violation;

namespace {

constexpr std::int32_t kLeastResults = 5;

// An operator may add instance types that Amazon's model does not list; operations check the type themselves.
bool is_of_instance_type(const Violation& violation) {
  return violation.kind == Violation::NotInEnum &&
         (violation.path.find("nstanceType") != violation.path.npos || violation.member == "InstanceType");
}

ApiError to_error(const Violation& violation) {
  if (violation.kind == Violation::Missing) return missing_parameter(violation.member);
  const std::string value = "Value (" + violation.value + ") for parameter " + violation.member + " is invalid.";
  switch (violation.kind) {
    case Violation::NotInEnum: return invalid_value(value + " Allowed values: " + violation.constraint + ".");
    case Violation::TooSmall: return invalid_value(value + " Expecting a value of at least " + violation.constraint + ".");
    case Violation::TooLarge: return invalid_value(value + " Expecting a value of at most " + violation.constraint + ".");
    default: return invalid_value(value);
  }
}

}  // namespace

ApiError invalid_value(std::string message) { return ApiError("InvalidParameterValue", std::move(message)); }

ApiError invalid_combination(std::string message) {
  return ApiError("InvalidParameterCombination", std::move(message));
}

ApiError missing_parameter(const std::string& name) {
  return ApiError("MissingParameter", "The request must contain the parameter " + name);
}

ApiError unsupported_parameter(const std::string& name) {
  return ApiError("UnsupportedOperation", "Stoker does not support the parameter " + name + ".");
}

ApiError id_not_found(const std::string& code, const std::string& noun, const std::string& id) {
  return ApiError(code, "The " + noun + " '" + id + "' does not exist");
}

ApiError malformed_id(const std::string& code, const std::string& id) {
  return ApiError(code, "Invalid id: \"" + id + "\"");
}

ApiError malformed_image_id(const std::string& id) {
  const std::string expected = id.starts_with("ami-") ? "" : " (expecting \"ami-...\")";
  return ApiError("InvalidAMIID.Malformed", "Invalid id: \"" + id + "\"" + expected);
}

void check_dry_run(const std::optional<bool>& dry_run) {
  if (dry_run.value_or(false)) {
    throw ApiError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412);
  }
}

Page read_list_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token,
                    std::int32_t most) {
  const PageRules rules{.most = most,
                        .invalid_size = {},
                        .invalid_token = [](const std::string&) {
                          return ApiError("InvalidNextToken", "The specified NextToken is not valid.");
                        }};
  if (size && *size < kLeastResults) {
    throw invalid_value("Value ( " + std::to_string(*size) +
                        " ) for parameter maxResults is invalid. Expecting a value greater than 5.");
  }
  // Amazon returns at most so many, whatever larger number is requested.
  return read_page(size ? std::optional(std::min(*size, most)) : std::nullopt, token, rules);
}

std::optional<ApiError> violation_error(const std::vector<Violation>& violations) {
  for (const Violation& violation : violations) {
    if (!is_of_instance_type(violation)) return to_error(violation);
  }
  return std::nullopt;
}

void detail::reject_members(const wire::TypeInfo& type, const void* value, const std::string& path,
                            std::initializer_list<std::string_view> names) {
  for (const wire::Field& field : type.fields) {
    if (std::find(names.begin(), names.end(), field.name) == names.end() || !field.get(field, value)) continue;
    throw unsupported_parameter(path + std::string(field.name));
  }
}

}  // namespace services::ec2
