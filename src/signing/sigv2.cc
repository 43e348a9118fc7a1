// SPDX-License-Identifier: Apache-2.0
#include "signing/sigv2.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/bytes.h"
#include "base/hash.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

// The query names that the signature covers; the holder of a URL may change all others. The last line is newer than
// Signature Version 2, and no client signs those names. They are here so that a URL that lists a bucket cannot be
// turned into one that reads or changes its settings.
constexpr std::array<std::string_view, 45> kSigned = {"accelerate",
                                                      "acl",
                                                      "analytics",
                                                      "cors",
                                                      "defaultObjectAcl",
                                                      "delete",
                                                      "inventory",
                                                      "lifecycle",
                                                      "location",
                                                      "logging",
                                                      "metrics",
                                                      "notification",
                                                      "object-lock",
                                                      "partNumber",
                                                      "policy",
                                                      "replication",
                                                      "requestPayment",
                                                      "response-cache-control",
                                                      "response-content-disposition",
                                                      "response-content-encoding",
                                                      "response-content-language",
                                                      "response-content-type",
                                                      "response-expires",
                                                      "restore",
                                                      "select",
                                                      "select-type",
                                                      "storageClass",
                                                      "tagging",
                                                      "torrent",
                                                      "uploadId",
                                                      "uploads",
                                                      "versionId",
                                                      "versioning",
                                                      "versions",
                                                      "website",
                                                      "attributes",
                                                      "encryption",
                                                      "intelligent-tiering",
                                                      "legal-hold",
                                                      "metadataTable",
                                                      "ownershipControls",
                                                      "policyStatus",
                                                      "publicAccessBlock",
                                                      "renameObject",
                                                      "retention"};

constexpr std::size_t kSha1Block = 64;
constexpr std::string_view kAmz = "x-amz-";

struct Parameter {
  std::string name, value;
  bool has_value = false;
};

std::vector<Parameter> parameters_of(std::string_view query) {
  std::vector<Parameter> found;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const std::string_view name = pair.substr(0, equals);
    const std::string_view value = equals == pair.npos ? std::string_view() : pair.substr(equals + 1);
    found.push_back({base::percent_decode(name).value_or(std::string(name)),
                     base::percent_decode(value).value_or(std::string(value)), equals != pair.npos});
  }
  return found;
}

const Parameter* find(const std::vector<Parameter>& parameters, std::string_view name) {
  auto same = [&](const Parameter& parameter) { return base::equals_ignoring_case(parameter.name, name); };
  auto found = std::find_if(parameters.begin(), parameters.end(), same);
  return found == parameters.end() ? nullptr : &*found;
}

std::string hmac_sha1(std::string_view key, std::string_view message) {
  std::string padded(key.size() > kSha1Block ? base::sha1(key) : std::string(key));
  padded.resize(kSha1Block, '\0');
  std::string inner = padded, outer = padded;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
  return base::sha1(outer.append(base::sha1(inner.append(message))));
}

// Query parameters count like headers: the session token is one.
std::string amz_lines(const http::RequestHead& head, const std::vector<Parameter>& parameters) {
  std::map<std::string, std::string> lines;
  auto add = [&](std::string_view name, std::string_view value) {
    std::string lower = base::to_lower(name);
    if (!lower.starts_with(kAmz)) return;
    auto [line, first] = lines.try_emplace(std::move(lower));
    if (!first) line->second += ',';
    line->second += base::trim(value);
  };
  for (const auto& [name, value] : head.headers) add(name, value);
  for (const Parameter& parameter : parameters) {
    if (!head.headers.find(parameter.name)) add(parameter.name, parameter.value);
  }
  std::string out;
  for (const auto& [name, value] : lines) out.append(name).append(":").append(value).append("\n");
  return out;
}

std::string resource_of(std::string_view path, std::vector<Parameter> parameters) {
  std::erase_if(parameters, [](const Parameter& parameter) {
    return std::find(kSigned.begin(), kSigned.end(), parameter.name) == kSigned.end();
  });
  std::stable_sort(parameters.begin(), parameters.end(),
                   [](const Parameter& a, const Parameter& b) { return a.name < b.name; });
  std::string resource(path);
  char before = '?';
  for (const Parameter& parameter : parameters) {
    resource.append(1, before).append(parameter.name);
    if (parameter.has_value) resource.append("=").append(parameter.value);
    before = '&';
  }
  return resource;
}

