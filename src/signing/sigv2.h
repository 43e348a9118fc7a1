// SPDX-License-Identifier: Apache-2.0
// Signature Version 2 in URLs and forms to S3: what boto3 makes in Amazon's older regions, unless it is told
// otherwise, and what those still take. In headers nobody makes it any more, and it is refused.
#pragma once

#include <optional>
#include <string_view>

#include "base/headers.h"
#include "signing/body_error.h"
#include "signing/sigv4.h"

namespace signing {

// Of a query with AWSAccessKeyId or Signature. On success the claim's `version2` is set, and `signed_at` is when
// it expires.
ClaimResult parse_version2(const http::RequestHead& head);

// The second step. `path`: "/bucket/key" as it came, also where the bucket was in the host.
AuthResult verify_version2(const Claim& claim, const http::RequestHead& head, std::string_view path,
                           std::string_view secret, base::Time now);

// The same of forms, as parse_form_claim() and verify_form() are. Throw BodyError.
std::optional<Claim> parse_form_version2(const base::Headers& fields);
void verify_form_version2(const Claim& claim, const base::Headers& fields, std::string_view secret);

}  // namespace signing
