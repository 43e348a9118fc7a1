// SPDX-License-Identifier: Apache-2.0
#include "signing/sigv4_s3.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "signing/example_key.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

const Credentials kS3Credentials{"AKIAIOSFODNN7EXAMPLE", kExampleSecret, ""};

// The result of botocore's generate_presigned_post("sigv4examplebucket", "user/user1/photo.jpg") at kExampleTime.
base::Headers example_form() {
  const std::string policy =
      "{\"expiration\": \"2015-12-29T01:00:00Z\", \"conditions\": [{\"bucket\": \"sigv4examplebucket\"}, {\"key\": "
      "\"user/user1/photo.jpg\"}, {\"x-amz-algorithm\": \"AWS4-HMAC-SHA256\"}, {\"x-amz-credential\": "
      "\"AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request\"}, {\"x-amz-date\": \"20151229T000000Z\"}]}";
  return {{"key", "user/user1/photo.jpg"},
          {"x-amz-algorithm", "AWS4-HMAC-SHA256"},
          {"x-amz-credential", "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},
          {"x-amz-date", "20151229T000000Z"},
          {"policy", base::to_base64(policy)},
          {"x-amz-signature", "3364624b39010d9b06f5d9b8c9a18a6e478d261c048159c92f2fd6fa885f14e6"}};
}

// Both steps, like a server.
BodyError form_error(const base::Headers& fields) {
  try {
    const std::optional<Claim> claim = parse_form_claim(fields);
    if (!claim) return BodyError(200, "anonymous", "nobody signed it");
    verify_form(*claim, fields, SigningKey(kS3Credentials.secret_key, claim->scope()));
  } catch (const BodyError& error) {
    return error;
  }
  return BodyError(200, "none", "it was accepted");
}

TEST(FormClaim, AcceptsAFormThatBotocoreSigned) {
  const std::optional<Claim> claim = parse_form_claim(example_form());
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->access_key, "AKIAIOSFODNN7EXAMPLE");
  EXPECT_EQ(claim->scope().text(), "20151229/us-east-1/s3/aws4_request");
  EXPECT_EQ(claim->signed_at, kExampleTime);
  EXPECT_EQ(form_error(example_form()).code(), "none");
}

TEST(FormClaim, FieldNamesAreCaseInsensitiveAndTheTokenIsKept) {
  base::Headers fields;
  for (const auto& [name, value] : example_form()) {
    fields.add(name.starts_with("x-amz-") ? "X-Amz-" + name.substr(6) : "P" + name.substr(1), value);
  }
  fields.add("X-Amz-Security-Token", "token");
  EXPECT_EQ(form_error(fields).code(), "none");
  EXPECT_EQ(parse_form_claim(fields)->session_token, "token");
}

TEST(FormClaim, RejectsAnyChangeOfThePolicyOrSignature) {
  for (const char* name : {"policy", "x-amz-signature"}) {
    base::Headers fields = example_form();
    std::string value(fields.get(name));
    value.resize(value.size() - 2);
    fields.set(name, value);
    const BodyError error = form_error(fields);
    EXPECT_EQ(error.code(), "SignatureDoesNotMatch");
    EXPECT_EQ(error.status(), 403);
    EXPECT_THAT(error.details(), Contains(Pair("StringToSign", std::string(fields.get("policy")))));
    EXPECT_THAT(error.details(), Contains(Pair("StringToSignBytes", StartsWith("65 79 4a "))));
  }
}

TEST(FormClaim, AnUnsignedFormHasNoClaim) {
  EXPECT_EQ(form_error({{"key", "k"}, {"policy", "e30="}}).code(), "anonymous");
}

TEST(FormClaim, NamesAMissingField) {
  for (const char* name : {"X-Amz-Signature", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "policy"}) {
    base::Headers fields = example_form();
    fields.set(name, "");
    const BodyError error = form_error(fields);
    EXPECT_EQ(error.code(), "InvalidArgument");
    EXPECT_EQ(error.what(), "Bucket POST must contain a field named '" + std::string(name) +
                                "'.  If it is specified, please check the order of the fields.");
    EXPECT_THAT(error.details(), ElementsAre(Pair("ArgumentName", name), Pair("ArgumentValue", "")));
  }
}

