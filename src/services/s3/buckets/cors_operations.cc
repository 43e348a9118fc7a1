// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/cors_operations.h"

#include <algorithm>

#include "base/utf8.h"
#include "services/s3/buckets/setting_column.h"
#include "services/s3/errors.h"
#include "services/s3/operations.h"

namespace services::s3 {
namespace {

constexpr char kCorsColumn[] = "cors";
constexpr std::size_t kMaxCorsRules = 100, kMaxCorsId = 255;
constexpr std::string_view kMethods[] = {"GET", "PUT", "HEAD", "POST", "DELETE"};

void check_stars(std::string_view element, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (std::count(value.begin(), value.end(), '*') <= 1) continue;
    throw invalid_request(std::string(element) + " \"" + value + "\" can not have more than one wildcard.");
  }
}

void check_rule(const shape::CORSRule& rule) {
  if (rule.AllowedMethods.empty() || rule.AllowedOrigins.empty()) throw malformed_xml();
  for (const std::string& method : rule.AllowedMethods) {
    if (std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods)) continue;
    throw invalid_request("Found unsupported HTTP method in CORS config. Unsupported method is " + method);
  }
  check_stars("AllowedOrigin", rule.AllowedOrigins);
  if (rule.AllowedHeaders) check_stars("AllowedHeader", *rule.AllowedHeaders);
  for (const std::string& header : rule.ExposeHeaders.value_or(std::vector<std::string>())) {
    if (header.find('*') == header.npos) continue;
    throw invalid_request("ExposeHeader \"" + header + "\" contains wildcard. We currently do not support wildcard for "
                          "ExposeHeader.");
  }
  if (rule.ID && base::count_characters(*rule.ID) > kMaxCorsId) {
    throw invalid_argument("ID length should not exceed allowed limit of 255", "ID", *rule.ID);
  }
}

}  // namespace

void put_bucket_cors(Call& call, const shape::PutBucketCorsRequest& request) {
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:PutBucketCORS"}, request.ExpectedBucketOwner);
  const std::vector<shape::CORSRule>& rules = request.CORSConfiguration.CORSRules;
  if (rules.empty()) throw malformed_xml();
  if (rules.size() > kMaxCorsRules) {
    throw invalid_request("The number of CORS rules should not exceed allowed limit of 100 rules.");
  }
  for (const shape::CORSRule& rule : rules) check_rule(rule);
  write_setting(call.tx, bucket, kCorsColumn, to_json(request.CORSConfiguration));
}

shape::GetBucketCorsOutput get_bucket_cors(Call& call, const shape::GetBucketCorsRequest& request) {
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:GetBucketCORS"}, request.ExpectedBucketOwner);
  auto configuration = load_setting<shape::CORSConfiguration>(call.tx, bucket, kCorsColumn);
  if (!configuration) throw not_set("NoSuchCORSConfiguration", "The CORS configuration does not exist", bucket);
  return {std::move(configuration->CORSRules)};
}

void delete_bucket_cors(Call& call, const shape::DeleteBucketCorsRequest& request) {
  const Bucket bucket = find_bucket(call, request.Bucket, {.action = "s3:PutBucketCORS"}, request.ExpectedBucketOwner);
  write_setting(call.tx, bucket, kCorsColumn, std::nullopt);
}

std::vector<ObjectOperation> cors_operations() {
  return {
      with_digest(operation<&put_bucket_cors>("PutBucketCors", Access::Write, shape::kPutBucketCorsHttp)),
      operation<&get_bucket_cors>("GetBucketCors", Access::Read, shape::kGetBucketCorsHttp),
      operation<&delete_bucket_cors>("DeleteBucketCors", Access::Write, shape::kDeleteBucketCorsHttp),
  };
}

}  // namespace services::s3
