// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/cors_rules.h"

#include "services/s3/buckets/cors_operations.h"
#include "services/s3/s3_fixture.h"

namespace services::s3 {
namespace {

class Cors : public S3Test {
 protected:
  Cors() { make_bucket(); }
  std::string set(std::vector<shape::CORSRule> rules) {
    return error_of(&put_bucket_cors, {.Bucket = "bucket", .CORSConfiguration = {std::move(rules)}});
  }
  std::optional<base::Headers> ask(CorsRequest question) {
    if (question.bucket.empty()) question.bucket = "bucket";
    return with_call([&](Call& call) { return cors_headers(call, question); });
  }
  std::string refusal(const CorsRequest& question) {
    return error_of([&] { ask(question); });
  }
};

TEST_F(Cors, TheFirstRuleThatFitsAnswers) {
  set({{.AllowedMethods = {"GET"}, .AllowedOrigins = {"https://a.example"}, .MaxAgeSeconds = 60},
       {.AllowedHeaders = {{"x-amz-*"}},
        .AllowedMethods = {"GET", "PUT"},
        .AllowedOrigins = {"https://*.example"},
        .ExposeHeaders = {{"ETag", "x-amz-request-id"}},
        .MaxAgeSeconds = 3000}});
  auto get = ask({.origin = "https://a.example", .method = "GET", .preflight = true});
  EXPECT_EQ(get->get("Access-Control-Max-Age"), "60");
  EXPECT_EQ(get->get("Access-Control-Allow-Methods"), "GET");
  auto put = ask({.origin = "https://a.example", .method = "PUT", .headers = {"X-Amz-Date", "x-amz-acl"}, .preflight = true});
  EXPECT_EQ(put->get("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(put->get("Access-Control-Allow-Methods"), "GET, PUT");
  EXPECT_EQ(put->get("Access-Control-Allow-Headers"), "x-amz-date, x-amz-acl");
  EXPECT_EQ(put->get("Access-Control-Expose-Headers"), "ETag, x-amz-request-id");
  EXPECT_EQ(put->get("Access-Control-Max-Age"), "3000");
  EXPECT_EQ(put->get("Access-Control-Allow-Credentials"), "true");
  EXPECT_EQ(put->get("Vary"), "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
}

TEST_F(Cors, AnyOriginIsNoOriginForCredentials) {
  set({{.AllowedMethods = {"GET"}, .AllowedOrigins = {"*"}}});
  auto headers = ask({.origin = "https://x", .method = "GET"});
  EXPECT_EQ(headers->get("Access-Control-Allow-Origin"), "*");
  EXPECT_FALSE(headers->find("Access-Control-Allow-Credentials"));
  EXPECT_FALSE(headers->find("Access-Control-Max-Age"));
}

TEST_F(Cors, APreflightThatDoesNotFitIsForbidden) {
  EXPECT_EQ(refusal({.origin = "https://a", .method = "GET", .preflight = true}), "AccessForbidden");
  EXPECT_EQ(message(), "CORSResponse: CORS is not enabled for this bucket.");
  EXPECT_EQ(error_.status(), 403);
  EXPECT_EQ(detail("ResourceType"), "BUCKET");
  EXPECT_EQ(refusal({.bucket = "nowhere", .origin = "https://a", .method = "GET", .preflight = true}), "AccessForbidden");
  EXPECT_EQ(message(), "CORSResponse: Bucket not found");
  EXPECT_EQ(detail("ResourceType"), "BUCKET");
  set({{.AllowedMethods = {"GET"}, .AllowedOrigins = {"https://a"}}});
  EXPECT_EQ(refusal({.origin = "http://a", .method = "GET", .preflight = true}), "AccessForbidden");
  EXPECT_EQ(refusal({.origin = "https://a", .method = "PUT", .preflight = true}), "AccessForbidden");
  EXPECT_EQ(detail("Method"), "PUT");
  EXPECT_EQ(detail("ResourceType"), "");  // whoever knows the path says it
  EXPECT_EQ(refusal({.origin = "https://a", .method = "GET", .headers = {"x-a"}, .preflight = true}), "AccessForbidden");
}

TEST_F(Cors, AnAnswerThatDoesNotFitHasNoHeaders) {
  EXPECT_FALSE(ask({.origin = "https://a", .method = "GET"}));
  set({{.AllowedMethods = {"GET"}, .AllowedOrigins = {"https://a"}}});
  EXPECT_FALSE(ask({.origin = "https://b", .method = "GET"}));
  EXPECT_FALSE(ask({.bucket = "nowhere", .origin = "https://b", .method = "GET"}));
}

TEST_F(Cors, RulesKeepToAmazonsLimits) {
  EXPECT_EQ(set({}), "MalformedXML");
  EXPECT_EQ(set({{.AllowedMethods = {"GET"}}}), "MalformedXML");
  EXPECT_EQ(set({{.AllowedMethods = {"PATCH"}, .AllowedOrigins = {"*"}}}), "InvalidRequest");
  EXPECT_EQ(message(), "Found unsupported HTTP method in CORS config. Unsupported method is PATCH");
  EXPECT_EQ(set({{.AllowedMethods = {"GET"}, .AllowedOrigins = {"http://*.a.*"}}}), "InvalidRequest");
  EXPECT_EQ(message(), "AllowedOrigin \"http://*.a.*\" can not have more than one wildcard.");
  EXPECT_EQ(set({{.AllowedHeaders = {{"*a*"}}, .AllowedMethods = {"GET"}, .AllowedOrigins = {"*"}}}), "InvalidRequest");
  EXPECT_EQ(set({{.AllowedMethods = {"GET"}, .AllowedOrigins = {"*"}, .ExposeHeaders = {{"*"}}}}), "InvalidRequest");
  const shape::CORSRule rule{.AllowedMethods = {"GET"}, .AllowedOrigins = {"*"}};
  EXPECT_EQ(set(std::vector<shape::CORSRule>(101, rule)), "InvalidRequest");
  EXPECT_EQ(set(std::vector<shape::CORSRule>(100, rule)), "");
}

TEST_F(Cors, TheConfigurationIsReadAndDeleted) {
  EXPECT_EQ(error_of(&get_bucket_cors, {.Bucket = "bucket"}), "NoSuchCORSConfiguration");
  const shape::CORSRule rule{.ID = "r", .AllowedMethods = {"GET"}, .AllowedOrigins = {"*"}};
  set({rule});
  EXPECT_EQ(run(&get_bucket_cors, {.Bucket = "bucket"}).CORSRules, std::vector{rule});
  run(&delete_bucket_cors, {.Bucket = "bucket"});
  EXPECT_EQ(error_of(&get_bucket_cors, {.Bucket = "bucket"}), "NoSuchCORSConfiguration");
}

}  // namespace
}  // namespace services::s3
