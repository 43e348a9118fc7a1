// SPDX-License-Identifier: Apache-2.0
// The messages are Amazon's, as recorded by projects whose tests also run against it.
#include "signing/sigv4_s3.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "signing/sigv2.h"
#include "signing/sigv4_canonical.h"
#include "signing/sigv4_claim.h"

namespace signing {
namespace {

BodyError argument_error(const std::string& message, const std::string& name, const std::string& value) {
  return BodyError(400, "InvalidArgument", message, {{"ArgumentName", name}, {"ArgumentValue", value}});
}

bool is_day(std::string_view text) {
  return text.size() == 8 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The message for an invalid credential, wherever it was.
std::string credential_words(const ClaimResult& failure) {
  const std::string quoted = "\"" + failure.given + "\"";
  if (failure.problem == ClaimProblem::Terminator) {
    return "incorrect terminal " + quoted + ". This endpoint uses \"aws4_request\".";
  }
  if (failure.problem == ClaimProblem::ScopeDate && !is_day(failure.given)) {
    return "incorrect date format " + quoted + ". This date in the credential must be in the format \"yyyyMMdd\".";
  }
  if (failure.problem == ClaimProblem::ScopeDate) {
    return "Invalid credential date " + quoted + ". This date is not the same as X-Amz-Date: \"" +
           failure.claim.timestamp.substr(0, 8) + "\".";
  }
  return "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".";
}

BodyError header_error(const ClaimResult& failure) {
  auto malformed = [](const std::string& words) {
    return BodyError(400, "AuthorizationHeaderMalformed", "The authorization header is malformed; " + words);
  };
  switch (failure.problem) {
    case ClaimProblem::Parts:
      return malformed("the authorization header requires three components: Credential, SignedHeaders, and Signature.");
    case ClaimProblem::Date:
      return BodyError(403, "AccessDenied", "AWS authentication requires a valid Date or x-amz-date header");
    default: return malformed(credential_words(failure));
  }
}

BodyError query_error(const ClaimResult& failure) {
  auto malformed = [](const std::string& words) { return BodyError(400, "AuthorizationQueryParametersError", words); };
  switch (failure.problem) {
    case ClaimProblem::Parts:
    case ClaimProblem::Expires: return malformed(failure.message);
    case ClaimProblem::Algorithm:
      return malformed("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256\"");
    case ClaimProblem::Date: return malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
    default: return malformed("Error parsing the X-Amz-Credential parameter; " + credential_words(failure));
  }
}

BodyError missing_field(const std::string& name) {
  return argument_error("Bucket POST must contain a field named '" + name +
                            "'.  If it is specified, please check the order of the fields.",
                        name, "");
}

Claim read_form(const base::Headers& fields) {
  const std::string credential(fields.get("x-amz-credential")), date(fields.get("x-amz-date"));
  ClaimResult result;
  if (read_scope(credential, date, result)) return result.claim;
  if (result.problem == ClaimProblem::Date) {
    throw argument_error("X-Amz-Date must be formatted via ISO8601 Long format.", "X-Amz-Date", date);
  }
  throw argument_error(credential_words(result), "X-Amz-Credential", credential);
}

}  // namespace

BodyError s3_claim_error(const http::RequestHead& head, const ClaimResult& failure) {
  const std::string header(head.headers.get("Authorization"));
  if (failure.claim.version2) return BodyError(403, "AccessDenied", failure.message);
  switch (failure.problem) {
    case ClaimProblem::Missing: return BodyError(403, "AccessDenied", "Access Denied");
    case ClaimProblem::TwoMechanisms: return argument_error(failure.message, "Authorization", header);
    case ClaimProblem::Scheme: return argument_error("Unsupported Authorization Type", "Authorization", header);
    case ClaimProblem::Version2: return BodyError(400, "InvalidRequest", kVersion4Only);
    case ClaimProblem::HostUnsigned:
      return BodyError(403, "AccessDenied", "There were headers present in the request which were not signed",
                       {{"HeadersNotSigned", "host"}});
    default: break;
  }
  if (failure.claim.presigned) return query_error(failure);
  if (failure.problem == ClaimProblem::Algorithm) return BodyError(400, "InvalidRequest", kVersion4Only);
  return header_error(failure);
}

std::optional<Claim> parse_form_claim(const base::Headers& fields) {
  if (auto old = parse_form_version2(fields)) return old;
  constexpr std::array kNeeded = {"X-Amz-Signature", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date"};
  if (std::ranges::none_of(kNeeded, [&](const char* name) { return fields.find(name); })) return std::nullopt;
  for (const char* name : kNeeded) {
    if (fields.get(name).empty()) throw missing_field(name);
  }
  if (fields.get("policy").empty()) throw missing_field("policy");
  const std::string algorithm(fields.get("x-amz-algorithm")), credential(fields.get("x-amz-credential"));
  if (algorithm != kAlgorithm) {
    throw argument_error("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256\"",
                         "X-Amz-Algorithm", algorithm);
  }
  Claim claim = read_form(fields);
  if (claim.service != "s3") {
    throw argument_error("incorrect service \"" + claim.service + "\". This endpoint belongs to \"s3\".",
                         "X-Amz-Credential", credential);
  }
  claim.signature = fields.get("x-amz-signature");
  claim.session_token = fields.get("x-amz-security-token");
  return claim;
}

void verify_form(const Claim& claim, const base::Headers& fields, const SigningKey& key) {
  const std::string policy(fields.get("policy"));
  if (base::equals_in_constant_time(key.sign(policy), claim.signature)) return;
  throw BodyError(403, "SignatureDoesNotMatch",
                  "The request signature we calculated does not match the signature you provided. Check your key and "
                  "signing method.",
                  {{"AWSAccessKeyId", claim.access_key},
                   {"StringToSign", policy},
                   {"SignatureProvided", claim.signature},
                   {"StringToSignBytes", spaced_hex(policy)}});
}

}  // namespace signing
