// SPDX-License-Identifier: Apache-2.0
// Requests as the newest SDKs send them: awsJson 1.0, signed. What stays the same is
// rendered once a second; the body's hash and the signature are computed for each.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "http/signing_key.h"

namespace bench {

struct Endpoint {
  unsigned short port = 0;
  http::Credentials credentials;

  std::string host() const { return "127.0.0.1:" + std::to_string(port); }
};

class SignedRequest {
 public:
  // `target`: "AmazonSQS.SendMessage"
  SignedRequest(Endpoint endpoint, std::string target);

  void append(std::string_view body, std::string& out);

 private:
  void render(std::time_t now);

  Endpoint endpoint_;
  std::string target_;
  std::time_t rendered_at_ = 0;
  std::string timestamp_, scope_;
  std::unique_ptr<http::SigningKey> key_;
  std::string head_;       // up to the signature
  std::string canonical_;  // up to the body's hash
};

}  // namespace bench
