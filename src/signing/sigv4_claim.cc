// SPDX-License-Identifier: Apache-2.0
// Parses a request's claim. The messages are Amazon's, as clients report them.
#include "signing/sigv4_claim.h"

#include <algorithm>

#include "base/bytes.h"
#include "signing/sigv2.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

constexpr std::size_t kMaxSignedHeaders = 100;

constexpr const char* kQueryRequires =
    "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
    "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.";

// The parts that header and query have in common, as views of the request.
struct Parts {
  std::string_view credential, signed_headers, signature;
};

constexpr const char* kTwoMechanisms =
    "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or "
    "the "
    "Authorization header should be specified";

// Always false, so that a step can return it.
bool reject_claim(ClaimResult& result, ClaimProblem problem, AuthError error, std::string message,
                  std::string_view given) {
  result.problem = problem;
  result.error = error;
  result.message = std::move(message);
  result.given = given;
  return false;
}

bool reject_algorithm(ClaimResult& result, std::string_view algorithm) {
  const bool version2 = algorithm == "AWS";
  return reject_claim(result, version2 ? ClaimProblem::Version2 : ClaimProblem::Algorithm, AuthError::BadAlgorithm,
                      version2 ? kVersion4Only : "Unsupported AWS 'algorithm': '" + std::string(algorithm) + "'.",
                      algorithm);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find(separator, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Parses a Credential; false, with the error in `result`, if it is invalid.
bool read_credential(std::string_view credential, ClaimResult& result) {
  auto fields = split(credential, '/');
  if (fields.size() != 5) {
    return reject_claim(result, ClaimProblem::Credential, AuthError::Incomplete,
                        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
                        "got '" +
                            std::string(credential) + "'",
                        credential);
  }
  if (fields[4] != "aws4_request") {
    return reject_claim(
        result, ClaimProblem::Terminator, AuthError::BadScope,
        "Credential should be scoped with a valid terminator: 'aws4_request', not '" + std::string(fields[4]) + "'.",
        fields[4]);
  }
  result.claim.access_key = fields[0];
  result.claim.date = fields[1];
  result.claim.region = fields[2];
  result.claim.service = fields[3];
  return true;
}

bool read_signed_headers(std::string_view list, ClaimResult& result) {
  auto& names = result.claim.signed_headers;
  for (std::string_view name : split(list, ';')) {
    names.emplace_back(base::to_lower(name));
    if (names.size() > kMaxSignedHeaders) break;
  }
  bool sane = names.size() <= kMaxSignedHeaders && std::ranges::find(names, "host") != names.end();
  return sane || reject_claim(result, ClaimProblem::HostUnsigned, AuthError::Incomplete,
                              "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.", list);
}

bool read_timestamp(std::string_view text, std::optional<base::Time> time, ClaimResult& result) {
  Claim& claim = result.claim;
  if (!time) {
    return reject_claim(result, ClaimProblem::Date, AuthError::Incomplete,
                        "Date must be in ISO-8601 'basic format'. Got '" + std::string(text) +
                            "'. See http://en.wikipedia.org/wiki/ISO_8601",
                        text);
  }
  claim.signed_at = *time;
  claim.timestamp = iso_basic(*time);
  std::string day = claim.timestamp.substr(0, 8);
  if (claim.date == day) return true;
  return reject_claim(result, ClaimProblem::ScopeDate, AuthError::BadScope,
                      "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '" +
                          claim.date + "' != '" + day + "', from '" + claim.timestamp + "'.",
                      claim.date);
}

// Reads "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...".
bool read_authorization(const std::string& header, Parts& parts, ClaimResult& result) {
  std::size_t space = header.find(' ');
  std::string_view algorithm = std::string_view(header).substr(0, std::min(space, header.size()));
  if (algorithm != kAlgorithm && algorithm.starts_with("AWS")) return reject_algorithm(result, algorithm);
  std::string_view rest = space == std::string::npos ? std::string_view() : std::string_view(header).substr(space + 1);
  for (std::string_view part : split(rest, ',')) {
    part = base::trim(part);
    if (part.empty()) continue;
    std::size_t equals = part.find('=');
    if (equals == part.npos) {
      return reject_claim(
          result, algorithm == kAlgorithm ? ClaimProblem::Parts : ClaimProblem::Scheme, AuthError::Incomplete,
          "'" + std::string(part) + "' not a valid key=value pair (missing equal-sign) in Authorization header: '" +
              header + "'.",
          header);
    }
    std::string_view name = part.substr(0, equals), value = part.substr(equals + 1);
    if (name == "Credential") parts.credential = value;
    if (name == "SignedHeaders") parts.signed_headers = value;
    if (name == "Signature") parts.signature = value;
  }
  return true;
}

std::string missing_parts(const Parts& parts, bool dated, const std::string& header) {
  std::string message;
  if (parts.credential.empty()) message += "Authorization header requires 'Credential' parameter. ";
  if (parts.signature.empty()) message += "Authorization header requires 'Signature' parameter. ";
  if (parts.signed_headers.empty()) message += "Authorization header requires 'SignedHeaders' parameter. ";
  if (!dated) message += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  if (!message.empty()) message += "Authorization=" + header;
  return message;
}

bool read_header(const http::RequestHead& head, const std::string& header, ClaimResult& result) {
  Parts parts;
  if (!read_authorization(header, parts, result)) return false;
  const std::string* amz_date = head.headers.find("X-Amz-Date");
  const std::string* date = amz_date ? amz_date : head.headers.find("Date");
  std::string missing = missing_parts(parts, date != nullptr, header);
  if (!missing.empty()) {
    const bool only_date = !parts.credential.empty() && !parts.signature.empty() && !parts.signed_headers.empty();
    return reject_claim(result, only_date ? ClaimProblem::Date : ClaimProblem::Parts, AuthError::Incomplete,
                        std::move(missing), "");
  }
  if (!header.starts_with(std::string(kAlgorithm) + " ")) {
    return reject_algorithm(result, header.substr(0, header.find(' ')));
  }
  if (!read_credential(parts.credential, result)) return false;
  if (!read_signed_headers(parts.signed_headers, result)) return false;
  auto time = parse_iso_basic(*date);
  if (!time && !amz_date) time = parse_http_date(*date);
  if (!read_timestamp(*date, time, result)) return false;
  result.claim.signature = parts.signature;
  result.claim.session_token = head.headers.get("X-Amz-Security-Token");
  result.claim.payload_hash = head.headers.get("X-Amz-Content-Sha256");
  return true;
}

// One parameter of the query, decoded; nullopt if it is absent or invalid.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name) {
  for (std::size_t at = 0; at <= query.size();) {
    std::size_t end = std::min(query.find('&', at), query.size());
    std::string_view part = query.substr(at, end - at);
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return base::percent_decode(part.substr(name.size() + 1), true);  // as canonical_query
    }
    at = end + 1;
  }
  return std::nullopt;
}

