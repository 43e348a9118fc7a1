// SPDX-License-Identifier: Apache-2.0
#include "support/signer.h"

#include "base/time.h"
#include "signing/sigv4_canonical.h"

namespace bench {
namespace {

constexpr std::string_view kRegion = "us-east-1";

std::time_t coarse_now() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec;
}

}  // namespace

Signer::Signer(const Endpoint& endpoint, std::string service)
    : credentials_(endpoint.credentials), service_(std::move(service)) {}

bool Signer::renew() {
  const std::time_t now = coarse_now();
  if (now == renewed_at_) return false;
  const std::string before = timestamp_;
  renewed_at_ = now;
  timestamp_ = signing::iso_basic(base::from_seconds(now));
  const signing::Scope scope = {std::string_view(timestamp_).substr(0, 8), kRegion, service_};
  if (!key_ || before.substr(0, 8) != scope.date) {
    key_ = std::make_unique<signing::SigningKey>(credentials_.secret_key, scope);
  }
  scope_ = scope.text();
  return true;
}

std::string Signer::authorization(std::string_view signed_headers) const {
  std::string out(signing::kAlgorithm);
  out.append(" Credential=").append(credentials_.access_key).append("/").append(scope_);
  return out.append(", SignedHeaders=").append(signed_headers).append(", Signature=");
}

std::string Signer::sign(std::string_view canonical_request) const {
  return key_->sign(signing::string_to_sign(timestamp_, scope_, canonical_request));
}

}  // namespace bench
