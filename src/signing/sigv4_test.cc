// SPDX-License-Identifier: Apache-2.0
#include "signing/sigv4.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "signing/example_key.h"
#include "signing/sigv4_canonical.h"

namespace signing {
namespace {

using namespace std::chrono_literals;

const Credentials kCredentials{"AKIDEXAMPLE", kTestSuiteSecret, ""};
const Credentials kTemporary{"AKIDEXAMPLE", kTestSuiteSecret, "token/with+signs=="};
const base::Time kNow = *parse_iso_basic("20260101T003000Z");

http::Request create_queue() {
  http::Request request;
  request.head.method = "POST";
  request.head.target = "/";
  request.head.headers = {{"Host", "127.0.0.1:4566"},
                          {"X-Amz-Target", "AmazonSQS.CreateQueue"},
                          {"Content-Type", "application/x-amz-json-1.0"},
                          {"User-Agent", "x"}};
  request.body = R"({"QueueName":"q"})";
  return request;
}

http::Request put_object() {
  http::Request request;
  request.head.method = "PUT";
  request.head.target = "/bucket/a%20b/..//%C3%A9%2Bx%281%29.txt?partNumber=1&uploadId=a%2Bb%20c&acl=";
  request.head.headers = {{"Host", "127.0.0.1:4566"}, {"Expect", "100-continue"}};
  request.body = "hello";
  return request;
}

AuthResult check(const http::Request& request, base::Time now, bool s3 = false) {
  ClaimResult parsed = parse_claim(request.head);
  if (!parsed) return {parsed.error, parsed.message};
  SigningKey key(kCredentials.secret_key, parsed.claim.scope());
  return verify(parsed.claim, request.head, base::to_hex(base::sha256(request.body)), key, now, s3);
}

std::string signature_of(const http::Request& request) {
  std::string_view header = request.head.headers.get("Authorization");
  return std::string(header.substr(header.find("Signature=") + 10));
}

// The signatures in the following tests are botocore 1.43's.
TEST(Sign, SignsAJsonRequestLikeBotocore) {
  http::Request request = create_queue();
  sign(request, kCredentials, "us-east-1", "sqs", kNow);
  EXPECT_EQ(request.head.headers.get("Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/sqs/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
            "Signature=f0ab50c985a8a38b420bc316a08f420dfd68d6ebca965a759b091fd1a10efa03");
}

TEST(Sign, SignsAnS3PathUnchanged) {
  http::Request request = put_object();
  sign(request, kTemporary, "us-east-1", "s3", kNow);
  EXPECT_EQ(signature_of(request), "d040f26b08a13dac6d904cc6a5937a122377bf4d1f7efd579e32b2424156750a");
  EXPECT_EQ(request.head.headers.get("X-Amz-Content-Sha256"), base::to_hex(base::sha256("hello")));
}

TEST(Sign, KeepsKeysOfEachDayAndEachSecret) {
  SigningKeyCache keys(4);
  const Credentials other{kCredentials.access_key, "another secret", ""};
  for (const Credentials* credentials : {&kCredentials, &other, &kCredentials}) {
    for (base::Time day : {kNow, kNow, kNow + std::chrono::days(1)}) {
      http::Request kept = put_object(), fresh = put_object();
      sign(kept, *credentials, "us-east-1", "s3", day, keys);
      sign(fresh, *credentials, "us-east-1", "s3", day);
      EXPECT_EQ(signature_of(kept), signature_of(fresh));
    }
  }
}

TEST(Sign, NormalisesAndReencodesOtherPaths) {
  http::Request request;
  request.head.method = "GET";
  request.head.target = "/v2//a%20b/../c%2Fd/./e/?b=2&a=~1&a=";
  request.head.headers = {{"Host", "127.0.0.1:4566"}, {"X-Amz-Meta", "  a   b  "}};
  sign(request, kCredentials, "us-east-1", "execute-api", kNow);
  EXPECT_EQ(signature_of(request), "93d556ecd9f4553167c07e524d3b35ba78a518143bcda8d2e9962ee429ac3d5a");
}

TEST(Presign, PresignsAnS3UrlLikeBotocore) {
  http::RequestHead head{"GET", "/bucket/a%20b/key.txt?versionId=1", {{"Host", "127.0.0.1:4566"}}};
  EXPECT_EQ(presign(head, kTemporary, "us-east-1", "s3", 300s, kNow),
            "/bucket/a%20b/key.txt?versionId=1&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20260101"
            "%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20260101T003000Z&X-Amz-Expires=300&X-Amz-SignedHeaders=host&"
            "X-Amz-Security-Token=token%2Fwith%2Bsigns%3D%3D&X-Amz-Signature="
            "94d998bbb89e7d32f95ac7ea3b4bae53ccd75a26940af974386b80e0d8db1956");
}

TEST(Presign, SignsTheEmptyBodyForOtherServices) {
  http::RequestHead head{"GET", "/?Action=GetCallerIdentity&Version=2011-06-15", {{"Host", "127.0.0.1:4566"}}};
  std::string target = presign(head, kCredentials, "us-east-1", "sts", 60s, kNow);
  EXPECT_TRUE(target.ends_with("845742f09a837fc3821f26ae86e5bd8804b6423975409ccbec54440eec01097e")) << target;
}

TEST(Canonical, QueryPairsSortByEncodedNameThenValue) {
  EXPECT_EQ(canonical_query("b=1&a-b=2&a=3&a=1&c&&d=%7e", false), "a=1&a=3&a-b=2&b=1&c=&d=~");
  EXPECT_EQ(canonical_query("x=a+b&y=%zz", false), "x=a%20b&y=%25zz");
  EXPECT_EQ(canonical_query("X-Amz-Signature=1&a=2", true), "a=2");
}

TEST(Canonical, RemovesDotSegmentsExceptForS3) {
  EXPECT_EQ(canonical_path("/a/./b/../c//d/", false), "/a/c/d/");
  EXPECT_EQ(canonical_path("/..", false), "/");
  EXPECT_EQ(canonical_path("/a%20b", false), "/a%2520b");
  EXPECT_EQ(canonical_path("/a/./b/../c//d/", true), "/a/./b/../c//d/");
  EXPECT_EQ(canonical_path("/a%20b+c", true), "/a%20b%2Bc");
}

TEST(Verify, AcceptsASignedRequest) {
  http::Request request = create_queue();
  sign(request, kCredentials, "us-east-1", "sqs", kNow);
  AuthResult result = check(request, kNow);
  EXPECT_TRUE(result) << result.message;
}

TEST(Verify, AcceptsAnS3RequestWithASessionToken) {
  http::Request request = put_object();
  sign(request, kTemporary, "us-east-1", "s3", kNow);
  EXPECT_EQ(parse_claim(request.head).claim.session_token, kTemporary.session_token);
  AuthResult result = check(request, kNow, true);
  EXPECT_TRUE(result) << result.message;
}

TEST(Verify, AnUnsignedPayloadMayBeAnything) {
  http::Request request = put_object();
  request.head.headers.set("x-amz-content-sha256", std::string(kUnsignedPayload));
  sign(request, kCredentials, "us-east-1", "s3", kNow);
  request.body = "something else";
  EXPECT_TRUE(check(request, kNow, true));
}

TEST(Verify, DoesNotHashAStreamingPayload) {
  http::Request request = put_object();
  request.head.headers.set("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  sign(request, kCredentials, "us-east-1", "s3", kNow);
  ClaimResult parsed = parse_claim(request.head);
  EXPECT_EQ(parsed.claim.payload_hash, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  EXPECT_FALSE(parsed.claim.names_body_hash());
  EXPECT_TRUE(check(request, kNow, true));
}

TEST(Verify, RejectsABodyThatDoesNotMatchItsHash) {
  http::Request request = put_object();
  sign(request, kCredentials, "us-east-1", "s3", kNow);
  request.body = "hullo";
  EXPECT_EQ(check(request, kNow, true).error, AuthError::BadPayloadHash);
}

TEST(Verify, AcceptsADateHeaderInsteadOfXAmzDate) {
  http::Request request = create_queue();
  request.head.headers.set("Date", "Thu, 01 Jan 2026 00:30:00 GMT");
  std::vector<std::string> names = {"date", "host"};
  Scope scope = {"20260101", "us-east-1", "sqs"};
  request.head.headers = {{"Host", "h"}, {"Date", "Thu, 01 Jan 2026 00:30:00 GMT"}};
  std::string canonical = canonical_request(request.head, names, base::to_hex(base::sha256(request.body)), {});
  std::string signature =
      SigningKey(kCredentials.secret_key, scope).sign(string_to_sign("20260101T003000Z", scope.text(), canonical));
  request.head.headers.add("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/" + scope.text() +
                                                ",SignedHeaders=date;host,Signature=" + signature);
  AuthResult result = check(request, kNow);
  EXPECT_TRUE(result) << result.message;
}

TEST(Verify, AcceptsAClockSkewOfFifteenMinutesAndNoMore) {
  http::Request request = create_queue();
  sign(request, kCredentials, "us-east-1", "sqs", kNow);
  EXPECT_TRUE(check(request, kNow + 15min));
  EXPECT_TRUE(check(request, kNow - 15min));
  AuthResult late = check(request, kNow + 15min + 1s), early = check(request, kNow - 15min - 1s);
  EXPECT_EQ(late.error, AuthError::Skewed);
  EXPECT_EQ(late.message,
            "Signature expired: 20260101T003000Z is now earlier than 20260101T003001Z (20260101T004501Z - 15 min.)");
  EXPECT_EQ(early.error, AuthError::Skewed);
  EXPECT_EQ(early.message,
            "Signature not yet current: 20260101T003000Z is still later than 20260101T002959Z (20260101T001459Z + 15 "
            "min.)");
}

TEST(Verify, APresignedUrlIsValidUntilItExpires) {
  http::Request request;
  request.head = {"GET", "/bucket/key", {{"Host", "127.0.0.1:4566"}}};
  request.head.target = presign(request.head, kTemporary, "us-east-1", "s3", 300s, kNow);
  EXPECT_TRUE(check(request, kNow, true));
  EXPECT_TRUE(check(request, kNow + 300s, true));
  EXPECT_EQ(check(request, kNow + 301s, true).error, AuthError::Expired);
  EXPECT_TRUE(check(request, kNow - 15min, true));
  EXPECT_EQ(check(request, kNow - 15min - 1s, true).error, AuthError::NotYetValid);
}

TEST(Verify, APresignedUrlOfAnotherServiceSignsItsBody) {
  http::Request request;
  request.head = {"GET", "/?Action=GetCallerIdentity", {{"Host", "127.0.0.1:4566"}}};
  request.head.target = presign(request.head, kCredentials, "us-east-1", "sts", 60s, kNow);
  EXPECT_TRUE(check(request, kNow));
  request.body = "more";
  EXPECT_EQ(check(request, kNow).error, AuthError::BadSignature);
}

TEST(Verify, RejectsAnUnsignedAmzHeader) {
  http::Request request = create_queue();
  sign(request, kCredentials, "us-east-1", "sqs", kNow);
  request.head.headers.add("x-amz-acl", "public-read");
  EXPECT_EQ(check(request, kNow).error, AuthError::UnsignedHeaders);
}

TEST(Verify, RejectsASignedHeaderThatIsRepeated) {
  http::Request request = create_queue();
  sign(request, kCredentials, "us-east-1", "sqs", kNow);
  request.head.headers.add("X-Amz-Target", "AmazonSQS.DeleteQueue");
  EXPECT_EQ(check(request, kNow).error, AuthError::BadSignature);
}

// Flips each bit of each byte in `text` and expects the request to be rejected.
void expect_each_flip_rejected(const http::Request& original, std::string& text, const http::Request& changed, bool s3,
                               const char* what) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
      AuthResult result = check(changed, kNow, s3);
      EXPECT_FALSE(result) << what << " byte " << i << " bit " << bit << " of " << original.head.target;
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
    }
  }
}

TEST(Verify, NoFlippedBitOfMethodPathOrBodyIsAccepted) {
  http::Request original = create_queue();
  original.head.target = "/queue?Action=a";
  sign(original, kCredentials, "us-east-1", "sqs", kNow);
  http::Request changed = original;
  ASSERT_TRUE(check(changed, kNow));
  expect_each_flip_rejected(original, changed.head.method, changed, false, "method");
  expect_each_flip_rejected(original, changed.body, changed, false, "body");
  expect_each_flip_rejected(original, changed.head.target, changed, false, "target");
}

TEST(Verify, NoFlippedBitOfASignedHeaderIsAccepted) {
  http::Request original = create_queue();
  sign(original, kCredentials, "us-east-1", "sqs", kNow);
  for (const auto& [name, value] : original.head.headers) {
    if (name == "User-Agent" || name == "Authorization") continue;
    for (std::size_t i = 0; i < value.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        http::Request changed = original;
        std::string flipped = value;
        flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
        changed.head.headers.set(name, flipped);
        EXPECT_FALSE(check(changed, kNow)) << name << ": " << flipped;
      }
    }
  }
}

TEST(Verify, NoFlippedBitOfTheAuthorizationIsAccepted) {
  http::Request original = create_queue();
  sign(original, kCredentials, "us-east-1", "sqs", kNow);
  std::string header(original.head.headers.get("Authorization"));
  std::size_t names = header.find("SignedHeaders="), names_end = header.find(", Signature");
  for (std::size_t i = 0; i < header.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      // Names of signed headers are case-insensitive.
      if (bit == 5 && i > names && i < names_end) continue;
      // The access key only selects the key, and this test has one key.
      if (i >= 28 && i < header.find('/')) continue;
      std::string flipped = header;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      http::Request changed = original;
      changed.head.headers.set("Authorization", flipped);
      EXPECT_FALSE(check(changed, kNow)) << flipped;
    }
  }
}

