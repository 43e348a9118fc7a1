// SPDX-License-Identifier: Apache-2.0
#include "api/authenticate.h"

#include <algorithm>

#include "api/decode.h"
#include "api/errors.h"
#include "api/transaction.h"
#include "base/hash.h"
#include "store/account_work.h"

namespace api {
namespace asio = boost::asio;
namespace {

constexpr char kKeyLookups[] = "keys";  // instead of an account

bool is_region(const std::string& region) {
  return !region.empty() && region.size() <= 64 &&
         region.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == region.npos;
}

signing::AuthError problem_of(const signing::Claim& claim, const state::Key* key, std::string_view signing_name,
                           base::Time now) {
  using signing::AuthError;
  if (!key) return AuthError::UnknownKey;
  if (claim.service != signing_name) return AuthError::BadScope;
  if (!base::equals_in_constant_time(claim.session_token, key->session_token.value_or(""))) return AuthError::BadToken;
  if (key->expires_at && *key->expires_at <= now) return AuthError::ExpiredToken;
  return AuthError::None;
}

}  // namespace

// Everybody can name a key: strangers wait for each other, and the server for none of them. Anonymous requests are another
// account, because some of them read for long.
asio::awaitable<std::shared_ptr<const state::Key>> Authenticator::load_key(const std::string& id) {
  if (!state::valid_key_id(id)) co_return nullptr;
  const std::uint64_t deletions = engine_.keys().deletions();
  std::optional<state::Key> found;
  store::Store::Work work = store::AccountWork{kKeyLookups, [&](store::Tx& tx) { found = state::find_key(tx, id); }};
  co_await transact(engine_.store(), services::Access::Read, std::move(work));
  if (!found) co_return nullptr;
  co_return engine_.keys().keep(std::move(*found), deletions);
}

// Clients compare the end of a session with their own clocks. The key of a machine ends when the server has removed the
// machine, at its own time.
base::Time Authenticator::time_for(const state::Key* key) const {
  const base::Time now = engine_.clock().now();
  const bool of_machine = key && key->scope == state::KeyScope::Machine;
  return of_machine ? now : std::min(now, engine_.wall_clock().now());
}

asio::awaitable<Authenticator::Found> Authenticator::find(const signing::Claim& claim, std::string_view signing_name) {
  Found found;
  if (!is_region(claim.region)) {
    found.problem = signing::AuthError::BadScope;
    co_return found;
  }
  found.signer.key = engine_.keys().find(claim.access_key);
  if (!found.signer.key) {
    found.signer.key = co_await load_key(claim.access_key);
  }
  found.problem = problem_of(claim, found.signer.key.get(), signing_name, time_for(found.signer.key.get()));
  if (found.problem != signing::AuthError::None || claim.version2) co_return found;
  const state::Key& key = *found.signer.key;
  found.signer.signing_key = signing_keys_.get({key.id, key.secret, ""}, claim.scope());
  co_return found;
}

asio::awaitable<Signer> Authenticator::find_or_throw(const signing::ClaimResult& claim, std::string_view signing_name) {
  if (!claim) throw auth_error(claim.error, claim.message);
  Found found = co_await find(claim.claim, signing_name);
  if (found.problem != signing::AuthError::None) {
    const signing::AuthResult failure = signing::auth_failure(found.problem);
    throw auth_error(failure.error, failure.message);
  }
  co_return std::move(found.signer);
}

void Authenticator::verify(const signing::Claim& claim, const Signer& signer, const http::RequestHead& head,
                           std::string_view body) {
  const std::string hash = base::to_hex(base::sha256(body));
  auto verified = signing::verify(claim, head, hash, *signer.signing_key, engine_.wall_clock().now(), false);
  if (!verified) throw auth_error(verified.error, verified.message);
}

namespace {

constexpr std::size_t kMaxTrace = 512;

// A value that no message attribute could have is no trace.
std::string trace_of(const base::Headers& headers) {
  const std::string_view trace = headers.get("X-Amzn-Trace-Id");
  const bool printable = std::all_of(trace.begin(), trace.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
  return printable && trace.size() <= kMaxTrace ? std::string(trace) : "";
}

}  // namespace

services::Caller caller_of(const http::Exchange& exchange, const std::string& request_id, const signing::Claim& claim,
                           const state::Key& key) {
  services::Caller caller;
  caller.account = key.account;
  caller.access_key = key.id;
  caller.region = claim.region;
  caller.endpoint = endpoint_of(exchange);
  caller.request_id = request_id;
  caller.root = key.root;
  caller.temporary = key.session_token.has_value();
  caller.task = key.scope == state::KeyScope::Task;
  caller.machine = key.scope == state::KeyScope::Machine;
  caller.address = address_of(exchange.peer());
  caller.trace = trace_of(exchange.head().headers);
  return caller;
}

}  // namespace api
