// SPDX-License-Identifier: Apache-2.0
// Objects of an S3, ours or any other, by path-style addresses.
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

// Of "arn:aws:s3:::bucket/path/key"; nullopt for what is no object's.
std::optional<ObjectName> parse_object_arn(std::string_view arn);

struct ObjectRead {
  // An error is S3's own, "NoSuchKey: The specified key does not exist. status code: 404, request id: ...", or
  // says that there was no answer.
  base::Result<std::string> bytes;
  bool may_pass = false;  // nobody answered, or whoever did was busy: another try may fare better
};

// The whole object; one of more than `most` bytes is an error. Where the profile's endpoint has a path,
// buckets are below it. Throws std::runtime_error with one clear line for an endpoint that is none.
boost::asio::awaitable<ObjectRead> get_object(http::IoThreads& io, Profile profile, ObjectName name, std::size_t most);

}  // namespace client
