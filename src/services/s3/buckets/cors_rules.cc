// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/cors_rules.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/s3/buckets/bucket_row.h"
#include "services/s3/buckets/setting_column.h"
#include "shapes/s3/bucket_settings.h"

namespace services::s3 {
namespace {

constexpr char kVary[] = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";

wire::ApiError forbidden(const CorsRequest& question, const std::string& why) {
  return wire::ApiError("AccessForbidden", "CORSResponse: " + why, 403)
      .with("Method", question.method.empty() ? "OPTIONS" : question.method);
}

// Where there are no rules it is the bucket that is at fault, whatever was asked for.
wire::ApiError without_rules(const CorsRequest& question, const std::string& why) {
  return forbidden(question, why).with("ResourceType", "BUCKET");
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

bool allows_header(const shapes::s3::CORSRule& rule, std::string_view header) {
  if (!rule.AllowedHeaders) return false;
  return std::any_of(rule.AllowedHeaders->begin(), rule.AllowedHeaders->end(), [&](std::string_view pattern) {
    return fits_one_star(base::to_lower(pattern), base::to_lower(header));
  });
}

// The pattern of the origin, where the rule is for this question.
const std::string* fitting_origin(const shapes::s3::CORSRule& rule, const CorsRequest& question) {
  const auto& methods = rule.AllowedMethods;
  if (std::find(methods.begin(), methods.end(), question.method) == methods.end()) return nullptr;
  for (const std::string& header : question.headers) {
    if (!allows_header(rule, header)) return nullptr;
  }
  for (const std::string& origin : rule.AllowedOrigins) {
    if (fits_one_star(origin, question.origin)) return &origin;
  }
  return nullptr;
}

base::Headers headers_of(const shapes::s3::CORSRule& rule, const std::string& origin, const CorsRequest& question) {
  base::Headers headers;
  headers.add("Access-Control-Allow-Origin", origin == "*" ? "*" : question.origin);
  headers.add("Access-Control-Allow-Methods", joined(rule.AllowedMethods));
  if (!question.headers.empty()) headers.add("Access-Control-Allow-Headers", base::to_lower(joined(question.headers)));
  if (rule.ExposeHeaders && !rule.ExposeHeaders->empty()) {
    headers.add("Access-Control-Expose-Headers", joined(*rule.ExposeHeaders));
  }
  if (rule.MaxAgeSeconds) headers.add("Access-Control-Max-Age", std::to_string(*rule.MaxAgeSeconds));
  if (origin != "*") headers.add("Access-Control-Allow-Credentials", "true");
  headers.add("Vary", kVary);
  return headers;
}

}  // namespace

std::optional<base::Headers> cors_headers(Call& call, const CorsRequest& question) {
  const std::optional<Bucket> bucket = load_bucket(call.tx, question.bucket);
  std::optional<shapes::s3::CORSConfiguration> configuration;
  if (bucket) configuration = load_setting<shapes::s3::CORSConfiguration>(call.tx, *bucket, "cors");
  if (question.preflight && !bucket) throw without_rules(question, "Bucket not found");
  if (question.preflight && !configuration) throw without_rules(question, "CORS is not enabled for this bucket.");
  if (!configuration) return std::nullopt;
  for (const shapes::s3::CORSRule& rule : configuration->CORSRules) {
    if (const std::string* origin = fitting_origin(rule, question)) return headers_of(rule, *origin, question);
  }
  if (!question.preflight) return std::nullopt;
  throw forbidden(question,
                  "This CORS request is not allowed. This is usually because the evalution of Origin, request method / "
                  "Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the "
                  "resource's CORS spec.");
}

bool fits_one_star(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == text;
  const std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return text.size() >= before.size() + after.size() && text.starts_with(before) && text.ends_with(after);
}

}  // namespace services::s3
