// SPDX-License-Identifier: Apache-2.0
// What only S3 has of signatures: forms that carry one, and its own words for what is wrong with any.
#pragma once

#include <optional>
#include <string_view>

#include "base/headers.h"
#include "signing/body_error.h"
#include "signing/sigv4.h"

namespace signing {

// Why parse_claim() refused what that head says. For Missing it is what S3 tells those who may not do
// something without a key.
BodyError s3_claim_error(const http::RequestHead& head, const ClaimResult& failure);

// Who says that they signed this form? nullopt where nobody does. Its key is looked up as for any
// claim. Throws BodyError.
std::optional<Claim> parse_form_claim(const base::Headers& fields);

// The second step: the field `policy`, as it was sent, is what was signed. When it was signed does not
// matter: a policy says itself how long it holds. Throws BodyError.
void verify_form(const Claim& claim, const base::Headers& fields, const SigningKey& key);

}  // namespace signing
