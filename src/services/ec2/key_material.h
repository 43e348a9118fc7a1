// SPDX-License-Identifier: Apache-2.0
// Keys of key pairs: new ones, and public keys that a client imports.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace services::ec2 {

struct NewKey {
  std::string private_pem;  // as ssh reads it
  std::string public_text;  // "ssh-ed25519 AAAA..."
  std::string fingerprint;
};

// "rsa" (2048 bits) or "ed25519".
NewKey make_key(std::string_view type);

struct ImportedKey {
  std::string type;  // "rsa" or "ed25519"
  std::string public_text;
  std::string fingerprint;
};

// OpenSSH's form, "ssh-rsa AAAA... comment". nullopt for anything else.
std::optional<ImportedKey> parse_public_key(std::string_view text);

}  // namespace services::ec2
