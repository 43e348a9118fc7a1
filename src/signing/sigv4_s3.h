// SPDX-License-Identifier: Apache-2.0
// S3's signed forms, and S3's own messages for invalid claims.
#pragma once

#include <optional>
#include <string_view>

#include "base/headers.h"
#include "signing/body_error.h"
#include "signing/sigv4.h"

namespace signing {

// S3's error for a claim that parse_claim() rejected. For Missing it is the error for an anonymous request
// without permission.
BodyError s3_claim_error(const http::RequestHead& head, const ClaimResult& failure);

// Parses the claim of a form; nullopt if the form is not signed. Its key is looked up as for any claim.
// Throws BodyError.
std::optional<Claim> parse_form_claim(const base::Headers& fields);

// The second step: the signature covers the field `policy` as received. The time of signing does not
// matter, because a policy has its own expiration. Throws BodyError.
void verify_form(const Claim& claim, const base::Headers& fields, const SigningKey& key);

}  // namespace signing
