// SPDX-License-Identifier: Apache-2.0
#include "signed_request.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/time.h"
#include "http/sigv4_canonical.h"

namespace bench {
namespace {

constexpr std::string_view kRegion = "us-east-1", kService = "sqs";
constexpr std::string_view kSignedHeaders = "content-type;host;x-amz-date;x-amz-target;x-amzn-query-mode";
// As botocore 1.43 sends it (tests/wire/golden).
constexpr std::string_view kUserAgent =
    "Boto3/1.43.11 md/Botocore#1.43.11 ua/2.1 os/linux#6.1.0 md/arch#x86_64 lang/python#3.11.2 md/pyimpl#CPython "
    "m/e,Z,b,N,D cfg/retry-mode#legacy Botocore/1.43.11";
constexpr std::string_view kAfterSignature =
    "\r\namz-sdk-invocation-id: f45bec3e-2a29-49fa-9473-5527f35f7192\r\namz-sdk-request: attempt=1\r\n"
    "Content-Length: ";

std::time_t coarse_now() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

}  // namespace

SignedRequest::SignedRequest(Endpoint endpoint, std::string target)
    : endpoint_(std::move(endpoint)), target_(std::move(target)) {}

void SignedRequest::append(std::string_view body, std::string& out) {
  if (const std::time_t now = coarse_now(); now != rendered_at_) render(now);
  const std::size_t size = canonical_.size();
  canonical_ += base::to_hex(base::sha256(body));
  out.append(head_).append(key_->sign(http::string_to_sign(timestamp_, scope_, canonical_)));
  canonical_.resize(size);
  out.append(kAfterSignature).append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

void SignedRequest::render(std::time_t now) {
  const std::string before = timestamp_;
  rendered_at_ = now;
  timestamp_ = http::iso_basic(base::from_seconds(now));
  const http::Scope scope = {std::string_view(timestamp_).substr(0, 8), kRegion, kService};
  if (!key_ || before.substr(0, 8) != scope.date) {
    key_ = std::make_unique<http::SigningKey>(endpoint_.credentials.secret_key, scope);
  }
  scope_ = scope.text();
  const std::string type = "application/x-amz-json-1.0", host = endpoint_.host();
  canonical_ = "POST\n/\n\ncontent-type:" + type + "\nhost:" + host + "\nx-amz-date:" + timestamp_ +
               "\nx-amz-target:" + target_ + "\nx-amzn-query-mode:true\n\n" + std::string(kSignedHeaders) + "\n";
  head_ = "POST / HTTP/1.1\r\nHost: " + host + "\r\nAccept-Encoding: identity\r\nX-Amz-Target: " + target_ +
          "\r\nContent-Type: " + type + "\r\nx-amzn-query-mode: true\r\nUser-Agent: " + std::string(kUserAgent) +
          "\r\nX-Amz-Date: " + timestamp_ + "\r\nAuthorization: " + std::string(http::kAlgorithm) +
          " Credential=" + endpoint_.credentials.access_key + "/" + scope_ +
          ", SignedHeaders=" + std::string(kSignedHeaders) + ", Signature=";
}

}  // namespace bench
