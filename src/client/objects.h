// SPDX-License-Identifier: Apache-2.0
// Objects in any S3, ours or another, by path-style addresses.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "client/request.h"

namespace client {

struct ObjectName {
  std::string bucket;
  std::string key;
};

// Parses "arn:aws:s3:::bucket/path/key"; nullopt if it is not an object's ARN.
std::optional<ObjectName> parse_object_arn(std::string_view arn);

struct ObjectRead {
  // An error is S3's own, "NoSuchKey: The specified key does not exist. status code: 404, request id: ...", or
  // reports that there was no response.
  base::Result<std::string> bytes;
  bool retryable = false;  // no response, or the server was busy
};

// The whole object; more than `most` bytes are an error. If the profile's endpoint has a path, buckets
// are below it. Throws std::runtime_error, with a message of one line, for an invalid endpoint.
boost::asio::awaitable<ObjectRead> get_object(http::IoThreads& io, Profile profile, ObjectName name, std::size_t most);
// The same by a presigned URL of that object. The profile has the endpoint.
boost::asio::awaitable<ObjectRead> get_presigned(http::IoThreads& io, Profile profile, std::string url, std::size_t most);

}  // namespace client
