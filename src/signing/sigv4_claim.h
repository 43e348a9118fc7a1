// SPDX-License-Identifier: Apache-2.0
// The parts of a claim that header, query and form have in common. Private to signing.
#pragma once

#include <string_view>

#include "signing/sigv4.h"

namespace signing {

inline constexpr const char* kVersion4Only =
    "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.";

// Fills the claim's key, scope and time: "AKID/20260101/us-east-1/s3/aws4_request" and "20260101T000000Z".
// False, with the error in `result`, if one is invalid or they contradict each other.
bool read_scope(std::string_view credential, std::string_view date, ClaimResult& result);

}  // namespace signing
