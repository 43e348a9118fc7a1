// SPDX-License-Identifier: Apache-2.0
// Which pages of other origins may use a bucket: the headers of preflight responses and of all others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/headers.h"
#include "services/s3/object_operation.h"

namespace services::s3 {

// nullopt where the page may not read the response. Throws AccessForbidden for a preflight that is not allowed.
std::optional<base::Headers> cors_headers(Call& call, const CorsRequest& question);

// The pattern has at most one `*`.
bool matches_one_star(std::string_view pattern, std::string_view text);

}  // namespace services::s3
