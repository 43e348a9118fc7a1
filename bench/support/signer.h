// SPDX-License-Identifier: Apache-2.0
// Fast SigV4: the time-dependent part is computed once a second.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "signing/signing_key.h"

namespace bench {

// As sent by botocore 1.43 (tests/wire/golden).
inline constexpr std::string_view kUserAgent =
    "Boto3/1.43.11 md/Botocore#1.43.11 ua/2.1 os/linux#6.1.0 md/arch#x86_64 lang/python#3.11.2 md/pyimpl#CPython "
    "m/e,Z,b,N,D cfg/retry-mode#legacy Botocore/1.43.11";
inline constexpr std::string_view kSdkHeaders =
    "amz-sdk-invocation-id: f45bec3e-2a29-49fa-9473-5527f35f7192\r\namz-sdk-request: attempt=1\r\n";

struct Endpoint {
  unsigned short port = 0;
  signing::Credentials credentials;

  std::string host() const { return "127.0.0.1:" + std::to_string(port); }
};

class Signer {
 public:
  // `service` as in scopes: "sqs"
  Signer(const Endpoint& endpoint, std::string service);

  // True when the second has changed, and with it the timestamp.
  bool renew();
  const std::string& timestamp() const { return timestamp_; }
  // The Authorization header's value up to the signature.
  std::string authorization(std::string_view signed_headers) const;
  std::string sign(std::string_view canonical_request) const;

 private:
  signing::Credentials credentials_;
  std::string service_;
  std::time_t renewed_at_ = 0;
  std::string timestamp_, scope_;
  std::unique_ptr<signing::SigningKey> key_;
};

}  // namespace bench
