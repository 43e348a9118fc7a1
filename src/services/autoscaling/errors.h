// SPDX-License-Identifier: Apache-2.0
// Errors of EC2 Auto Scaling, in Amazon's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/page.h"
#include "wire/operation.h"

namespace services::autoscaling {

wire::ApiError validation_error(std::string message);
wire::ApiError group_not_found(const std::string& name);
// "Stoker does not support <what>." as a ValidationError.
wire::ApiError unsupported(const std::string& what);

// A zero byte can't be stored as text.
void check_text(const std::string& member, const std::string& value);

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

// Amazon's limit of a page is `most`; a larger MaxRecords is an error.
Page read_records_page(const std::optional<std::int32_t>& max_records, const std::optional<std::string>& token,
                       std::int32_t most, std::int32_t normal);

}  // namespace services::autoscaling