std::string string_to_sign(const http::RequestHead& head, std::string_view path) {
  const std::vector<Parameter> parameters = parameters_of(head.query());
  const Parameter* expires = find(parameters, "Expires");
  std::string text = head.method + "\n";
  text.append(base::trim(head.headers.get("Content-MD5"))).append("\n");
  text.append(base::trim(head.headers.get("Content-Type"))).append("\n");
  text.append(expires ? expires->value : "").append("\n");
  return text + amz_lines(head, parameters) + resource_of(path, parameters);
}

ClaimResult reject_version2(std::string message) {
  ClaimResult result;
  result.error = AuthError::Incomplete;
  result.problem = ClaimProblem::Parts;
  result.message = std::move(message);
  result.claim.presigned = result.claim.version2 = true;
  result.claim.service = "s3";
  return result;
}

// The signature covers neither.
Claim claim_of(std::string access_key, std::string signature) {
  Claim claim;
  claim.access_key = std::move(access_key);
  claim.signature = std::move(signature);
  claim.service = "s3";
  claim.region = "us-east-1";
  claim.version2 = true;
  return claim;
}

std::vector<std::pair<std::string, std::string>> details_of(const Claim& claim, const std::string& text) {
  return {{"AWSAccessKeyId", claim.access_key},
          {"StringToSign", text},
          {"SignatureProvided", claim.signature},
          {"StringToSignBytes", spaced_hex(text)}};
}

}  // namespace

ClaimResult parse_version2(const http::RequestHead& head) {
  const std::vector<Parameter> parameters = parameters_of(head.query());
  const Parameter* key = find(parameters, "AWSAccessKeyId");
  const Parameter* signature = find(parameters, "Signature");
  const Parameter* expires = find(parameters, "Expires");
  if (!key || !signature || !expires) {
    return reject_version2("Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters");
  }
  const std::string& text = expires->value;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr std::int64_t kYear9999 = 253402300799;
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > kYear9999) {
    return reject_version2("Invalid date (should be seconds since epoch): " + text);
  }
  ClaimResult result;
  result.claim = claim_of(key->value, signature->value);
  result.claim.presigned = true;
  result.claim.signed_at = base::from_millis(seconds * 1000);
  const Parameter* token = find(parameters, "x-amz-security-token");
  const std::string* header = head.headers.find("X-Amz-Security-Token");
  result.claim.session_token = header ? *header : token ? token->value : "";
  result.claim.payload_hash = head.headers.get("X-Amz-Content-Sha256");
  return result;
}

AuthResult verify_version2(const Claim& claim, const http::RequestHead& head, std::string_view path,
                           std::string_view secret, base::Time now) {
  if (now > claim.signed_at) return {AuthError::Expired, "Request has expired", {}};
  const std::string text = string_to_sign(head, path);
  auto signs = [&](const std::string& signed_text) {
    return base::equals_in_constant_time(base::to_base64(hmac_sha1(secret, signed_text)), claim.signature);
  };
  if (signs(text)) return {};
  // Newer versions of botocore sign "/bucket/" for a bucket, though they send "/bucket".
  const bool bucket_alone = path.find('/', 1) == path.npos;
  if (bucket_alone && signs(string_to_sign(head, std::string(path) + "/"))) return {};
  AuthResult result = auth_failure(AuthError::BadSignature);
  result.details = details_of(claim, text);
  return result;
}

std::optional<Claim> parse_form_version2(const base::Headers& fields) {
  if (!fields.find("AWSAccessKeyId") && !fields.find("signature")) return std::nullopt;
  for (const char* name : {"AWSAccessKeyId", "Signature", "policy"}) {
    if (!fields.get(name).empty()) continue;
    throw BodyError(400, "InvalidArgument",
                    "Bucket POST must contain a field named '" + std::string(name) +
                        "'.  If it is specified, please check the order of the fields.",
                    {{"ArgumentName", name}, {"ArgumentValue", ""}});
  }
  Claim claim = claim_of(std::string(fields.get("AWSAccessKeyId")), std::string(fields.get("signature")));
  claim.session_token = fields.get("x-amz-security-token");
  return claim;
}

void verify_form_version2(const Claim& claim, const base::Headers& fields, std::string_view secret) {
  const std::string policy(fields.get("policy"));
  if (base::equals_in_constant_time(base::to_base64(hmac_sha1(secret, policy)), claim.signature)) return;
  throw BodyError(403, "SignatureDoesNotMatch",
                  "The request signature we calculated does not match the signature you provided. Check your key and "
                  "signing method.",
                  details_of(claim, policy));
}

}  // namespace signing
