// SPDX-License-Identifier: Apache-2.0
// The typed calls of client.h, for coroutines.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <utility>

#include "client/key_source.h"
#include "client/request.h"

namespace client {

class AsyncClient {
 public:
  // Throws std::runtime_error, with a message of one line, for an invalid endpoint.
  AsyncClient(http::IoThreads& io, Profile profile);
  // With keys that may change, instead of the profile's. `keys` must outlive it.
  AsyncClient(http::IoThreads& io, Profile profile, KeySource& keys);

  // Throws the service's wire::ApiError, or std::runtime_error when there is no response
  // within 30 s.
  template <class Output, class Input>
  boost::asio::awaitable<Output> call(Target target, std::string operation, Input input) {
    Output output;
    wire::Operation described{operation, &wire::type_of<Input>(), &wire::type_of<Output>()};
    co_await call_erased(target, described, &input, &output);
    co_return output;
  }

  template <class Input>
  boost::asio::awaitable<void> call(Target target, std::string operation, Input input) {
    wire::Operation described{operation, &wire::type_of<Input>(), nullptr};
    co_await call_erased(target, described, &input, nullptr);
  }

  const Profile& profile() const { return profile_; }

 private:
  boost::asio::awaitable<void> call_erased(const Target& target, const wire::Operation& operation, const void* input,
                                           void* output);

  Profile profile_;
  KeySource* keys_ = nullptr;  // null: the profile's key
  http::Client http_;
};

}  // namespace client
