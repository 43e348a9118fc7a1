// SPDX-License-Identifier: Apache-2.0
// Requests as the newest SDKs send them: awsJson 1.0, signed. What stays the same is
// rendered once a second; the body's hash and the signature are computed for each.
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
