// SPDX-License-Identifier: Apache-2.0
// Signature Version 2 in URLs and forms to S3: boto3's default for Amazon's older regions, which still accept
// it. Clients no longer use it in headers, and it is rejected there.
#pragma once

#include <optional>
#include <string_view>

#include "base/headers.h"
#include "signing/body_error.h"
#include "signing/sigv4.h"

namespace signing {

// For a query with AWSAccessKeyId or Signature. On success the claim's `version2` is set, and `signed_at` is the
// time when it expires.
ClaimResult parse_version2(const http::RequestHead& head);

// The second step. `path` is "/bucket/key" as received, also if the bucket was in the host.
AuthResult verify_version2(const Claim& claim, const http::RequestHead& head, std::string_view path,
                           std::string_view secret, base::Time now);

// For forms, like parse_form_claim() and verify_form(). They throw BodyError.
std::optional<Claim> parse_form_version2(const base::Headers& fields);
void verify_form_version2(const Claim& claim, const base::Headers& fields, std::string_view secret);

}  // namespace signing
