// SPDX-License-Identifier: Apache-2.0
// Signatures of webhooks, by the specification Standard Webhooks 1.0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace webhooks {

// "whsec_" and 32 random bytes in base64.
std::string new_secret();
// The key of a secret; nullopt unless it is "whsec_" and 24 to 64 bytes in base64.
std::optional<std::string> decode_secret(std::string_view secret);

// The header webhook-signature: "v1,<base64 of HMAC-SHA256 of id.timestamp.body>".
std::string sign(std::string_view key, std::string_view id, base::Time at, std::string_view body);

}  // namespace webhooks
