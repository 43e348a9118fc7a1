// SPDX-License-Identifier: Apache-2.0
// EC2's errors, and checks that all of its operations share.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/page.h"
#include "wire/error.h"
#include "wire/type_of.h"
#include "wire/validate.h"

namespace services::ec2 {

wire::ApiError invalid_value(std::string message);
wire::ApiError invalid_combination(std::string message);
wire::ApiError missing_parameter(const std::string& name);
wire::ApiError unsupported_parameter(const std::string& name);
// "InvalidVpcID.NotFound" and "The vpc ID 'vpc-1' does not exist"
wire::ApiError id_not_found(const std::string& code, const std::string& noun, const std::string& id);
wire::ApiError malformed_id(const std::string& code, const std::string& id);
wire::ApiError malformed_image_id(const std::string& id);

// With DryRun a request that would succeed ends with an error.
void check_dry_run(const std::optional<bool>& dry_run);

// MaxResults of 5 to `most`, as most of EC2's lists have it, and NextToken.
Page read_list_page(const std::optional<std::int32_t>& size, const std::optional<std::string>& token,
                    std::int32_t most = 1000);

std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

namespace detail {
void reject_members(const wire::TypeInfo& type, const void* value, const std::string& path,
                    std::initializer_list<std::string_view> names);
}

// Rejects a request in which one of these members is present, by its name.
template <class Shape>
void reject_members(const Shape& shape, std::initializer_list<std::string_view> names, const std::string& path = "") {
  detail::reject_members(wire::type_of<Shape>(), &shape, path, names);
}

}  // namespace services::ec2
