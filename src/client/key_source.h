// SPDX-License-Identifier: Apache-2.0
// The access key that signs calls: a fixed one, or that of a container's role, which is renewed before it expires.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "base/time.h"
#include "http/client.h"
#include "http/signal.h"
#include "signing/signing_key.h"

namespace client {

// A container's credentials endpoint, as AWS_CONTAINER_CREDENTIALS_FULL_URI and its relatives name it.
struct ContainerKeys {
  std::string url;                 // "http://169.254.170.2/v2/credentials/..."
  std::string authorization = {};  // the Authorization header; "": none
  // Instead of `authorization`: a file that has it, and that may change.
  std::string authorization_file = {};
};

// Used by coroutines of one thread.
class KeySource {
 public:
  explicit KeySource(signing::Credentials fixed);
  // Throws std::runtime_error for an invalid URL.
  KeySource(http::IoThreads& io, ContainerKeys container);
  KeySource(const KeySource&) = delete;

  // Throws std::runtime_error if there is no valid key. If only the renewal fails, the current key is used until it
  // expires.
  boost::asio::awaitable<signing::Credentials> get();
  // A service rejected the key as expired: the next get() renews it. False for a fixed key.
  bool expire();

 private:
  struct Renewed;

  bool is_due(base::Time now) const;
  boost::asio::awaitable<void> renew();
  boost::asio::awaitable<Renewed> request_key();

  signing::Credentials key_;
  ContainerKeys container_;
  std::unique_ptr<http::Client> http_;  // null for a fixed key
  base::Time expires_ = {};
  base::Time next_try_ = {};
  std::string error_;  // of the last renewal
  bool renewing_ = false;
  http::Signal renewed_;
};

}  // namespace client