bool read_expiry(const std::string& text, ClaimResult& result) {
  auto reject_expiry = [&](const char* message) {
    return reject_claim(result, ClaimProblem::Expires, AuthError::Incomplete, message, text);
  };
  bool digits =
      !text.empty() && text.size() <= 9 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits && text.starts_with('-')) return reject_expiry("X-Amz-Expires must be non-negative");
  if (!digits) return reject_expiry("X-Amz-Expires should be a number");
  std::chrono::seconds expires(std::stol(text));
  if (expires > kMaxPresignedExpiry) {
    return reject_expiry(
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than "
        "604800 seconds");
  }
  result.claim.expires = expires;
  return true;
}

bool read_query(const http::RequestHead& head, const std::string& algorithm, ClaimResult& result) {
  result.claim.presigned = true;
  if (algorithm != kAlgorithm) return reject_algorithm(result, algorithm);
  std::string_view query = head.query();
  auto credential = query_parameter(query, "X-Amz-Credential"), date = query_parameter(query, "X-Amz-Date");
  auto expires = query_parameter(query, "X-Amz-Expires"), names = query_parameter(query, "X-Amz-SignedHeaders");
  auto signature = query_parameter(query, "X-Amz-Signature");
  if (!credential || !date || !expires || !names || !signature) {
    return reject_claim(result, ClaimProblem::Parts, AuthError::Incomplete, kQueryRequires, "");
  }
  if (!read_credential(*credential, result)) return false;
  if (!read_signed_headers(*names, result)) return false;
  if (!read_timestamp(*date, parse_iso_basic(*date), result)) return false;
  if (!read_expiry(*expires, result)) return false;
  result.claim.signature = std::move(*signature);
  // If there are two tokens the header's counts, as at Amazon; an unsigned one is rejected.
  const std::string* token = head.headers.find("X-Amz-Security-Token");
  result.claim.session_token = token ? *token : query_parameter(query, "X-Amz-Security-Token").value_or("");
  result.claim.payload_hash =
      query_parameter(query, "X-Amz-Content-Sha256").value_or(std::string(head.headers.get("X-Amz-Content-Sha256")));
  return true;
}

}  // namespace

bool read_scope(std::string_view credential, std::string_view date, ClaimResult& result) {
  return read_credential(credential, result) && read_timestamp(date, parse_iso_basic(date), result);
}

ClaimResult parse_claim(const http::RequestHead& head) {
  ClaimResult result;
  const std::string* header = head.headers.find("Authorization");
  if (header && header->empty()) header = nullptr;
  auto algorithm = query_parameter(head.query(), "X-Amz-Algorithm");
  if (header && algorithm) {
    reject_claim(result, ClaimProblem::TwoMechanisms, AuthError::Incomplete, kTwoMechanisms, *header);
  } else if (header) {
    read_header(head, *header, result);
  } else if (algorithm) {
    read_query(head, *algorithm, result);
  } else if (query_parameter(head.query(), "AWSAccessKeyId") || query_parameter(head.query(), "Signature")) {
    return parse_version2(head);
  } else {
    reject_claim(result, ClaimProblem::Missing, AuthError::Missing, auth_failure(AuthError::Missing).message, "");
  }
  return result;
}

bool Claim::names_body_hash() const {
  return !payload_hash.empty() && payload_hash != kUnsignedPayload && !payload_hash.starts_with("STREAMING-");
}

}  // namespace signing
