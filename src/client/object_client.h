// SPDX-License-Identifier: Apache-2.0
// Reads and writes objects of any S3, ours or another, by path-style addresses, on connections that it keeps.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "client/key_source.h"
#include "client/objects.h"
#include "client/request.h"
#include "signing/signing_key.h"

namespace client {

struct ObjectReply {
  int status = 0;         // 0: no response
  base::Headers headers;  // of the response
  std::string code;       // S3's error code, "NoSuchKey"; "" for a success, or without a response
  std::string message;    // for people; "" for a success

  bool ok() const { return status >= 200 && status < 300; }
  // Another attempt may succeed.
  bool retryable() const;
};

class ObjectClient {
 public:
  // Throws std::runtime_error, with a message of one line, for an invalid endpoint. `keys` must outlive it.
  ObjectClient(http::IoThreads& io, Profile profile, KeySource& keys);

  // Writes the object to a new file. Throws std::system_error if the file can't be written.
  boost::asio::awaitable<ObjectReply> get_to_file(ObjectName name, std::string path);
  boost::asio::awaitable<ObjectReply> head(ObjectName name);
  // `headers`: conditions, metadata, the content's type.
  boost::asio::awaitable<ObjectReply> put(ObjectName name, base::Headers headers, std::string body);

 private:
  struct Call;
  boost::asio::awaitable<http::Request> signed_request(Call call);
  boost::asio::awaitable<ObjectReply> send(Call call);
  ObjectReply reply_to(base::Result<http::Response> response);

  Profile profile_;
  std::string path_;  // of the endpoint
  KeySource& keys_;
  signing::SigningKeyCache signing_keys_;
  http::Client http_;
};

}  // namespace client
