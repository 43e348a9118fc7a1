// SPDX-License-Identifier: Apache-2.0
// Which pages of other origins may use a bucket: what a browser is told before a request and beside
// its answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/headers.h"
#include "services/s3/object_operation.h"

namespace services::s3 {

// For S3's table. Throws AccessForbidden to a preflight that is not allowed; nullopt beside an answer
// that the page may not read.
std::optional<base::Headers> cors_headers(Call& call, const CorsRequest& question);

// With at most one `*` in the pattern.
bool fits_one_star(std::string_view pattern, std::string_view text);

}  // namespace services::s3
