// SPDX-License-Identifier: Apache-2.0
#include "webhooks/signature.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/random.h"

namespace webhooks {
namespace {

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::size_t kMinKeyBytes = 24, kMaxKeyBytes = 64;  // the specification's
constexpr std::size_t kNewKeyBytes = 32;

}  // namespace

std::string new_secret() { return std::string(kSecretPrefix) + base::to_base64(base::random_bytes(kNewKeyBytes)); }

std::optional<std::string> decode_secret(std::string_view secret) {
  if (!secret.starts_with(kSecretPrefix)) return std::nullopt;
  auto key = base::from_base64(secret.substr(kSecretPrefix.size()));
  if (!key || key->size() < kMinKeyBytes || key->size() > kMaxKeyBytes) return std::nullopt;
  return key;
}

std::string sign(std::string_view key, std::string_view id, base::Time at, std::string_view body) {
  std::string message(id);
  message += "." + std::to_string(base::to_seconds(at)) + ".";
  message += body;
  return "v1," + base::to_base64(base::hmac_sha256(key, message));
}

}  // namespace webhooks