TEST(FormClaim, RejectsAnInvalidClaim) {
  auto with = [](const char* name, const char* value) {
    base::Headers fields = example_form();
    fields.set(name, value);
    return std::string(form_error(fields).what());
  };
  EXPECT_EQ(with("x-amz-credential", "AKID/20151229/us-east-1/ec2/aws4_request"),
            "incorrect service \"ec2\". This endpoint belongs to \"s3\".");
  EXPECT_THAT(with("x-amz-credential", "AKID,Signature=x"), StartsWith("the Credential is mal-formed;"));
  EXPECT_EQ(with("x-amz-credential", "AKID/20151228/us-east-1/s3/aws4_request"),
            "Invalid credential date \"20151228\". This date is not the same as X-Amz-Date: \"20151229\".");
  EXPECT_EQ(with("x-amz-date", "2015-12-29"), "X-Amz-Date must be formatted via ISO8601 Long format.");
  EXPECT_THAT(with("x-amz-algorithm", "AWS4-HMAC-SHA1"), StartsWith("X-Amz-Algorithm only supports"));
  EXPECT_THAT(with("AWSAccessKeyId", "AKID"), HasSubstr("must contain a field named 'Signature'"));
}

BodyError claim_error(const http::RequestHead& head) {
  const ClaimResult parsed = parse_claim(head);
  return parsed ? BodyError(200, "none", "it was accepted") : s3_claim_error(head, parsed);
}

http::RequestHead with_header(const std::string& authorization, const std::string& date = "20151229T000000Z") {
  http::RequestHead head{"GET", "/b/k", {{"Host", "h"}, {"Authorization", authorization}}};
  if (!date.empty()) head.headers.add("X-Amz-Date", date);
  return head;
}

std::string header_words(const std::string& credential, const std::string& date = "20151229T000000Z") {
  const BodyError error =
      claim_error(with_header("AWS4-HMAC-SHA256 Credential=" + credential + ",SignedHeaders=host,Signature=00", date));
  return error.code() + ": " + error.what();
}

