// SPDX-License-Identifier: Apache-2.0
// One call as bytes, shared by the blocking client and the one for coroutines.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "http/client.h"
#include "http/message.h"
#include "signing/signing_key.h"
#include "wire/operation.h"

namespace client {

// For a whole call and its response.
inline constexpr base::Duration kDeadline = std::chrono::seconds(30);

struct Profile {
  std::string endpoint;     // "http://127.0.0.1:4566"
  std::string socket = {};  // a unix socket to connect to instead, or ""
  signing::Credentials credentials;
  std::string region;
  std::string ca_file = {};  // https: trusted certificates; "" = the system's
};

// The parts of an endpoint URL; an error for anything but http:// and https://.
base::Result<http::Endpoint> parse_endpoint(const std::string& url);

// The value of the Host header: "127.0.0.1:4566".
std::string host_of(const std::string& url);

// The service to call: its names on the wire, and its signing name.
struct Target {
  const wire::Service& service;
  std::string_view signing_name;
  wire::Protocol protocol;
};

// Throws std::runtime_error, with a message of one line, for an invalid endpoint.
http::Endpoint endpoint_of(const Profile& profile);

// Encoded and signed.
http::Request make_request(const Profile& profile, const Target& target, const wire::Operation& operation,
                           const void* input, base::Time now);

// Throws the service's wire::ApiError, or std::runtime_error when there is no response.
void read_response(const Profile& profile, const Target& target, const wire::Operation& operation,
                   base::Result<http::Response> response, void* output);

}  // namespace client
