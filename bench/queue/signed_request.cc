// SPDX-License-Identifier: Apache-2.0
#include "signed_request.h"

#include "base/bytes.h"
#include "base/hash.h"

namespace bench {
namespace {

constexpr std::string_view kSignedHeaders = "content-type;host;x-amz-date;x-amz-target;x-amzn-query-mode";

}  // namespace

SignedRequest::SignedRequest(const Endpoint& endpoint, std::string target)
    : signer_(endpoint, "sqs"), host_(endpoint.host()), target_(std::move(target)) {}

void SignedRequest::append(std::string_view body, std::string& out) {
  if (signer_.renew()) render();
  const std::size_t size = canonical_.size();
  canonical_ += base::to_hex(base::sha256(body));
  out.append(head_).append(signer_.sign(canonical_)).append("\r\n");
  canonical_.resize(size);
  out.append(kSdkHeaders).append("Content-Length: ").append(std::to_string(body.size()));
  out.append("\r\n\r\n").append(body);
}

void SignedRequest::render() {
  const std::string type = "application/x-amz-json-1.0", &time = signer_.timestamp();
  canonical_ = "POST\n/\n\ncontent-type:" + type + "\nhost:" + host_ + "\nx-amz-date:" + time +
               "\nx-amz-target:" + target_ + "\nx-amzn-query-mode:true\n\n" + std::string(kSignedHeaders) + "\n";
  head_ = "POST / HTTP/1.1\r\nHost: " + host_ + "\r\nAccept-Encoding: identity\r\nX-Amz-Target: " + target_ +
          "\r\nContent-Type: " + type + "\r\nx-amzn-query-mode: true\r\nUser-Agent: " + std::string(kUserAgent) +
          "\r\nX-Amz-Date: " + time + "\r\nAuthorization: " + signer_.authorization(kSignedHeaders);
}

}  // namespace bench
