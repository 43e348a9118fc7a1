// SPDX-License-Identifier: Apache-2.0
// What every claim has, wherever it stands. Private to http.
#pragma once

#include <string_view>

#include "http/sigv4.h"

namespace http {

// Fills the claim's key, scope and time: "AKID/20260101/us-east-1/s3/aws4_request" and "20260101T000000Z".
// False, with the reason in `result`, where one can't be read or they do not fit together.
bool read_scope(std::string_view credential, std::string_view date, ClaimResult& result);

}  // namespace http
