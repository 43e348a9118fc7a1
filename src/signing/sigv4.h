// SPDX-License-Identifier: Apache-2.0
// AWS Signature Version 4: signs a client's requests, verifies a server's.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "http/message.h"
#include "signing/signing_key.h"

namespace signing {

inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
inline constexpr std::chrono::minutes kMaxClockSkew{15};
inline constexpr std::chrono::seconds kMaxPresignedExpiry{604800};

// Adds X-Amz-Date, X-Amz-Security-Token if there is a token, X-Amz-Content-Sha256 for
// s3, and Authorization. Host must be among the headers. Keeps an existing
// X-Amz-Content-Sha256.
void sign(http::Request& request, const Credentials& credentials, std::string_view region, std::string_view service,
          base::Time now);
// For clients that sign many requests.
void sign(http::Request& request, const Credentials& credentials, std::string_view region, std::string_view service,
          base::Time now, SigningKeyCache& keys);

// The request's target with a signature in its query, for clients without a key.
std::string presign(const http::RequestHead& head, const Credentials& credentials, std::string_view region,
                    std::string_view service, std::chrono::seconds expires, base::Time now);

enum class AuthError {
  None,
  Missing,          // not signed at all
  Incomplete,       // malformed, or parts are missing
  BadAlgorithm,     // unsupported kind of signature
  UnknownKey,       // unknown access key
  BadToken,         // the session token does not belong to the key
  ExpiredToken,     // the session token has expired
  BadScope,         // signed for another day, region or service
  Skewed,           // header: the date is more than 15 minutes off
  Expired,          // presigned: expired
  NotYetValid,      // presigned: signed in the future
  UnsignedHeaders,  // x-amz-* headers that the signature does not cover
  BadSignature,
  BadPayloadHash,  // the body differs from the signed one
};

// On failure `message` is Amazon's.
struct [[nodiscard]] AuthResult {
  AuthError error = AuthError::None;
  std::string message;
  std::vector<std::pair<std::string, std::string>> details = {};  // further elements of S3's error document

  explicit operator bool() const { return error == AuthError::None; }
};

// For errors found between the two steps below: UnknownKey, BadToken, BadScope.
AuthResult auth_failure(AuthError error);

// A request's unverified statement about its signature.
struct Claim {
  std::string access_key;
  std::string date;  // yyyymmdd, of the scope
  std::string region;
  std::string service;
  std::string signature;
  std::string session_token;
  std::string timestamp;  // yyyymmddThhmmssZ
  base::Time signed_at;
  std::vector<std::string> signed_headers;      // lower case, in the client's order
  std::optional<std::chrono::seconds> expires;  // presigned only
  std::string payload_hash;                     // x-amz-content-sha256 as received, or ""
  bool presigned = false;
  bool version2 = false;  // see sigv2.h: it has no scope, and signed_at is the time when it expires

  Scope scope() const { return {date, region, service}; }
  // Whether payload_hash must be the body's hash: not for UNSIGNED-PAYLOAD,
  // STREAMING-... or an absent hash.
  bool names_body_hash() const;
};

// More precise than AuthError, for services with their own messages.
enum class ClaimProblem {
  None,
  Missing,
  TwoMechanisms,  // both a header and a query
  Scheme,         // not Amazon's: "Bearer"
  Version2,       // Signature Version 2 in a header
  Algorithm,      // another unsupported algorithm
  Parts,          // some of them are missing
  Credential,     // not five parts
  Terminator,     // its last part
  HostUnsigned,
  Date,       // missing or invalid
  ScopeDate,  // differs from the day of the date
  Expires,
};

struct [[nodiscard]] ClaimResult {
  AuthError error = AuthError::None;
  std::string message;
  Claim claim;  // on failure, as far as it was parsed
  ClaimProblem problem = ClaimProblem::None;
  std::string given = {};  // the invalid value

  explicit operator bool() const { return error == AuthError::None; }
};

// First step: parses the claim in the Authorization header, or else in the query.
ClaimResult parse_claim(const http::RequestHead& head);

// Second step, with that access key's signing key. `body_sha256` is in hexadecimal.
// `s3`: paths are signed as received; other services normalise and re-encode them.
AuthResult verify(const Claim& claim, const http::RequestHead& head, std::string_view body_sha256,
                  const SigningKey& key, base::Time now, bool s3);

// Before the body is read, if the claim has a payload_hash or is presigned for s3. The
// caller must then check the body against payload_hash.
AuthResult verify_without_body(const Claim& claim, const http::RequestHead& head, const SigningKey& key, base::Time now,
                               bool s3);

}  // namespace signing
