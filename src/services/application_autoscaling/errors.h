// SPDX-License-Identifier: Apache-2.0
// Errors of Application Auto Scaling, in Amazon's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/page.h"
#include "wire/error.h"
#include "wire/operation.h"

namespace services::application_autoscaling {

wire::ApiError validation_error(std::string message);
wire::ApiError unsupported(const std::string& what);
// "No scalable target registered for service namespace: ecs, resource ID: ..., scalable dimension: ..."
wire::ApiError target_not_found(std::string_view verb, const std::string& resource);
wire::ApiError policy_not_found(const std::string& resource, const std::string& policy);
wire::ApiError limit_exceeded(const std::string& what);
wire::ApiError resource_not_found(const std::string& arn);

// A name that is shown in texts and ARNs: no control characters.
void check_name(const std::string& member, const std::string& value);
std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

// 1 to 50 results, 50 by default.
Page read_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token);
// The row number that a page starts after; 0 for the first page.
std::int64_t row_after(const Page& page);

}  // namespace services::application_autoscaling
