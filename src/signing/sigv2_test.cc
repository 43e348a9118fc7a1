// SPDX-License-Identifier: Apache-2.0
#include "signing/sigv2.h"

#include <gmock/gmock.h>

#include "signing/example_key.h"
#include "signing/sigv4_canonical.h"
#include "signing/sigv4_s3.h"

namespace signing {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Pair;

// URLs of botocore's generate_presigned_url at kExampleTime, for 60 seconds.
constexpr const char* kGet =
    "/b/a%20b/%C3%BC%2B?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=GX%2FYwEOl28sO8xPMfE9naX%2FosWw%3D"
    "&Expires=1451347260";
constexpr const char* kPut =
    "/b/k?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=w8SB7zyXlXMNuXII3CC9dlhssP4%3D&content-type=image%2Fpng"
    "&x-amz-meta-a=b&Expires=1451347260";
constexpr const char* kSession =
    "/b/k?versionId=v1&response-content-type=text%2Fa%20b&AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE"
    "&Signature=Ol57rSZRoBs5i%2BEZWh1jnLG7rS0%3D&x-amz-security-token=TOKEN%2F%2B%3D&Expires=1451347260";
constexpr const char* kList =
    "/b?list-type=2&prefix=p&encoding-type=url&AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE"
    "&Signature=LMXn7B%2BJVtYHFGA%2FERZPSqq2%2BsY%3D&Expires=1451347260";

// Both steps, like a server.
AuthResult verified(const http::RequestHead& head, base::Time now = kExampleTime, const char* secret = kExampleSecret) {
  ClaimResult claim = parse_claim(head);
  if (!claim) return {claim.error, claim.message, {}};
  EXPECT_TRUE(claim.claim.version2 && claim.claim.presigned);
  return verify_version2(claim.claim, head, head.path(), secret, now);
}

TEST(Version2, AcceptsUrlsOfBotocore) {
  EXPECT_TRUE(verified({"GET", kGet, {{"Host", "h"}}}));
  EXPECT_TRUE(verified({"PUT", kPut, {{"Host", "h"}, {"Content-Type", "image/png"}}}));
  EXPECT_TRUE(verified({"PUT", kPut, {{"Content-Type", "image/png"}, {"x-amz-meta-a", "b"}}}));
  EXPECT_TRUE(verified({"GET", kList, {{"Host", "h"}}}));
  EXPECT_TRUE(verified({"GET", kSession, {{"Host", "h"}}}));
  EXPECT_EQ(parse_claim({"GET", kSession, {}}).claim.session_token, "TOKEN/+=");
  EXPECT_EQ(parse_claim({"GET", kGet, {}}).claim.access_key, "AKIAIOSFODNN7EXAMPLE");
}

TEST(Version2, TheBucketMayBeInTheHost) {
  const http::RequestHead head{"GET", std::string(kGet).substr(2), {{"Host", "b.h"}}};
  const ClaimResult claim = parse_claim(head);
  EXPECT_TRUE(verify_version2(claim.claim, head, "/b" + std::string(head.path()), kExampleSecret, kExampleTime));
  EXPECT_FALSE(verify_version2(claim.claim, head, head.path(), kExampleSecret, kExampleTime));
}

TEST(Version2, RejectsAChangedUrl) {
  auto error = [](const http::RequestHead& head) { return verified(head).error; };
  EXPECT_EQ(error({"PUT", kGet, {}}), AuthError::BadSignature);
  EXPECT_EQ(error({"GET", std::string(kGet).replace(3, 1, "c"), {}}), AuthError::BadSignature);
  EXPECT_EQ(error({"GET", kGet, {{"x-amz-extra", "1"}}}), AuthError::BadSignature);
  EXPECT_EQ(error({"GET", std::string(kGet) + "&acl", {}}), AuthError::BadSignature);
  EXPECT_EQ(error({"PUT", kPut, {{"Content-Type", "text/plain"}}}), AuthError::BadSignature);
  for (const char* setting : {"acl", "encryption", "publicAccessBlock", "policyStatus", "ownershipControls"}) {
    EXPECT_EQ(error({"GET", std::string(kList) + "&" + setting, {}}), AuthError::BadSignature) << setting;
  }
  EXPECT_EQ(error({"GET", std::string(kSession) + "&x-amz-meta-b=c", {}}), AuthError::BadSignature);
  const AuthResult wrong = verified({"GET", kGet, {}}, kExampleTime, "another");
  EXPECT_EQ(wrong.error, AuthError::BadSignature);
  EXPECT_THAT(wrong.details, Contains(Pair("StringToSign", "GET\n\n\n1451347260\n/b/a%20b/%C3%BC%2B")));
}

TEST(Version2, AUrlExpires) {
  EXPECT_TRUE(verified({"GET", kGet, {}}, kExampleTime + 60s));
  const AuthResult late = verified({"GET", kGet, {}}, kExampleTime + 61s);
  EXPECT_EQ(late.error, AuthError::Expired);
  EXPECT_EQ(late.message, "Request has expired");
}

TEST(Version2, TheExpiryIsInSecondsSinceTheEpoch) {
  for (const char* wrong : {"", "words", "-1", "1.5", "99999999999999999999", "253402300800"}) {
    const std::string target = "/b/k?AWSAccessKeyId=A&Signature=S&Expires=" + std::string(wrong);
    const ClaimResult claim = parse_claim({"GET", target, {}});
    EXPECT_EQ(claim.error, AuthError::Incomplete) << wrong;
    EXPECT_EQ(claim.message, "Invalid date (should be seconds since epoch): " + std::string(wrong));
  }
}

TEST(Version2, TheSignatureOfAFormCoversItsPolicy) {
  base::Headers fields{{"key", "k"},
                       {"AWSAccessKeyId", "AKIAIOSFODNN7EXAMPLE"},
                       {"policy", "eyJleHBpcmF0aW9uIjoiMjAxNS0xMi0yOVQwMTowMDowMFoiLCJjb25kaXRpb25zIjpbXX0="},
                       {"signature", "O0k28U88F5jWCvTG6/dWr97T7Go="}};
  const std::optional<Claim> claim = parse_form_claim(fields);
  ASSERT_TRUE(claim && claim->version2);
  EXPECT_EQ(claim->access_key, "AKIAIOSFODNN7EXAMPLE");
  EXPECT_NO_THROW(verify_form_version2(*claim, fields, kExampleSecret));
  EXPECT_THROW(verify_form_version2(*claim, fields, "another"), BodyError);
  fields.set("policy", "e30=");
  EXPECT_THROW(verify_form_version2(*claim, fields, kExampleSecret), BodyError);
  fields.set("signature", "");
  EXPECT_THROW(parse_form_claim(fields), BodyError);
}

}  // namespace
}  // namespace signing
