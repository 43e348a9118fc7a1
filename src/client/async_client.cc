// SPDX-License-Identifier: Apache-2.0
#include "client/async_client.h"

namespace client {
AsyncClient::AsyncClient(http::IoThreads& io, Profile profile)
    : profile_(std::move(profile)), http_(io, endpoint_of(profile_)) {}

boost::asio::awaitable<void> AsyncClient::call_erased(const Target& target, const wire::Operation& operation,
                                                      const void* input, void* output) {
  http::Request request = make_request(profile_, target, operation, input, base::SystemClock().now());
  base::Result<http::Response> response = co_await http_.send(std::move(request), kDeadline);
  read_response(profile_, target, operation, std::move(response), output);
}

}  // namespace client
