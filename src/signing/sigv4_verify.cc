// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/bytes.h"
#include "signing/sigv4.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

AuthResult failure(AuthError error, std::string message) { return AuthResult{error, std::move(message), {}}; }

AuthResult check_presigned_time(const Claim& claim, base::Time now) {
  if (claim.signed_at > now + kMaxClockSkew) return failure(AuthError::NotYetValid, "Request is not yet valid");
  if (now > claim.signed_at + *claim.expires) return failure(AuthError::Expired, "Request has expired");
  return {};
}

AuthResult check_time(const Claim& claim, base::Time now) {
  if (claim.expires) return check_presigned_time(claim, now);
  if (claim.signed_at < now - kMaxClockSkew) {
    return failure(AuthError::Skewed, "Signature expired: " + claim.timestamp + " is now earlier than " +
                                          iso_basic(now - kMaxClockSkew) + " (" + iso_basic(now) + " - 15 min.)");
  }
  if (claim.signed_at > now + kMaxClockSkew) {
    return failure(AuthError::Skewed, "Signature not yet current: " + claim.timestamp + " is still later than " +
                                          iso_basic(now + kMaxClockSkew) + " (" + iso_basic(now) + " + 15 min.)");
  }
  return {};
}

bool is_amz_header(std::string_view name) {
  return name.size() > 6 && base::equals_ignoring_case(name.substr(0, 6), "x-amz-");
}

// Otherwise an intermediary could add one. The payload's hash is in the canonical request
// anyway, and S3 accepts it unsigned too.
AuthResult check_signed_headers(const Claim& claim, const http::RequestHead& head) {
  std::string unsigned_names;
  for (const base::Headers::Line& line : head.headers) {
    const std::string& name = line.first;
    if (!is_amz_header(name) || base::equals_ignoring_case(name, "x-amz-content-sha256")) continue;
    bool covered = std::ranges::any_of(claim.signed_headers, [&](const std::string& signed_name) {
      return base::equals_ignoring_case(signed_name, name);
    });
    if (!covered) unsigned_names.append(unsigned_names.empty() ? "" : ", ").append(base::to_lower(name));
  }
  if (unsigned_names.empty()) return {};
  AuthResult result =
      failure(AuthError::UnsignedHeaders, "There were headers present in the request which were not signed");
  result.details = {{"HeadersNotSigned", unsigned_names}};
  return result;
}

// S3 reports the text that it signed, so that developers can find their mistake.
AuthResult bad_s3_signature(const Claim& claim, const std::string& text, const std::string& request) {
  AuthResult result = auth_failure(AuthError::BadSignature);
  result.details = {{"AWSAccessKeyId", claim.access_key},   {"StringToSign", text},
                    {"SignatureProvided", claim.signature}, {"StringToSignBytes", spaced_hex(text)},
                    {"CanonicalRequest", request},          {"CanonicalRequestBytes", spaced_hex(request)}};
  return result;
}

AuthResult check_signature(const Claim& claim, const http::RequestHead& head, std::string_view payload_hash,
                           const SigningKey& key, base::Time now, bool s3) {
  if (auto timely = check_time(claim, now); !timely) return timely;
  if (auto covered = check_signed_headers(claim, head); !covered) return covered;
  Canonical form = {s3, claim.presigned};
  std::string request = canonical_request(head, claim.signed_headers, payload_hash, form);
  std::string text = string_to_sign(claim.timestamp, claim.scope().text(), request);
  if (base::equals_in_constant_time(key.sign(text), claim.signature)) return {};
  return s3 ? bad_s3_signature(claim, text, request) : auth_failure(AuthError::BadSignature);
}

}  // namespace

AuthResult auth_failure(AuthError error) {
  switch (error) {
    case AuthError::Missing: return {error, "Request is missing Authentication Token"};
    case AuthError::UnknownKey:
    case AuthError::BadToken: return {error, "The security token included in the request is invalid."};
    case AuthError::ExpiredToken: return {error, "The security token included in the request is expired"};
    case AuthError::BadScope: return {error, "Credential should be scoped to a valid region."};
    case AuthError::BadPayloadHash:
      return {error, "The provided 'x-amz-content-sha256' header does not match what was computed."};
    default:
      return {error,
              "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
              "Access Key and signing method. Consult the service documentation for details."};
  }
}

AuthResult verify(const Claim& claim, const http::RequestHead& head, std::string_view body_sha256,
                  const SigningKey& key, base::Time now, bool s3) {
  // Only S3 accepts a body that the signature does not cover.
  if (!s3 && !claim.payload_hash.empty() && !claim.names_body_hash()) return auth_failure(AuthError::BadSignature);
  if (!claim.payload_hash.empty() || (claim.presigned && s3)) {
    AuthResult result = verify_without_body(claim, head, key, now, s3);
    if (!result) return result;
    if (claim.names_body_hash() && claim.payload_hash != body_sha256) return auth_failure(AuthError::BadPayloadHash);
    return result;
  }
  return check_signature(claim, head, body_sha256, key, now, s3);
}

AuthResult verify_without_body(const Claim& claim, const http::RequestHead& head, const SigningKey& key, base::Time now,
                               bool s3) {
  // A presigned S3 URL is created before its body is known.
  bool unsigned_payload = claim.payload_hash.empty() && claim.presigned && s3;
  std::string_view hash = unsigned_payload ? kUnsignedPayload : std::string_view(claim.payload_hash);
  return check_signature(claim, head, hash, key, now, s3);
}

}  // namespace signing
