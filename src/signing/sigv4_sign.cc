// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/hash.h"
#include "signing/sigv4.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

// Headers that proxies and HTTP libraries change: the SDKs do not sign these either.
constexpr std::array<std::string_view, 6> kUnsigned = {"authorization", "connection",        "expect",
                                                       "user-agent",    "transfer-encoding", "x-amzn-trace-id"};

std::vector<std::string> headers_to_sign(const base::Headers& headers) {
  std::vector<std::string> names;
  for (const auto& [name, value] : headers) names.push_back(base::to_lower(name));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [](const std::string& name) { return std::ranges::find(kUnsigned, name) != kUnsigned.end(); });
  return names;
}

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out.append(out.empty() ? "" : ";").append(name);
  return out;
}

// `timestamp` must outlive it.
Scope scope_of(const std::string& timestamp, std::string_view region, std::string_view service) {
  return {std::string_view(timestamp).substr(0, 8), region, service};
}

struct DatedKey {
  const std::string& timestamp;
  const Scope& scope;
  const SigningKey& key;
};

void sign_with(http::Request& request, const Credentials& credentials, const DatedKey& dated) {
  base::Headers& headers = request.head.headers;
  const bool s3 = dated.scope.service == "s3";
  headers.set("X-Amz-Date", dated.timestamp);
  if (!credentials.session_token.empty()) headers.set("X-Amz-Security-Token", credentials.session_token);
  std::string payload_hash(headers.get("X-Amz-Content-Sha256"));
  if (payload_hash.empty()) {
    payload_hash = base::to_hex(base::sha256(request.body));
    if (s3) headers.set("X-Amz-Content-Sha256", payload_hash);
  }
  std::vector<std::string> names = headers_to_sign(headers);
  Canonical form = {s3, false};
  const std::string scope = dated.scope.text();
  std::string canonical = canonical_request(request.head, names, payload_hash, form);
  std::string signature = dated.key.sign(string_to_sign(dated.timestamp, scope, canonical));
  headers.set("Authorization", std::string(kAlgorithm) + " Credential=" + credentials.access_key + "/" + scope +
                                   ", SignedHeaders=" + join(names) + ", Signature=" + signature);
}

}  // namespace

void sign(http::Request& request, const Credentials& credentials, std::string_view region, std::string_view service,
          base::Time now) {
  const std::string timestamp = iso_basic(now);
  const Scope scope = scope_of(timestamp, region, service);
  const SigningKey key(credentials.secret_key, scope);
  sign_with(request, credentials, {timestamp, scope, key});
}

void sign(http::Request& request, const Credentials& credentials, std::string_view region, std::string_view service,
          base::Time now, SigningKeyCache& keys) {
  const std::string timestamp = iso_basic(now);
  const Scope scope = scope_of(timestamp, region, service);
  const auto key = keys.get(credentials, scope);
  sign_with(request, credentials, {timestamp, scope, *key});
}

std::string presign(const http::RequestHead& head, const Credentials& credentials, std::string_view region,
                    std::string_view service, std::chrono::seconds expires, base::Time now) {
  std::string timestamp = iso_basic(now);
  Scope scope = {std::string_view(timestamp).substr(0, 8), region, service};
  bool s3 = service == "s3";
  std::vector<std::string> names = headers_to_sign(head.headers);
  http::RequestHead signed_head = head;
  std::string& target = signed_head.target;
  auto add = [&](std::string_view name, std::string_view value) {
    target += target.find('?') == std::string::npos ? '?' : '&';
    target.append(name).append("=").append(base::percent_encode(value));
  };
  add("X-Amz-Algorithm", kAlgorithm);
  add("X-Amz-Credential", credentials.access_key + "/" + scope.text());
  add("X-Amz-Date", timestamp);
  add("X-Amz-Expires", std::to_string(expires.count()));
  add("X-Amz-SignedHeaders", join(names));
  if (!credentials.session_token.empty()) add("X-Amz-Security-Token", credentials.session_token);
  std::string payload_hash(kUnsignedPayload);
  if (!s3) payload_hash = base::to_hex(base::sha256(""));
  Canonical form = {s3, true};
  std::string canonical = canonical_request(signed_head, names, payload_hash, form);
  SigningKey key(credentials.secret_key, scope);
  add("X-Amz-Signature", key.sign(string_to_sign(timestamp, scope.text(), canonical)));
  return target;
}

}  // namespace signing
