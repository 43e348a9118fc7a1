// SPDX-License-Identifier: Apache-2.0
#include "api/authenticate.h"

#include "api/errors.h"
#include "api/identify.h"
#include "api/rest_errors.h"
#include "api/transaction.h"
#include "base/hash.h"
#include "signing/sigv2.h"

namespace api {
namespace asio = boost::asio;
namespace {

bool is_region(const std::string& region) {
  return !region.empty() && region.size() <= 64 &&
         region.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == region.npos;
}

signing::AuthError look_at_key(const signing::Claim& claim, const state::Key* key, const services::Service& service,
                               base::Time now) {
  using signing::AuthError;
  if (!key) return AuthError::UnknownKey;
  if (claim.service != service.signing_name) return AuthError::BadScope;
  if (!base::equals_in_constant_time(claim.session_token, key->session_token.value_or(""))) return AuthError::BadToken;
  if (key->expires_at && *key->expires_at <= now) return AuthError::ExpiredToken;
  return AuthError::None;
}

}  // namespace

asio::awaitable<std::shared_ptr<const state::Key>> Authenticator::find_key(std::string id) {
  auto known = engine_.keys().find(id);
  if (known) co_return known;
  const std::uint64_t deletions = engine_.keys().deletions();
  std::optional<state::Key> found;
  store::Store::Work work = [&](store::Tx& tx) { found = state::find_key(tx, id); };
  co_await transact(engine_.store(), services::Access::Read, std::move(work));
  if (!found) co_return nullptr;
  co_return engine_.keys().keep(std::move(*found), deletions);
}

asio::awaitable<Signer> Authenticator::find(signing::Claim claim, const services::Service& service) {
  const base::Time now = engine_.clock().now();
  const bool rest = speaks_rest(service);
  if (!is_region(claim.region)) {
    signing::AuthResult failure = signing::auth_failure(signing::AuthError::BadScope);
    throw rest ? rest_auth_error(failure, claim, now) : auth_error(failure.error, failure.message);
  }
  Signer signer;
  signer.key = co_await find_key(claim.access_key);
  const signing::AuthError problem = look_at_key(claim, signer.key.get(), service, now);
  if (problem != signing::AuthError::None) {
    signing::AuthResult failure = signing::auth_failure(problem);
    throw rest ? rest_auth_error(failure, claim, now) : auth_error(failure.error, failure.message);
  }
  if (claim.version2) co_return signer;
  signer.signing_key = signing_keys_.get({signer.key->id, signer.key->secret, ""}, claim.scope());
  co_return signer;
}

void Authenticator::check(const signing::Claim& claim, const Signer& signer, const http::RequestHead& head,
                          std::string_view body) {
  const std::string hash = base::to_hex(base::sha256(body));
  auto verified = signing::verify(claim, head, hash, *signer.signing_key, engine_.clock().now(), false);
  if (!verified) throw auth_error(verified.error, verified.message);
}

void Authenticator::check_head(const signing::Claim& claim, const Signer& signer, const http::RequestHead& head,
                               std::string_view path) {
  const base::Time now = engine_.clock().now();
  if (claim.payload_hash.empty() && !claim.presigned) throw missing_payload_hash();
  auto verified = claim.version2 ? signing::verify_version2(claim, head, path, signer.key->secret, now)
                                 : signing::verify_without_body(claim, head, *signer.signing_key, now, true);
  if (!verified) throw rest_auth_error(verified, claim, now);
}

}  // namespace api