TEST(Verify, NoFlippedBitOfAPresignedTargetIsAccepted) {
  http::Request original;
  original.head = {"GET", "/bucket/key", {{"Host", "127.0.0.1:4566"}}};
  original.head.target = presign(original.head, kTemporary, "us-east-1", "s3", 300s, kNow);
  http::Request changed = original;
  std::string& target = changed.head.target;
  for (std::size_t i = 1; i < target.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      char was = target[i];
      target[i] = static_cast<char>(was ^ (1 << bit));
      bool same_escape = canonical_query(changed.head.query(), false) == canonical_query(original.head.query(), false);
      EXPECT_TRUE(same_escape || !check(changed, kNow, true)) << target;
      target[i] = was;
    }
  }
}

TEST(ParseClaim, AnUnsignedRequestHasNoClaim) {
  ClaimResult result = parse_claim({"GET", "/", {{"Host", "h"}}});
  EXPECT_EQ(result.error, AuthError::Missing);
  EXPECT_EQ(result.message, "Request is missing Authentication Token");
}

ClaimResult parse_header(std::string authorization) {
  return parse_claim({"GET", "/", {{"Host", "h"}, {"Authorization", std::move(authorization)}}});
}

TEST(ParseClaim, NamesEachMissingPart) {
  ClaimResult result = parse_header("AWS4-HMAC-SHA256 SignedHeaders=host");
  EXPECT_EQ(result.error, AuthError::Incomplete);
  EXPECT_EQ(
      result.message,
      "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. "
      "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
      "Authorization=AWS4-HMAC-SHA256 SignedHeaders=host");
}

