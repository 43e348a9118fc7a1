// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/post_object.h"
#include "services/s3/objects/post_policy.h"
#include "wire/operation.h"

namespace services::s3 {
namespace {

class PostObject : public ObjectTest {
 protected:
  static constexpr char kLater[] = "2027-01-15T09:00:00Z";  // later than the test's time

  static std::string policy(const std::string& conditions, const std::string& expiration = kLater) {
    return base::to_base64(R"({"expiration":")" + expiration + R"(","conditions":[)" + conditions + "]}");
  }
  PostObjectOutput post(FormFields fields, const std::string& bytes = "hello", const std::string& file = "photo.jpg") {
    return send(&prepare_post_object, &post_object, {.Bucket = "bucket", .Fields = std::move(fields), .FileName = file}, bytes);
  }
  std::string post_error(FormFields fields, const std::string& bytes = "hello") {
    return error_of([&] { post(std::move(fields), bytes); });
  }
  // The policy has conditions for the key and the bucket, and these.
  FormFields form(const std::string& conditions, FormFields more = {}) {
    more.emplace("key", "k");
    more["policy"] = policy(R"({"bucket":"bucket"},["starts-with","$key",""])" + (conditions.empty() ? "" : "," + conditions));
    more["x-amz-signature"] = "checked elsewhere";
    return more;
  }
};

TEST_F(PostObject, AFormCreatesAnObject) {
  FormFields fields = form(R"(["eq","$Content-Type","image/jpeg"],{"x-amz-meta-Colour":"red"},["starts-with","$tagging",""])",
                           {{"key", "user/${filename}"}, {"content-type", "image/jpeg"}, {"x-amz-meta-colour", "red"},
                            {"tagging", "<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>"}});
  auto output = post(fields, "hello", "C:\\pictures\\photo.jpg");
  EXPECT_EQ(output.Status, 204);
  EXPECT_EQ(output.Location, "http://localhost:4566/bucket/user/photo.jpg");
  EXPECT_EQ(output.ETag, "\"5d41402abc4b2a76b9719d911017c592\"");
  EXPECT_FALSE(output.PostResponse);
  Got got = get("user/photo.jpg");
  EXPECT_EQ(got.bytes, "hello");
  EXPECT_EQ(got.output.ContentType, "image/jpeg");
  EXPECT_EQ(got.output.Metadata->at("colour"), "red");
  EXPECT_EQ(got.output.TagCount, 1);
}

TEST_F(PostObject, TheFormChoosesItsResponse) {
  const std::string any = R"(["starts-with","$success_action_status",""])";
  EXPECT_EQ(post(form(any, {{"success_action_status", "200"}})).Status, 200);
  EXPECT_EQ(post(form(any, {{"success_action_status", "404"}})).Status, 204);
  auto made = post(form(any, {{"key", "a b"}, {"success_action_status", "201"}}));
  EXPECT_EQ(made.Status, 201);
  EXPECT_EQ(made.PostResponse->Key, "a b");
  EXPECT_EQ(made.PostResponse->Bucket, "bucket");
  EXPECT_EQ(made.PostResponse->Location, "http://localhost:4566/bucket/a%20b");
  auto sent = post(form(R"(["starts-with","$success_action_redirect",""])",
                        {{"key", "a b"}, {"success_action_redirect", "http://example.com/done?x=1"}}));
  EXPECT_EQ(sent.Status, 303);
  EXPECT_EQ(sent.Location, "http://example.com/done?x=1&bucket=bucket&key=a%20b&etag=%225d41402abc4b2a76b9719d911017c592%22");
}

TEST_F(PostObject, AResponseWithStatus201IsXml) {
  auto made = post(form(R"(["starts-with","$success_action_status",""])", {{"success_action_status", "201"}}));
  wire::Operation operation{"PostObject", &wire::type_of<PostObjectRequest>(), &wire::type_of<PostObjectOutput>(), kPostObjectHttp};
  auto response = wire::encode_response(wire::Protocol::RestXml, {}, operation, &made, "id");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers.get("Location"), "http://localhost:4566/bucket/k");
  EXPECT_NE(response.body.find("<PostResponse><Location>http://localhost:4566/bucket/k</Location><Bucket>bucket</Bucket>"
                               "<Key>k</Key><ETag>&quot;5d41402abc4b2a76b9719d911017c592&quot;</ETag></PostResponse>"),
            std::string::npos)
      << response.body;
}

TEST_F(PostObject, FieldsMustSatisfyThePolicy) {
  EXPECT_EQ(post_error(form(R"(["eq","$acl","private"])", {{"acl", "public-read"}})), "AccessDenied");
  EXPECT_EQ(message(), R"(Invalid according to Policy: Policy Condition failed: ["eq", "$acl", "private"])");
  EXPECT_EQ(post_error(form(R"({"acl":"private"})")), "AccessDenied");
  EXPECT_EQ(post_error(form(R"(["starts-with","$key","user/"])")), "AccessDenied");
  EXPECT_EQ(message(), R"(Invalid according to Policy: Policy Condition failed: ["starts-with", "$key", "user/"])");
  EXPECT_EQ(post_error(form(R"({"bucket":"other"})")), "AccessDenied");
  EXPECT_EQ(post_error(form("", {{"x-amz-meta-a", "1"}})), "AccessDenied");
  EXPECT_EQ(message(), "Invalid according to Policy: Extra input fields: x-amz-meta-a");
  EXPECT_EQ(post_error(form("", {{"x-ignore-a", "1"}})), "");
  EXPECT_EQ(post_error(form(R"({"acl":"private"})", {{"acl", "private"}})), "");
}

TEST_F(PostObject, AnExpiredPolicyIsRejected) {
  const std::string conditions = R"({"bucket":"bucket"},["starts-with","$key",""])";
  FormFields fields{{"key", "k"}, {"policy", policy(conditions, "2027-01-15T08:00:00.000Z")}};
  EXPECT_EQ(post_error(fields), "AccessDenied");
  EXPECT_EQ(message(), "Invalid according to Policy: Policy expired.");
  now_ -= std::chrono::milliseconds(1);
  // An upload that starts in time may take longer.
  EXPECT_EQ(error_of([&] {
              send(&prepare_post_object, &post_object, {.Bucket = "bucket", .Fields = fields}, "x", {},
                   [&] { advance(std::chrono::hours(1)); });
            }),
            "");
}

TEST_F(PostObject, APolicyMustNameItsBucket) {
  EXPECT_EQ(post_error({{"key", "k"}, {"policy", policy(R"(["starts-with","$key",""])")}}), "AccessDenied");
  EXPECT_EQ(message(), "Invalid according to Policy: Extra input fields: bucket");
}

TEST_F(PostObject, AContentLengthRangeIsEnforced) {
  const std::string range = R"(["content-length-range",2,"4"])";
  EXPECT_EQ(post_error(form(range), "x"), "EntityTooSmall");
  EXPECT_EQ(detail("MinSizeAllowed"), "2");
  EXPECT_EQ(post_error(form(range), "hello"), "EntityTooLarge");
  EXPECT_EQ(post_error(form(range), "four"), "");
  const Spool spool = spool_of([&](ObjectCall& call) { prepare_post_object(call, {.Bucket = "bucket", .Fields = form(range)}); });
  EXPECT_EQ(spool.max_bytes, 4u);
}

TEST_F(PostObject, InvalidPoliciesAreRejected) {
  auto error = [&](const std::string& json) {
    return post_error({{"key", "k"}, {"policy", base::to_base64(json)}});
  };
  EXPECT_EQ(post_error({{"key", "k"}, {"policy", "%"}}), "InvalidPolicyDocument");
  for (const char* json : {"", "[]", "{", R"({"conditions":[]})", R"({"expiration":"soon","conditions":[]})",
                           R"({"expiration":"2027-01-15 09:00:00Z","conditions":[]})",
                           R"({"expiration":"2027-01-15T09:00:00+00:00","conditions":[]})",
                           R"({"expiration":"2027-01-15T09:00:00Z"})", R"({"expiration":5,"conditions":[]})",
                           R"({"expiration":"2027-01-15T09:00:00Z","conditions":[5]})",
                           R"({"expiration":"2027-01-15T09:00:00Z","conditions":[{}]})",
                           R"({"expiration":"2027-01-15T09:00:00Z","conditions":[{"a":"1","b":"2"}]})",
                           R"({"expiration":"2027-01-15T09:00:00Z","conditions":[["eq","$key"]]})",
                           R"({"expiration":"2027-01-15T09:00:00Z","conditions":[["like","$key","x"]]})"}) {
    EXPECT_EQ(error(json), "InvalidPolicyDocument") << json;
    EXPECT_TRUE(message().starts_with("Invalid Policy: "));
  }
}

TEST_F(PostObject, AConditionWithoutAFieldFails) {
  auto failed = [&](const std::string& condition) {
    EXPECT_EQ(post_error(form(condition)), "AccessDenied") << condition;
    return message();
  };
  const std::string why = "Invalid according to Policy: Policy Condition failed: ";
  EXPECT_EQ(failed(R"(["eq","key","k"])"), why + R"(["eq", "key", "k"])");
  EXPECT_EQ(failed(R"(["starts-with","key",""])"), why + R"(["starts-with", "key", ""])");
  EXPECT_EQ(failed(R"(["content-length-range","test",10])"), why + R"(["content-length-range", "test", "10"])");
  EXPECT_EQ(failed(R"(["content-length-range",-1,"5"])"), why + R"(["content-length-range", "-1", "5"])");
}

TEST_F(PostObject, AFileWithoutANameLeavesTheKeyAsItIs) {
  post(form("", {{"key", "in/${filename}"}}), "hello", "");
  EXPECT_EQ(get("in/${filename}").bytes, "hello");
}

TEST_F(PostObject, TaggingWithOtherXmlIsIgnored) {
  auto tagged = [&](const std::string& xml) { return form(R"(["starts-with","$tagging",""])", {{"tagging", xml}}); };
  EXPECT_EQ(post_error(tagged("<Other></Other>")), "");
  EXPECT_FALSE(head("k").TagCount);
  EXPECT_EQ(post_error(tagged("not xml")), "MalformedXML");
  EXPECT_EQ(post_error(tagged("<Tagging><TagSet><Tag><Value>1</Value></Tag></TagSet></Tagging>")), "MalformedXML");
}

TEST_F(PostObject, AFormNeedsAKey) {
  EXPECT_EQ(post_error({{"policy", policy("")}}), "InvalidArgument");
  EXPECT_EQ(detail("ArgumentName"), "key");
  EXPECT_EQ(post_error({{"key", "k"}}), "InvalidArgument");  // signed, but without a policy
  EXPECT_EQ(detail("ArgumentName"), "policy");
  EXPECT_EQ(post_error(form("", {{"key", std::string(1025, 'k')}})), "KeyTooLongError");
}

TEST_F(PostObject, AnonymousFormsNeedTheBucketsPolicy) {
  caller_.account = "";
  EXPECT_EQ(post_error({{"key", "k"}}), "AccessDenied");
  caller_.account = "111111111111";
  run(&put_public_access_block, {.Bucket = "bucket", .PublicAccessBlockConfiguration = {}});
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":"*","Action":"s3:PutObject","Resource":"arn:aws:s3:::bucket/in/*"}]})"});
  caller_.account = "";
  EXPECT_EQ(post_error({{"key", "k"}}), "AccessDenied");
  EXPECT_EQ(post_error({{"key", "in/${filename}"}}), "");
  caller_.account = "111111111111";
  EXPECT_EQ(get("in/photo.jpg").bytes, "hello");
}

TEST_F(PostObject, FormsRejectWhatPutObjectRejects) {
  auto error = [&](const std::string& name, const std::string& value) {
    return post_error(form(R"(["starts-with","$)" + name + R"(",""])", {{name, value}}));
  };
  EXPECT_EQ(error("acl", "public-read"), "AccessControlListNotSupported");
  EXPECT_EQ(error("x-amz-storage-class", "GLACIER"), "InvalidStorageClass");
  EXPECT_EQ(error("x-amz-server-side-encryption", "aws:kms"), "NotImplemented");
  EXPECT_EQ(error("x-amz-object-lock-retain-until-date", "2130-01-01T00:00:00Z"), "InvalidRequest");
  EXPECT_EQ(error("x-amz-object-lock-retain-until-date", "soon"), "InvalidArgument");
  EXPECT_EQ(error("x-amz-checksum-crc32", "NhCmhg=="), "");
  EXPECT_EQ(error("x-amz-checksum-crc32", "AAAAAA=="), "BadDigest");
  EXPECT_EQ(error("content-md5", "XUFAKrxLKna5cZ2REBfFkg=="), "");
  EXPECT_EQ(error("tagging", "<Tagging>"), "MalformedXML");
  const std::string any = policy(R"(["starts-with","$key",""],["starts-with","$bucket",""])");
  FormFields elsewhere{{"key", "k"}, {"bucket", "other"}, {"policy", any}};
  EXPECT_EQ(post_error(elsewhere), "InvalidArgument");
}

}  // namespace
}  // namespace services::s3
