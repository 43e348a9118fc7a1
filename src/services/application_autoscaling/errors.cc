// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/errors.h"

#include <algorithm>
#include <charconv>

namespace services::application_autoscaling {
namespace {

constexpr std::int32_t kMaxPage = 50;
constexpr char kDimensionText[] = "ecs:service:DesiredCount";

wire::ApiError invalid_token() {
  return wire::ApiError("InvalidNextTokenException", "The next token supplied was invalid.");
}

}  // namespace

wire::ApiError validation_error(std::string message) { return wire::ApiError("ValidationException", std::move(message)); }

wire::ApiError unsupported(const std::string& what) { return validation_error("Stoker does not support " + what + "."); }

wire::ApiError target_not_found(std::string_view verb, const std::string& resource) {
  return wire::ApiError("ObjectNotFoundException", "No scalable target " + std::string(verb) +
                                                       " for service namespace: ecs, resource ID: " + resource +
                                                       ", scalable dimension: " + kDimensionText);
}

wire::ApiError policy_not_found(const std::string& resource, const std::string& policy) {
  return wire::ApiError("ObjectNotFoundException", "No scaling policy found for service namespace: ecs, resource ID: " +
                                                       resource + ", scalable dimension: " + kDimensionText +
                                                       ", policy name: " + policy);
}

wire::ApiError limit_exceeded(const std::string& what) {
  return wire::ApiError("LimitExceededException", "The limit of " + what + " is exceeded.");
}

wire::ApiError resource_not_found(const std::string& arn) {
  return wire::ApiError("ResourceNotFoundException", "No scalable target found for ARN: " + arn);
}

void check_name(const std::string& member, const std::string& value) {
  const bool printable = std::all_of(value.begin(), value.end(),
                                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
  if (!printable) throw validation_error(member + " contains invalid characters");
}

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations) {
  return validation_error(wire::validation_message(violations));
}

Page read_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token) {
  static const PageRules kRules{
      .most = kMaxPage,
      .invalid_size = [](std::int32_t) { return validation_error("MaxResults must be between 1 and 50"); },
      .invalid_token = [](const std::string&) { return invalid_token(); }};
  return services::read_page(size, token, kRules);
}

std::int64_t row_after(const Page& page) {
  std::int64_t row = 0;
  if (page.after.empty()) return row;
  const char* end = page.after.data() + page.after.size();
  const auto [stop, error] = std::from_chars(page.after.data(), end, row);
  if (error != std::errc() || stop != end || row < 0) throw invalid_token();
  return row;
}

}  // namespace services::application_autoscaling
