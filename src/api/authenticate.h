// SPDX-License-Identifier: Apache-2.0
// Who asks, and whether it is them: keys are found, and what was signed with them is verified.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "api/engine.h"
#include "http/message.h"
#include "services/operation.h"
#include "signing/sigv4.h"
#include "state/keys.h"

namespace api {

// Nobody, for a request without a signature.
struct Signer {
  std::shared_ptr<const state::Key> key;                   // shared with the ring of keys in use
  std::shared_ptr<const signing::SigningKey> signing_key;  // shared with the cache; null where there is no scope
};

class Authenticator {
 public:
  explicit Authenticator(Engine& engine) : engine_(engine) {}

  // Everything but the signature itself, which may need the body. Throws ApiError, in the words that
  // clients of such a service know.
  boost::asio::awaitable<Signer> find(signing::Claim claim, const services::Service& service);

  void check(const signing::Claim& claim, const Signer& signer, const http::RequestHead& head, std::string_view body);
  // REST: before the body has come; it must then have the hash that was signed, where one was. `path` is
  // "/bucket/key", wherever the bucket was.
  void check_head(const signing::Claim& claim, const Signer& signer, const http::RequestHead& head,
                  std::string_view path);

 private:
  boost::asio::awaitable<std::shared_ptr<const state::Key>> find_key(std::string id);

  Engine& engine_;
  signing::SigningKeyCache signing_keys_;
};

}  // namespace api
