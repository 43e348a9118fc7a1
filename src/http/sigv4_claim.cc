// SPDX-License-Identifier: Apache-2.0
// What a request says about its own signature. The wordings are Amazon's, as clients
// report them.
#include <algorithm>

#include "base/bytes.h"
#include "http/sigv4.h"
#include "http/sigv4_canonical.h"

namespace http {
namespace {

constexpr std::size_t kMaxSignedHeaders = 100;

constexpr const char* kQueryRequires =
    "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, "
    "X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.";

// The parts that header and query both have, as views of the request.
struct Parts {
  std::string_view credential, signed_headers, signature;
};

ClaimResult refuse(AuthError error, std::string message) {
  ClaimResult result;
  result.error = error;
  result.message = std::move(message);
  return result;
}

ClaimResult unsupported(std::string_view algorithm) {
  return refuse(AuthError::BadAlgorithm, "Unsupported AWS 'algorithm': '" + std::string(algorithm) + "'.");
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
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

// Fills what a Credential says; false, with the reason, where it says it wrongly.
bool read_credential(std::string_view credential, ClaimResult& result) {
  auto fields = split(credential, '/');
  if (fields.size() != 5) {
    result = refuse(AuthError::Incomplete,
                    "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
                    "got '" +
                        std::string(credential) + "'");
    return false;
  }
  if (fields[4] != "aws4_request") {
    result = refuse(AuthError::BadScope, "Credential should be scoped with a valid terminator: 'aws4_request', not '" +
                                             std::string(fields[4]) + "'.");
    return false;
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
  if (!sane) {
    result = refuse(AuthError::Incomplete, "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  }
  return sane;
}

bool read_timestamp(std::string_view text, std::optional<base::Time> time, ClaimResult& result) {
  Claim& claim = result.claim;
  if (!time) {
    result = refuse(AuthError::Incomplete, "Date must be in ISO-8601 'basic format'. Got '" + std::string(text) +
                                               "'. See http://en.wikipedia.org/wiki/ISO_8601");
    return false;
  }
  claim.signed_at = *time;
  claim.timestamp = iso_basic(*time);
  std::string day = claim.timestamp.substr(0, 8);
  if (claim.date != day) {
    result = refuse(AuthError::BadScope,
                    "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '" +
                        claim.date + "' != '" + day + "', from '" + claim.timestamp + "'.");
    return false;
  }
  return true;
}

// Reads "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=...".
bool read_authorization(const std::string& header, Parts& parts, ClaimResult& result) {
  std::size_t space = header.find(' ');
  std::string_view algorithm = std::string_view(header).substr(0, std::min(space, header.size()));
  if (algorithm != kAlgorithm && algorithm.starts_with("AWS")) {
    result = unsupported(algorithm);
    return false;
  }
  std::string_view rest = space == std::string::npos ? std::string_view() : std::string_view(header).substr(space + 1);
  for (std::string_view part : split(rest, ',')) {
    part = trim(part);
    if (part.empty()) continue;
    std::size_t equals = part.find('=');
    if (equals == part.npos) {
      result = refuse(AuthError::Incomplete, "'" + std::string(part) +
                                                 "' not a valid key=value pair (missing equal-sign) in Authorization "
                                                 "header: '" +
                                                 header + "'.");
      return false;
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

ClaimResult from_header(const RequestHead& head, const std::string& header) {
  ClaimResult result;
  Parts parts;
  if (!read_authorization(header, parts, result)) return result;
  const std::string* amz_date = head.headers.find("X-Amz-Date");
  const std::string* date = amz_date ? amz_date : head.headers.find("Date");
  std::string missing = missing_parts(parts, date != nullptr, header);
  if (!missing.empty()) return refuse(AuthError::Incomplete, std::move(missing));
  if (!header.starts_with(std::string(kAlgorithm) + " ")) return unsupported(header.substr(0, header.find(' ')));
  if (!read_credential(parts.credential, result)) return result;
  if (!read_signed_headers(parts.signed_headers, result)) return result;
  auto time = parse_iso_basic(*date);
  if (!time && !amz_date) time = parse_http_date(*date);
  if (!read_timestamp(*date, time, result)) return result;
  result.claim.signature = parts.signature;
  result.claim.session_token = head.headers.get("X-Amz-Security-Token");
  result.claim.payload_hash = head.headers.get("X-Amz-Content-Sha256");
  return result;
}

// One parameter of the query, decoded; nullopt when it is absent or broken.
std::optional<std::string> query_parameter(std::string_view query, std::string_view name) {
  for (std::size_t at = 0; at <= query.size();) {
    std::size_t end = std::min(query.find('&', at), query.size());
    std::string_view part = query.substr(at, end - at);
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return base::percent_decode(part.substr(name.size() + 1));
    }
    at = end + 1;
  }
  return std::nullopt;
}

bool read_expiry(const std::string& text, ClaimResult& result) {
  bool digits =
      !text.empty() && text.size() <= 9 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) {
    result = refuse(AuthError::Incomplete,
                    text.starts_with('-') ? "X-Amz-Expires must be non-negative" : "X-Amz-Expires should be a number");
    return false;
  }
  std::chrono::seconds expires(std::stol(text));
  if (expires > kMaxPresignedExpiry) {
    result = refuse(AuthError::Incomplete,
                    "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be "
                    "less than 604800 seconds");
    return false;
  }
  result.claim.expires = expires;
  return true;
}

ClaimResult from_query(const RequestHead& head, const std::string& algorithm) {
  ClaimResult result;
  if (algorithm != kAlgorithm) {
    return unsupported(algorithm);
  }
  std::string_view query = head.query();
  auto credential = query_parameter(query, "X-Amz-Credential"), date = query_parameter(query, "X-Amz-Date");
  auto expires = query_parameter(query, "X-Amz-Expires"), names = query_parameter(query, "X-Amz-SignedHeaders");
  auto signature = query_parameter(query, "X-Amz-Signature");
  if (!credential || !date || !expires || !names || !signature) return refuse(AuthError::Incomplete, kQueryRequires);
  if (!read_credential(*credential, result)) return result;
  if (!read_signed_headers(*names, result)) return result;
  if (!read_timestamp(*date, parse_iso_basic(*date), result)) return result;
  if (!read_expiry(*expires, result)) return result;
  result.claim.signature = std::move(*signature);
  result.claim.session_token = query_parameter(query, "X-Amz-Security-Token").value_or("");
  result.claim.payload_hash =
      query_parameter(query, "X-Amz-Content-Sha256").value_or(std::string(head.headers.get("X-Amz-Content-Sha256")));
  result.claim.presigned = true;
  return result;
}

}  // namespace

ClaimResult parse_claim(const RequestHead& head) {
  if (const std::string* header = head.headers.find("Authorization")) return from_header(head, *header);
  if (auto algorithm = query_parameter(head.query(), "X-Amz-Algorithm")) return from_query(head, *algorithm);
  return refuse(AuthError::Missing, auth_failure(AuthError::Missing).message);
}

bool Claim::names_body_hash() const {
  return !payload_hash.empty() && payload_hash != kUnsignedPayload && !payload_hash.starts_with("STREAMING-");
}

}  // namespace http
