// SPDX-License-Identifier: Apache-2.0
#include "signing/signing_key.h"

#include "base/bytes.h"

namespace signing {
namespace {

std::string derive(std::string_view secret_key, const Scope& scope) {
  std::string key = base::hmac_sha256("AWS4" + std::string(secret_key), scope.date);
  key = base::hmac_sha256(key, scope.region);
  key = base::hmac_sha256(key, scope.service);
  return base::hmac_sha256(key, "aws4_request");
}

}  // namespace

std::string Scope::text() const {
  std::string out;
  out.reserve(date.size() + region.size() + service.size() + 16);
  return out.append(date).append("/").append(region).append("/").append(service).append("/aws4_request");
}

SigningKey::SigningKey(std::string_view secret_key, const Scope& scope) : key_(derive(secret_key, scope)) {}

std::string SigningKey::sign(std::string_view text) const { return base::to_hex(key_.sign(text)); }

std::shared_ptr<const SigningKey> SigningKeyCache::get(const Credentials& credentials, const Scope& scope) {
  std::string name = credentials.access_key + "/" + scope.text();
  auto found = entries_.with([&](auto& entries) -> std::shared_ptr<const SigningKey> {
    auto at = entries.find(name);
    // The secret of an access key may have changed.
    if (at == entries.end() || at->second.secret_key != credentials.secret_key) return nullptr;
    return at->second.key;
  });
  if (found) return found;
  auto key = std::make_shared<const SigningKey>(credentials.secret_key, scope);
  Entry entry = {credentials.secret_key, key};
  entries_.with([&](auto& entries) {
    // Full, because days have passed or a client uses many regions: start again.
    if (entries.size() >= capacity_) entries.clear();
    entries.insert_or_assign(std::move(name), std::move(entry));
  });
  return key;
}

}  // namespace signing