TEST(ParseClaim, RejectsWithAmazonsMessages) {
  EXPECT_EQ(parse_header("Bearer abc").message,
            "'abc' not a valid key=value pair (missing equal-sign) in Authorization header: 'Bearer abc'.");
  EXPECT_EQ(parse_header("AWS4-ECDSA-P256-SHA256 Credential=a").message,
            "Unsupported AWS 'algorithm': 'AWS4-ECDSA-P256-SHA256'.");
  EXPECT_EQ(parse_header("AWS AKIDEXAMPLE:abc=").error, AuthError::BadAlgorithm);
}

ClaimResult parse_dated(std::string credential, std::string date, std::string signed_headers = "host") {
  return parse_claim({"GET",
                      "/",
                      {{"Host", "h"},
                       {"X-Amz-Date", std::move(date)},
                       {"Authorization", "AWS4-HMAC-SHA256 Credential=" + credential +
                                             ", SignedHeaders=" + signed_headers + ", Signature=00"}}});
}

TEST(ParseClaim, RejectsAnInvalidScope) {
  EXPECT_EQ(parse_dated("a/b/20260101/us-east-1/sqs/aws4_request", "20260101T000000Z").message,
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got "
            "'a/b/20260101/us-east-1/sqs/aws4_request'");
  EXPECT_EQ(parse_dated("a/20260101/us-east-1/sqs/aws5_request", "20260101T000000Z").error, AuthError::BadScope);
  EXPECT_EQ(parse_dated("a/20260102/us-east-1/sqs/aws4_request", "20260101T000000Z").message,
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20260102' != "
            "'20260101', from '20260101T000000Z'.");
  EXPECT_EQ(parse_dated("a/20260101/us-east-1/sqs/aws4_request", "2026-01-01T00:00:00Z").error, AuthError::Incomplete);
  EXPECT_EQ(parse_dated("a/20260101/us-east-1/sqs/aws4_request", "20260101T000000Z", "x-amz-date").message,
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
}

TEST(ParseClaim, APresignedUrlIsValidForAWeekAtMost) {
  http::RequestHead head{"GET", "/b/k", {{"Host", "h"}}};
  http::RequestHead week = head, longer = head;
  week.target = presign(head, kCredentials, "us-east-1", "s3", kMaxPresignedExpiry, kNow);
  longer.target = presign(head, kCredentials, "us-east-1", "s3", kMaxPresignedExpiry + 1s, kNow);
  EXPECT_TRUE(parse_claim(week));
  EXPECT_EQ(parse_claim(longer).error, AuthError::Incomplete);
}

TEST(SigningKeyCache, ReturnsTheSameKeyUntilTheSecretChanges) {
  SigningKeyCache cache(2);
  Scope scope = {"20260101", "us-east-1", "sqs"};
  auto first = cache.get(kCredentials, scope);
  EXPECT_EQ(cache.get(kCredentials, scope), first);
  Credentials rotated = kCredentials;
  rotated.secret_key = "another";
  EXPECT_NE(cache.get(rotated, scope)->sign("x"), first->sign("x"));
}

TEST(SigningKeyCache, IsBounded) {
  SigningKeyCache cache(2);
  auto first = cache.get(kCredentials, {"20260101", "us-east-1", "sqs"});
  (void)cache.get(kCredentials, {"20260102", "us-east-1", "sqs"});
  (void)cache.get(kCredentials, {"20260103", "us-east-1", "sqs"});
  EXPECT_NE(cache.get(kCredentials, {"20260101", "us-east-1", "sqs"}), first);
}

}  // namespace
}  // namespace signing
