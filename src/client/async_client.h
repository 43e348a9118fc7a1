// SPDX-License-Identifier: Apache-2.0
// The typed calls of client.h, for coroutines.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <utility>

#include "client/request.h"

namespace client {

class AsyncClient {
 public:
  // Throws std::runtime_error, with a message of one line, for an invalid endpoint.
  AsyncClient(http::IoThreads& io, Profile profile);

  // Throws the service's wire::ApiError, or std::runtime_error when there is no response
  // within 30 s.
  template <class Output, class Input>
  boost::asio::awaitable<Output> call(Target target, std::string operation, Input input) {
    Output output;
    wire::Operation described{operation, &wire::type_of<Input>(), &wire::type_of<Output>()};
    co_await call_erased(target, described, &input, &output);
    co_return output;
  }

  const Profile& profile() const { return profile_; }

 private:
  boost::asio::awaitable<void> call_erased(const Target& target, const wire::Operation& operation, const void* input,
                                           void* output);

  Profile profile_;
  http::Client http_;
};

}  // namespace client
