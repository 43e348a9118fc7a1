// SPDX-License-Identifier: Apache-2.0
// The names and regions that a new bucket may have.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace services::s3 {

inline constexpr std::string_view kDefaultRegion = "us-east-1";

bool is_bucket_name(std::string_view name);

// The region of a new bucket. Throws IllegalLocationConstraintException and InvalidLocationConstraint.
std::string region_of_new_bucket(const std::optional<std::string>& constraint, const std::string& caller_region);
// Whether Amazon has such a region.
bool is_region(std::string_view text);

}  // namespace services::s3
