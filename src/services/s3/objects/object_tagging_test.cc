// SPDX-License-Identifier: Apache-2.0
#include "services/s3/object_fixture.h"
#include "services/s3/objects/delete_objects.h"
#include "services/s3/objects/object_tagging.h"
#include "services/s3/objects/object_tags.h"

namespace services::s3 {
namespace {

class ObjectTagging : public ObjectTest {
 protected:
  std::vector<shape::Tag> tags(const std::string& key) {
    return run(&get_object_tagging, {.Bucket = "bucket", .Key = key}).TagSet;
  }
  std::string header_error(const std::string& text) {
    return error_of([&] { read_tag_header(text); });
  }
};

TEST_F(ObjectTagging, TagsAreSetWithTheObjectOrLater) {
  put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .Key = "k", .Tagging = "colour=dark+red&empty"}, "x");
  EXPECT_EQ(tags("k"), (std::vector<shape::Tag>{{"colour", "dark red"}, {"empty", ""}}));
  EXPECT_EQ(head("k").TagCount, 2);
  run(&put_object_tagging, {.Bucket = "bucket", .Key = "k", .Tagging = {{{"a", "1"}}}});
  EXPECT_EQ(tags("k"), (std::vector<shape::Tag>{{"a", "1"}}));
  run(&delete_object_tagging, {.Bucket = "bucket", .Key = "k"});
  EXPECT_EQ(tags("k"), std::vector<shape::Tag>());
  EXPECT_FALSE(head("k").TagCount);
}

TEST_F(ObjectTagging, EachVersionHasItsOwnTags) {
  version("Enabled");
  const std::string first = *put_bytes("k", "1").VersionId;
  put_bytes("k", "2");
  auto output = run(&put_object_tagging, {.Bucket = "bucket", .Key = "k", .VersionId = first, .Tagging = {{{"a", "1"}}}});
  EXPECT_EQ(output.VersionId, first);
  EXPECT_TRUE(tags("k").empty());
  EXPECT_EQ(run(&get_object_tagging, {.Bucket = "bucket", .Key = "k", .VersionId = first}).TagSet.size(), 1u);
}

TEST_F(ObjectTagging, AMissingObjectHasNoTags) {
  EXPECT_EQ(error_of(&get_object_tagging, {.Bucket = "bucket", .Key = "k"}), "NoSuchKey");
  EXPECT_EQ(detail("Key"), "bucket/k");  // only in this operation
  EXPECT_EQ(error_of(&delete_object_tagging, {.Bucket = "bucket", .Key = "k"}), "NoSuchKey");
  EXPECT_EQ(detail("Key"), "k");
  version("Enabled");
  put_bytes("k", "1");
  const std::string marker = *run(&delete_object, {.Bucket = "bucket", .Key = "k"}).VersionId;
  EXPECT_EQ(error_of(&get_object_tagging, {.Bucket = "bucket", .Key = "k"}), "MethodNotAllowed");
  EXPECT_EQ(error_of(&delete_object_tagging, {.Bucket = "bucket", .Key = "k"}), "MethodNotAllowed");
  EXPECT_EQ(error_of(&get_object_tagging, {.Bucket = "bucket", .Key = "k", .VersionId = marker}), "MethodNotAllowed");
}

TEST_F(ObjectTagging, TagsHaveAmazonsLimits) {
  std::vector<shape::Tag> eleven;
  for (int i = 0; i < 11; ++i) eleven.push_back({"key" + std::to_string(i), ""});
  EXPECT_EQ(error_of([&] { read_tags(eleven); }), "BadRequest");
  EXPECT_EQ(message(), "Object tags cannot be greater than 10");
  eleven.pop_back();
  EXPECT_EQ(read_tags(eleven).size(), 10u);
  EXPECT_EQ(error_of([&] { read_tags({{std::string(129, 'k'), ""}}); }), "InvalidTag");
  EXPECT_EQ(error_of([&] { read_tags({{"k", std::string(257, 'v')}}); }), "InvalidTag");
  EXPECT_EQ(error_of([&] { read_tags({{"aws:mine", ""}}); }), "InvalidTag");
  EXPECT_EQ(message(), "Your TagKey cannot be prefixed with aws:");
}

TEST_F(ObjectTagging, TheTaggingHeaderIsEncodedLikeAQuery) {
  EXPECT_EQ(read_tag_header("a%3D=b%2Bc&d=%C3%A4&"), (Tags{{"a=", "b+c"}, {"d", "\xC3\xA4"}}));
  EXPECT_EQ(read_tag_header(""), Tags());
  EXPECT_EQ(header_error("a=1&a=2"), "InvalidArgument");
  EXPECT_EQ(header_error("a=%zz"), "InvalidArgument");
  EXPECT_EQ(header_error("a=%ff"), "InvalidArgument");
  EXPECT_EQ(header_error("a=b=c"), "InvalidArgument");
  EXPECT_EQ(header_error("a=b%26"), "InvalidTag");
  EXPECT_EQ(header_error("=b"), "InvalidTag");
}

}  // namespace
}  // namespace services::s3
