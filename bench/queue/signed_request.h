// SPDX-License-Identifier: Apache-2.0
// Requests like the newest SDKs': awsJson 1.0, signed. The constant part is
// rendered once a second; the body's hash and the signature are computed for each request.
#pragma once

#include <string>
#include <string_view>

#include "support/signer.h"

namespace bench {

class SignedRequest {
 public:
  // `target`: "AmazonSQS.SendMessage"
  SignedRequest(const Endpoint& endpoint, std::string target);

  void append(std::string_view body, std::string& out);

 private:
  void render();

  Signer signer_;
  std::string host_, target_;
  std::string head_;       // up to the signature
  std::string canonical_;  // up to the body's hash
};

}  // namespace bench
