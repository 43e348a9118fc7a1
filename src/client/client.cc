// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

namespace client {
Client::Client(Profile profile) : profile_(std::move(profile)), io_(1) {
  http_ = std::make_unique<http::Client>(io_, endpoint_of(profile_));
}

Client::~Client() {
  http_.reset();
  io_.stop();
}

void Client::call_erased(const Target& target, const wire::Operation& operation, const void* input, void* output) {
  http::Request request = make_request(profile_, target, operation, input, base::SystemClock().now());
  read_response(profile_, target, operation, http_->send_now(std::move(request), kDeadline), output);
}

base::Result<http::Response> Client::get(const std::string& path) {
  return http_->send_now({{"GET", path, {{"Host", host_of(profile_.endpoint)}}}, ""}, kDeadline);
}

}  // namespace client
