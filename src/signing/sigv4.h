// SPDX-License-Identifier: Apache-2.0
// AWS Signature Version 4: signs what a client sends, verifies what a server gets.
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

// Adds X-Amz-Date, X-Amz-Security-Token where there is one, X-Amz-Content-Sha256 for
// s3, and Authorization. Host must be among the headers. An X-Amz-Content-Sha256 that
// is there already is taken as it is.
void sign(http::Request& request, const Credentials& credentials, std::string_view region, std::string_view service,
          base::Time now);

// The request's target with a signature in its query, for whoever has no key.
std::string presign(const http::RequestHead& head, const Credentials& credentials, std::string_view region,
                    std::string_view service, std::chrono::seconds expires, base::Time now);

enum class AuthError {
  None,
  Missing,          // not signed at all
  Incomplete,       // malformed, or parts are missing
  BadAlgorithm,     // another kind of signature
  UnknownKey,       // no such access key
  BadToken,         // the session token is not that key's
  ExpiredToken,     // it was, but its time is over
  BadScope,         // signed for another day, region or service
  Skewed,           // header: the date is more than 15 minutes off
  Expired,          // presigned: its time is over
  NotYetValid,      // presigned: its time has not come
  UnsignedHeaders,  // x-amz-* headers that the signature does not cover
  BadSignature,
  BadPayloadHash,  // the body is not the one that was signed
};

// On failure `message` is worded as Amazon words it.
struct [[nodiscard]] AuthResult {
  AuthError error = AuthError::None;
  std::string message;
  std::vector<std::pair<std::string, std::string>> details = {};  // further elements of S3's answer, for S3 alone

  explicit operator bool() const { return error == AuthError::None; }
};

// For what is found out between the two steps below: UnknownKey, BadToken, BadScope.
AuthResult auth_failure(AuthError error);

// What a request says about its signature: nothing of it is proven yet.
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
  std::string payload_hash;                     // x-amz-content-sha256 as sent, or ""
  bool presigned = false;
  bool version2 = false;  // of the old kind (sigv2.h), which has no scope; signed_at is then when it expires

  Scope scope() const { return {date, region, service}; }
  // The payload's hash was signed, so it must be the body's: not for
  // UNSIGNED-PAYLOAD and STREAMING-..., nor where the client did not send one.
  bool names_body_hash() const;
};

// What is wrong with a claim, more closely than an AuthError says, for services with words of their own.
enum class ClaimProblem {
  None,
  Missing,
  TwoMechanisms,  // a header and a query that both claim something
  Scheme,         // nothing of Amazon's: "Bearer"
  Version2,       // Amazon's signatures of before 2012
  Algorithm,      // any other that is not ours
  Parts,          // some of them are missing
  Credential,     // not five parts
  Terminator,     // its last part
  HostUnsigned,
  Date,       // none, or one that can't be read
  ScopeDate,  // not the day of that date
  Expires,
};

struct [[nodiscard]] ClaimResult {
  AuthError error = AuthError::None;
  std::string message;
  Claim claim;  // on failure as far as it was read
  ClaimProblem problem = ClaimProblem::None;
  std::string given = {};  // what the problem is with

  explicit operator bool() const { return error == AuthError::None; }
};

// First step: who says that they signed this? From the Authorization header, or else
// from the query.
ClaimResult parse_claim(const http::RequestHead& head);

// Second step, with that access key's signing key. `body_sha256` is in hexadecimal.
// `s3`: its paths are signed as they are, others normalised and encoded again.
AuthResult verify(const Claim& claim, const http::RequestHead& head, std::string_view body_sha256,
                  const SigningKey& key, base::Time now, bool s3);

// The same before the body has been read, where the claim has a payload_hash or is
// presigned for s3; the caller then checks the body against payload_hash itself.
AuthResult verify_without_body(const Claim& claim, const http::RequestHead& head, const SigningKey& key, base::Time now,
                               bool s3);

}  // namespace signing
