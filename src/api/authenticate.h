// SPDX-License-Identifier: Apache-2.0
// Finds the key that a request says it was signed with. Doors verify the signature: what is signed differs.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "api/engine.h"
#include "http/message.h"
#include "http/server.h"
#include "signing/sigv4.h"
#include "services/operation.h"
#include "state/keys.h"

namespace api {

struct Signer {
  std::shared_ptr<const state::Key> key;                // shared with the ring of keys in use
  std::shared_ptr<const signing::SigningKey> signing_key;  // shared with the cache; null for SigV2
};

class Authenticator {
 public:
  explicit Authenticator(Engine& engine) : engine_(engine) {}

  // Everything but the signature itself, which may need the body. `signer` is valid where `problem` is None.
  struct Found {
    Signer signer = {};
    signing::AuthError problem = signing::AuthError::None;
  };
  boost::asio::awaitable<Found> find(const signing::Claim& claim, std::string_view signing_name);

  // For RPC clients: throws ApiError in their words.
  boost::asio::awaitable<Signer> find_or_throw(const signing::ClaimResult& claim, std::string_view signing_name);
  void verify(const signing::Claim& claim, const Signer& signer, const http::RequestHead& head, std::string_view body);

 private:
  boost::asio::awaitable<std::shared_ptr<const state::Key>> load_key(const std::string& id);
  // With which the end of this key is compared.
  base::Time time_for(const state::Key* key) const;

  Engine& engine_;
  signing::SigningKeyCache signing_keys_;
};

// Who sent a request, as far as the key and the connection tell.
services::Caller caller_of(const http::Exchange& exchange, const std::string& request_id, const signing::Claim& claim,
                           const state::Key& key);

}  // namespace api
