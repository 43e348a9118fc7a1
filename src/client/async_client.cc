// SPDX-License-Identifier: Apache-2.0
#include "client/async_client.h"

namespace client {
AsyncClient::AsyncClient(http::IoThreads& io, Profile profile)
    : profile_(std::move(profile)), http_(io, endpoint_of(profile_)) {}

AsyncClient::AsyncClient(http::IoThreads& io, Profile profile, KeySource& keys)
    : profile_(std::move(profile)), keys_(&keys), http_(io, endpoint_of(profile_)) {}

boost::asio::awaitable<void> AsyncClient::call_erased(const Target& target, const wire::Operation& operation,
                                                      const void* input, void* output) {
  Profile profile = profile_;
  if (keys_) {
    signing::Credentials key = co_await keys_->get();
    profile.credentials = std::move(key);
  }
  http::Request request = make_request(profile, target, operation, input, base::SystemClock().now());
  base::Result<http::Response> response = co_await http_.send(std::move(request), kDeadline);
  try {
    read_response(profile_, target, operation, std::move(response), output);
  } catch (const wire::ApiError& error) {
    if (keys_ && error.code().starts_with("ExpiredToken")) keys_->expire();
    throw;
  }
}

}  // namespace client
