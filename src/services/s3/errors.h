// SPDX-License-Identifier: Apache-2.0
// S3's errors, in Amazon's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/operation.h"

namespace services::s3 {

// The status of each code.
std::vector<wire::ErrorSpec> error_table();
std::optional<wire::ApiError> violation_error(const std::vector<wire::Violation>& violations);

wire::ApiError no_such_bucket(std::string_view bucket);
wire::ApiError no_such_key(std::string_view key);
wire::ApiError no_such_version(std::string_view key, std::string_view version);
wire::ApiError no_such_upload(std::string_view upload);
wire::ApiError access_denied();
wire::ApiError invalid_argument(std::string_view message, std::string_view name, std::string_view value);
// Without the argument's value.
wire::ApiError invalid_argument(std::string_view message, std::string_view name);
wire::ApiError invalid_request(std::string_view message);
// `condition`: the header that failed, "If-Match".
wire::ApiError precondition_failed(std::string_view condition);
wire::ApiError malformed_xml();
wire::ApiError header_not_implemented(std::string_view header);
// A feature of S3 that Stoker does not support; `what` begins a sentence: "Object Lock".
wire::ApiError not_implemented(std::string_view what);

}  // namespace services::s3
