// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/route.h"

#include <gtest/gtest.h>

#include <boost/describe/class.hpp>

namespace doors::objects {
namespace test_shapes {

struct ReadRequest {
  std::optional<std::int32_t> PartNumber;
  std::optional<std::string> VersionId;
};
BOOST_DESCRIBE_STRUCT(ReadRequest, (), (PartNumber, VersionId))

struct UploadRequest {
  std::optional<std::int32_t> PartNumber;
  std::optional<std::string> UploadId;
};
BOOST_DESCRIBE_STRUCT(UploadRequest, (), (PartNumber, UploadId))

}  // namespace test_shapes
}  // namespace doors::objects

template <>
inline constexpr auto wire::kTraits<doors::objects::test_shapes::ReadRequest> = wire::traits({
    {.member = "PartNumber", .in = wire::In::Query, .at = "partNumber"},
    {.member = "VersionId", .in = wire::In::Query, .at = "versionId"},
});
template <>
inline constexpr auto wire::kTraits<doors::objects::test_shapes::UploadRequest> = wire::traits({
    {.member = "PartNumber", .in = wire::In::Query, .at = "partNumber"},
    {.member = "UploadId", .in = wire::In::Query, .at = "uploadId"},
});

namespace doors::objects {
namespace {

services::Operation row(std::string_view name, std::string_view method, std::string_view uri,
                        const wire::TypeInfo* input = nullptr, std::string_view mark = {}) {
  services::Operation operation;
  operation.wire = {name, input, nullptr, {method, uri, 200, mark}};
  return operation;
}

services::s3::ObjectTable small_s3() {
  const wire::TypeInfo* read = &wire::type_of<test_shapes::ReadRequest>();
  const wire::TypeInfo* upload = &wire::type_of<test_shapes::UploadRequest>();
  services::s3::ObjectTable table;
  table.operations = {
      row("ListBuckets", "GET", "/"),
      row("CreateBucket", "PUT", "/{Bucket}"),
      row("ListObjects", "GET", "/{Bucket}"),
      row("ListObjectsV2", "GET", "/{Bucket}?list-type=2"),
      row("GetBucketPolicy", "GET", "/{Bucket}?policy"),
      row("GetBucketWebsite", "GET", "/{Bucket}?website"),
      row("PostObject", "POST", "/{Bucket}"),
      row("DeleteObjects", "POST", "/{Bucket}?delete"),
      row("GetObject", "GET", "/{Bucket}/{Key+}", read),
      row("GetObjectTagging", "GET", "/{Bucket}/{Key+}?tagging", read),
      row("ListParts", "GET", "/{Bucket}/{Key+}?uploadId", upload),
      row("PutObject", "PUT", "/{Bucket}/{Key+}"),
      row("CopyObject", "PUT", "/{Bucket}/{Key+}", nullptr, "x-amz-copy-source"),
      row("UploadPart", "PUT", "/{Bucket}/{Key+}?partNumber&uploadId", upload),
      row("UploadPartCopy", "PUT", "/{Bucket}/{Key+}?partNumber&uploadId", upload, "x-amz-copy-source"),
      row("CreateMultipartUpload", "POST", "/{Bucket}/{Key+}?uploads"),
  };
  table.unsupported = {"inventory", "website", "torrent"};
  return table;
}

// The operation's name, or the code of what was thrown.
std::string found(const std::string& method, const std::string& target, base::Headers headers = {}) {
  static const services::s3::ObjectTable table = small_s3();
  static const Routes routes(table);
  const http::RequestHead head{method, target, std::move(headers)};
  try {
    return std::string(routes.find(parse_place(std::string(head.path())), head).plain.wire.name);
  } catch (const wire::ApiError& error) {
    std::string text = error.code();
    for (const auto& [name, value] : error.details()) text += " " + name + "=" + value;
    const std::string_view allow = error.headers().get("Allow");
    return text + (allow.empty() ? "" : " Allow=" + std::string(allow));
  }
}

TEST(Routes, APathNamesTheServiceABucketOrAKey) {
  EXPECT_EQ(found("GET", "/"), "ListBuckets");
  EXPECT_EQ(found("GET", "/?x-id=ListBuckets"), "ListBuckets");
  EXPECT_EQ(found("GET", "/photos"), "ListObjects");
  EXPECT_EQ(found("PUT", "/photos/"), "CreateBucket");
  EXPECT_EQ(found("GET", "/photos/a"), "GetObject");
  EXPECT_EQ(found("GET", "/photos//"), "GetObject");
  EXPECT_EQ(found("GET", "/photos/a/"), "GetObject");
  EXPECT_EQ(found("GET", "/photos/../etc"), "GetObject");
}

TEST(Routes, TheMostSpecificOneWins) {
  EXPECT_EQ(found("GET", "/photos?list-type=2&prefix=a"), "ListObjectsV2");
  EXPECT_EQ(found("GET", "/photos?list-type=1"), "ListObjects");
  EXPECT_EQ(found("GET", "/photos?policy"), "GetBucketPolicy");
  EXPECT_EQ(found("GET", "/photos?policy="), "GetBucketPolicy");
  EXPECT_EQ(found("POST", "/photos?delete"), "DeleteObjects");
  EXPECT_EQ(found("POST", "/photos"), "PostObject");
  EXPECT_EQ(found("PUT", "/photos/a?partNumber=1&uploadId=x"), "UploadPart");
  EXPECT_EQ(found("PUT", "/photos/a?uploadId=x&partNumber=1", {{"X-Amz-Copy-Source", "/b/c"}}), "UploadPartCopy");
  EXPECT_EQ(found("PUT", "/photos/a", {{"x-amz-copy-source", "/b/c"}}), "CopyObject");
  EXPECT_EQ(found("POST", "/photos/a?uploads"), "CreateMultipartUpload");
  EXPECT_EQ(found("GET", "/photos/a?uploadId=x"), "ListParts");
}

TEST(Routes, ParametersThatStandForNothingAreNotLookedAt) {
  EXPECT_EQ(found("GET", "/photos/a?partNumber=3"), "GetObject");
  EXPECT_EQ(found("GET", "/photos/a?versionId=3&x-id=GetObject"), "GetObject");
  EXPECT_EQ(found("GET", "/photos/a?X-Amz-Algorithm=b&response-content-type=c&anything"), "GetObject");
  EXPECT_EQ(found("GET", "/photos/a?policy"), "GetObject");  // of buckets alone
}

TEST(Routes, WhatAmazonHasAndWeHaveNotIsNotTakenForSomethingElse) {
  EXPECT_EQ(found("GET", "/photos?inventory&id=1"), "NotImplemented Header=inventory");
  EXPECT_EQ(found("PUT", "/photos?inventory"), "NotImplemented Header=inventory");
  EXPECT_EQ(found("GET", "/photos/a?torrent"), "NotImplemented Header=torrent");
  EXPECT_EQ(found("PUT", "/photos?website"), "NotImplemented Header=website");
  EXPECT_EQ(found("GET", "/photos?website"), "GetBucketWebsite");
}

TEST(Routes, AMethodThatFitsNothingIsToldWhichDo) {
  EXPECT_EQ(found("POST", "/"), "MethodNotAllowed ResourceType=SERVICE Allow=GET");
  EXPECT_EQ(found("PATCH", "/photos"), "MethodNotAllowed ResourceType=BUCKET Allow=PUT, GET, POST");
  EXPECT_EQ(found("PUT", "/photos?policy").substr(0, 16), "MethodNotAllowed");
  EXPECT_EQ(found("PUT", "/photos/a?tagging").substr(0, 16), "MethodNotAllowed");
}

TEST(Routes, AnEscapeThatIsNoneIsRefused) {
  EXPECT_EQ(found("GET", "/%zz/a"), "InvalidURI");
  EXPECT_EQ(found("GET", "/photos?%zz"), "InvalidURI");
  EXPECT_EQ(found("GET", "//a"), "InvalidBucketName BucketName=");
}

TEST(Place, AKeyIsWhateverFollowsTheBucket) {
  const Place place = parse_place("/ph%6Ftos/a%2Fb/../c+d");
  EXPECT_EQ(place.path, "/ph%6Ftos/a%2Fb/../c+d");
  EXPECT_EQ(place.bucket, "photos");
  EXPECT_TRUE(place.key);
  EXPECT_EQ(parse_place("/photos/").depth(), 1);
  EXPECT_EQ(parse_place("/photos//").depth(), 2);
  EXPECT_EQ(parse_place("//").depth(), 0);
  EXPECT_EQ(parse_place("").depth(), 0);
}

}  // namespace
}  // namespace doors::objects
