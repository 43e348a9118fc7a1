// SPDX-License-Identifier: Apache-2.0
// A join token: an access key in one word, to paste on another machine.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "signing/signing_key.h"

namespace cli {

// "stk1." and the base64url of "ID:SECRET".
std::string encode_token(const signing::Credentials& credentials);
// Fails for an invalid token. The error does not repeat the token.
base::Result<signing::Credentials> decode_token(std::string_view token);

}  // namespace cli
