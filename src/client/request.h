// SPDX-License-Identifier: Apache-2.0
// One call as bytes: what the blocking client and the one for coroutines have in common.
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

// For a whole call and its answer.
inline constexpr base::Duration kDeadline = std::chrono::seconds(30);

struct Profile {
  std::string endpoint;     // "http://127.0.0.1:4566"
  std::string socket = {};  // a unix socket that leads there, where there is one
  signing::Credentials credentials;
  std::string region;
  std::string ca_file = {};  // https: trust these; empty: those that the system trusts
};

// The parts of an endpoint URL; an error for anything but http:// and https://.
base::Result<http::Endpoint> parse_endpoint(const std::string& url);

// What the Host header says: "127.0.0.1:4566".
std::string host_of(const std::string& url);

// Which service is called: its names on the wire, and the one that it is signed for.
struct Target {
  const wire::Service& service;
  std::string_view signing_name;
  wire::Protocol protocol;
};

// Throws std::runtime_error with one clear line for an endpoint that is none.
http::Endpoint endpoint_of(const Profile& profile);

// Encoded and signed.
http::Request make_request(const Profile& profile, const Target& target, const wire::Operation& operation,
                           const void* input, base::Time now);

// Throws wire::ApiError as the service answered, and std::runtime_error where it did not.
void read_response(const Profile& profile, const Target& target, const wire::Operation& operation,
                   base::Result<http::Response> response, void* output);

}  // namespace client