TEST(S3ClaimError, RejectsAHeaderWithS3sMessages) {
  const std::string malformed = "AuthorizationHeaderMalformed: The authorization header is malformed; ";
  EXPECT_EQ(
      header_words("AKID/20151229/us-east-1/s3"),
      malformed + "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
  EXPECT_EQ(
      header_words("AKID/2015122/us-east-1/s3/aws4_request"),
      malformed + "incorrect date format \"2015122\". This date in the credential must be in the format \"yyyyMMdd\".");
  EXPECT_EQ(header_words("AKID/20151228/us-east-1/s3/aws4_request"),
            malformed + "Invalid credential date \"20151228\". This date is not the same as X-Amz-Date: \"20151229\".");
  EXPECT_EQ(header_words("AKID/20151229/us-east-1/s3/aws4_reques"),
            malformed + "incorrect terminal \"aws4_reques\". This endpoint uses \"aws4_request\".");
  for (const char* date : {"", "2015-12-29T00:00:00Z"}) {
    EXPECT_EQ(header_words("AKID/20151229/us-east-1/s3/aws4_request", date),
              "AccessDenied: AWS authentication requires a valid Date or x-amz-date header");
  }
  EXPECT_THAT(claim_error(with_header("AWS4-HMAC-SHA256 Credential=a")).what(),
              HasSubstr("requires three components: Credential, SignedHeaders, and Signature."));
}

TEST(S3ClaimError, RejectsOtherMechanisms) {
  EXPECT_THAT(claim_error(with_header("AWS AKID:frJIUN8DYpKDtOLCwo=")).what(),
              HasSubstr("Please use AWS4-HMAC-SHA256."));
  EXPECT_EQ(claim_error(with_header("AWS AKID:frJIUN8DYpKDtOLCwo=")).code(), "InvalidRequest");
  const BodyError bearer = claim_error(with_header("Bearer token"));
  EXPECT_STREQ(bearer.what(), "Unsupported Authorization Type");
  EXPECT_THAT(bearer.details(), Contains(Pair("ArgumentValue", "Bearer token")));
  http::RequestHead both = with_header("AWS4-HMAC-SHA256 Credential=a");
  both.target = "/b/k?X-Amz-Algorithm=AWS4-HMAC-SHA256";
  EXPECT_THAT(claim_error(both).what(), StartsWith("Only one auth mechanism allowed;"));
  EXPECT_EQ(claim_error({"GET", "/b/k", {{"Host", "h"}, {"Authorization", ""}}}).code(), "AccessDenied");
}

TEST(S3ClaimError, AVersion2QueryNeedsAllItsParts) {
  EXPECT_EQ(claim_error({"GET", "/b/k?AWSAccessKeyId=AKID&Signature=x%3D&Expires=1", {{"Host", "h"}}}).code(), "none");
  for (const char* query : {"AWSAccessKeyId=AKID&Signature=x%3D", "Signature=x", "AWSAccessKeyId=AKID&Expires=1"}) {
    const BodyError error = claim_error({"GET", std::string("/b/k?") + query, {{"Host", "h"}}});
    EXPECT_EQ(error.code(), "AccessDenied");
    EXPECT_STREQ(error.what(),
                 "Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters");
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(S3ClaimError, RejectsAQueryWithS3sMessages) {
  http::RequestHead head{"GET", "/b/k", {{"Host", "h"}}};
  const std::string url = presign(head, kS3Credentials, "us-east-1", "s3", 60s, kExampleTime);
  auto words = [&](const std::string& from, const std::string& to) {
    head.target = replaced(url, from, to);
    const BodyError error = claim_error(head);
    return error.code() + ": " + error.what();
  };
  const std::string parameters = "AuthorizationQueryParametersError: ";
  for (const char* name : {"Credential", "Signature", "Date", "SignedHeaders", "Expires"}) {
    EXPECT_THAT(words(std::string("X-Amz-") + name + "=", "X="),
                StartsWith(parameters + "Query-string authentication"));
  }
  EXPECT_EQ(words("Algorithm=AWS4-HMAC-SHA256", "Algorithm=AWS4-HMAC-SHA1"),
            parameters + "X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256\"");
  EXPECT_EQ(words("Date=20151229T000000Z", "Date=2015-12-29"),
            parameters + "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  EXPECT_EQ(words("Expires=60", "Expires=-1"), parameters + "X-Amz-Expires must be non-negative");
  EXPECT_EQ(words("Expires=60", "Expires=1h"), parameters + "X-Amz-Expires should be a number");
  EXPECT_THAT(words("Expires=60", "Expires=604801"), HasSubstr("X-Amz-Expires must be less than a week (in seconds)"));
  EXPECT_THAT(words("%2Faws4_request", "%2Faws4"),
              StartsWith(parameters + "Error parsing the X-Amz-Credential parameter; incorrect terminal \"aws4\""));
  EXPECT_THAT(words("SignedHeaders=host", "SignedHeaders=range"), StartsWith("AccessDenied: There were headers"));
}

AuthResult verify_head(const http::RequestHead& head, base::Time now = kExampleTime) {
  const ClaimResult parsed = parse_claim(head);
  if (!parsed) return {parsed.error, parsed.message};
  return verify_without_body(parsed.claim, head, SigningKey(kS3Credentials.secret_key, parsed.claim.scope()), now,
                             true);
}

// The following cases were all observed at Amazon.
TEST(S3Presigned, AnUnsignedHashCounts) {
  http::RequestHead head{"PUT", "/b/k", {{"Host", "h"}}};
  head.target = presign(head, kS3Credentials, "us-east-1", "s3", 60s, kExampleTime);
  EXPECT_TRUE(verify_head(head));
  head.headers.set("x-amz-content-sha256", std::string(kUnsignedPayload));
  EXPECT_TRUE(verify_head(head));
  head.headers.set("x-amz-content-sha256", base::to_hex(base::sha256("body")));
  EXPECT_EQ(verify_head(head).error, AuthError::BadSignature);
}

TEST(S3Presigned, NamesUnsignedHeaders) {
  http::RequestHead head{"PUT", "/b/k", {{"Host", "h"}}};
  head.target = presign(head, kS3Credentials, "us-east-1", "s3", 60s, kExampleTime);
  head.headers.add("Range", "bytes=0-1");
  head.headers.add("Content-Type", "text/plain");
  EXPECT_TRUE(verify_head(head));
  head.headers.add("X-Amz-Acl", "private");
  head.headers.add("x-amz-security-token", "t");
  const AuthResult result = verify_head(head);
  EXPECT_EQ(result.error, AuthError::UnsignedHeaders);
  EXPECT_THAT(result.details, ElementsAre(Pair("HeadersNotSigned", "x-amz-acl, x-amz-security-token")));
}

TEST(S3Presigned, ATokenInASignedHeaderOverridesTheOneInTheQuery) {
  http::RequestHead head{"GET", "/b/k?X-Amz-Security-Token=query", {{"Host", "h"}, {"X-Amz-Security-Token", "header"}}};
  head.target = presign(head, kS3Credentials, "us-east-1", "s3", 60s, kExampleTime);
  EXPECT_TRUE(verify_head(head));
  EXPECT_EQ(parse_claim(head).claim.session_token, "header");
}

TEST(S3Presigned, APlusInTheQueryIsASpaceAsInTheSignature) {
  const http::RequestHead head{"GET", "/b/k?X-Amz-Security-Token=a+b%2Bc", {{"Host", "h"}}};
  EXPECT_EQ(canonical_query("X-Amz-Security-Token=a+b%2Bc", true), "X-Amz-Security-Token=a%20b%2Bc");
  const std::string target = presign(head, kS3Credentials, "us-east-1", "s3", 60s, kExampleTime);
  EXPECT_EQ(parse_claim({"GET", target, {{"Host", "h"}}}).claim.session_token, "a b+c");
}

TEST(S3Presigned, IsValidFromItsDateUntilItExpires) {
  http::RequestHead head{"GET", "/b/k", {{"Host", "h"}}};
  const http::RequestHead plain = head;
  head.target = presign(plain, kS3Credentials, "us-east-1", "s3", 60s, kExampleTime);
  EXPECT_EQ(verify_head(head, kExampleTime - 16min).message, "Request is not yet valid");
  EXPECT_EQ(verify_head(head, kExampleTime + 61s).message, "Request has expired");
  head.target = presign(plain, kS3Credentials, "us-east-1", "s3", 0s, kExampleTime);
  EXPECT_EQ(verify_head(head, kExampleTime + 1ms).error, AuthError::Expired);
}

TEST(S3Verify, TheErrorOfABadSignatureContainsTheSignedText) {
  http::RequestHead head{"GET", "/b/k", {{"Host", "h"}}};
  head.target = presign(head, kS3Credentials, "us-east-1", "s3", 60s, kExampleTime);
  head.method = "PUT";
  const AuthResult result = verify_head(head);
  EXPECT_EQ(result.error, AuthError::BadSignature);
  EXPECT_THAT(result.details, Contains(Pair("CanonicalRequest", StartsWith("PUT\n/b/k\nX-Amz-Algorithm="))));
  EXPECT_THAT(result.details, Contains(Pair("CanonicalRequestBytes", StartsWith("50 55 54 0a 2f "))));
  EXPECT_THAT(result.details, Contains(Pair("StringToSign", StartsWith("AWS4-HMAC-SHA256\n20151229T000000Z\n"))));
  EXPECT_THAT(result.details, Contains(Pair("AWSAccessKeyId", "AKIAIOSFODNN7EXAMPLE")));
}

}  // namespace
}  // namespace signing
