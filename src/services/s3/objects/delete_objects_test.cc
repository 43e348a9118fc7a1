// SPDX-License-Identifier: Apache-2.0
#include "services/s3/buckets/policy_operations.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/delete_objects.h"

namespace services::s3 {
namespace {

using DeleteObjects = ObjectTest;

TEST_F(DeleteObjects, DeletingAMissingKeyIsNoError) {
  put_bytes("k", "hello");
  for (int i = 0; i < 2; ++i) {
    auto output = run(&delete_object, {.Bucket = "bucket", .Key = "k"});
    EXPECT_FALSE(output.DeleteMarker);
    EXPECT_FALSE(output.VersionId);
  }
  EXPECT_EQ(error_of([&] { get("k"); }), "NoSuchKey");
  EXPECT_EQ(count("SELECT count(*) FROM s3_blobs"), 0);
}

TEST_F(DeleteObjects, InAVersionedBucketADeletionCreatesAMarker) {
  version("Enabled");
  const std::string first = *put_bytes("k", "first").VersionId;
  auto deleted = run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_EQ(deleted.DeleteMarker, true);
  EXPECT_NE(deleted.VersionId, first);
  EXPECT_EQ(get_version("k", first), "first");
  // Without the marker the version is the latest again.
  auto undone = run(&delete_object, {.Bucket = "bucket", .Key = "k", .VersionId = deleted.VersionId});
  EXPECT_EQ(undone.DeleteMarker, true);
  EXPECT_EQ(undone.VersionId, deleted.VersionId);
  EXPECT_EQ(get("k").bytes, "first");
  auto gone = run(&delete_object, {.Bucket = "bucket", .Key = "k", .VersionId = first});
  EXPECT_FALSE(gone.DeleteMarker);
  EXPECT_EQ(gone.VersionId, first);
  EXPECT_EQ(count("SELECT count(*) FROM s3_objects"), 0);
}

TEST_F(DeleteObjects, ADeletionMayHaveACondition) {
  put_bytes("k", "hello");
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "k", .IfMatch = "\"x\""}), "PreconditionFailed");
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "missing", .IfMatch = "*"}), "NoSuchKey");
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "k", .IfMatchSize = 3}), "NotImplemented");
  EXPECT_EQ(get("k").bytes, "hello");
  run(&delete_object, {.Bucket = "bucket", .Key = "k", .IfMatch = "\"5d41402abc4b2a76b9719d911017c592\""});
  EXPECT_EQ(error_of([&] { get("k"); }), "NoSuchKey");
}

TEST_F(DeleteObjects, AGovernanceBypassIsRejected) {
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "k", .BypassGovernanceRetention = true}),
            "InvalidArgument");
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "k", .BypassGovernanceRetention = false}),
            "InvalidArgument");
  ASSERT_EQ(error_.details().size(), 1u);
  EXPECT_EQ(detail("ArgumentName"), "x-amz-bypass-governance-retention");
}

TEST_F(DeleteObjects, DeleteObjectsHasAResultForEachKey) {
  version("Enabled");
  const std::string a = *put_bytes("a", "1").VersionId;
  put_bytes("b", "2");
  shape::DeleteObjectsRequest request{.Bucket = "bucket", .Delete = {.Objects = {{.Key = "a", .VersionId = a},
                                                                               {.Key = "b"},
                                                                               {.Key = "c", .VersionId = "nonsense"},
                                                                               {.Key = "d", .ETag = "\"x\""}}}};
  auto output = run(&delete_objects, request);
  ASSERT_EQ(output.Deleted->size(), 2u);
  EXPECT_EQ(output.Deleted->at(0).Key, "a");
  EXPECT_EQ(output.Deleted->at(0).VersionId, a);
  EXPECT_FALSE(output.Deleted->at(0).DeleteMarker);
  EXPECT_EQ(output.Deleted->at(1).DeleteMarker, true);
  EXPECT_TRUE(output.Deleted->at(1).DeleteMarkerVersionId);
  EXPECT_FALSE(output.Deleted->at(1).VersionId);
  ASSERT_EQ(output.Errors->size(), 2u);
  EXPECT_EQ(output.Errors->at(0).Code, "NoSuchVersion");
  EXPECT_EQ(output.Errors->at(1).Code, "NoSuchKey");
  EXPECT_EQ(output.Errors->at(1).Key, "d");
}

TEST_F(DeleteObjects, AQuietDeletionShowsOnlyErrors) {
  put_bytes("a", "1");
  shape::DeleteObjectsRequest request{.Bucket = "bucket", .Delete = {.Objects = {{.Key = "a"}, {.Key = "b"}}, .Quiet = true}};
  auto output = run(&delete_objects, request);
  EXPECT_FALSE(output.Deleted);
  EXPECT_FALSE(output.Errors);
  EXPECT_EQ(count("SELECT count(*) FROM s3_objects"), 0);
}

TEST_F(DeleteObjects, DeleteObjectsTakesAtMostAThousandKeys) {
  shape::DeleteObjectsRequest request{.Bucket = "bucket"};
  EXPECT_EQ(error_of(&delete_objects, request), "MalformedXML");
  request.Delete.Objects.resize(1000, {.Key = "k"});
  EXPECT_EQ(error_of(&delete_objects, request), "");
  request.Delete.Objects.push_back({.Key = "k"});
  EXPECT_EQ(error_of(&delete_objects, request), "MalformedXML");
}

TEST_F(DeleteObjects, ManyKeysAreDeletedInSlicesWithOneAnswer) {
  shape::DeleteObjectsRequest request{.Bucket = "bucket"};
  for (int i = 0; i < 120; ++i) request.Delete.Objects.push_back({.Key = "k" + std::to_string(i)});
  request.Delete.Objects[70].VersionId = "nonsense";
  for (const auto& object : request.Delete.Objects) put_bytes(object.Key, "x");
  std::shared_ptr<const void> progress;
  std::vector<std::int64_t> left;
  shape::DeleteObjectsOutput output;
  for (bool more = true; more;) {
    with_call([&](ObjectCall& call) {
      call.progress = progress;
      output = delete_objects(call, request);
      more = call.wait.has_value();
      progress = call.progress;
    });
    left.push_back(count("SELECT count(*) FROM s3_objects"));
  }
  EXPECT_EQ(left, (std::vector<std::int64_t>{70, 21, 1}));
  EXPECT_EQ(output.Deleted->size(), 119u);
  EXPECT_EQ(output.Deleted->front().Key, "k0");
  EXPECT_EQ(output.Deleted->back().Key, "k119");
  ASSERT_EQ(output.Errors->size(), 1u);
  EXPECT_EQ(output.Errors->front().Key, "k70");
}

TEST_F(DeleteObjects, AccessIsCheckedForEachKey) {
  put_bytes("a", "1");
  caller_.account = "222222222222";
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "a"}), "AccessDenied");
  auto output = run(&delete_objects, {.Bucket = "bucket", .Delete = {.Objects = {{.Key = "a"}}}});
  EXPECT_FALSE(output.Deleted);
  EXPECT_EQ(output.Errors->at(0).Code, "AccessDenied");
  EXPECT_EQ(error_of(&delete_objects, {.Bucket = "nowhere", .Delete = {.Objects = {{.Key = "a"}}}}), "NoSuchBucket");
}

// The caller may delete objects, but no versions.
TEST_F(DeleteObjects, DeletingAVersionIsAnActionOfItsOwn) {
  version("Enabled");
  const std::string a = *put_bytes("a", "1").VersionId;
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":{"AWS":"222222222222"},"Action":"s3:DeleteObject","Resource":"arn:aws:s3:::bucket/*"}]})"});
  caller_.account = "222222222222";
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "a", .VersionId = a}), "AccessDenied");
  auto output = run(&delete_objects, {.Bucket = "bucket", .Delete = {.Objects = {{.Key = "a", .VersionId = a}}}});
  EXPECT_EQ(output.Errors->at(0).Code, "AccessDenied");
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "a"}), "");
}

TEST_F(DeleteObjects, ConditionsOnTagsApplyToOneDeletionAndToMany) {
  put_bytes(shape::PutObjectRequest{.Bucket = "bucket", .Key = "a", .Tagging = "keep=yes"}, "1");
  put_bytes("b", "2");
  run(&put_bucket_policy, {.Bucket = "bucket", .Policy = R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny",
      "Principal":"*","Action":"s3:DeleteObject","Resource":"arn:aws:s3:::bucket/*",
      "Condition":{"StringEquals":{"s3:ExistingObjectTag/keep":"yes"}}}]})"});
  EXPECT_EQ(error_of(&delete_object, {.Bucket = "bucket", .Key = "a"}), "AccessDenied");
  auto output = run(&delete_objects, {.Bucket = "bucket", .Delete = {.Objects = {{.Key = "a"}, {.Key = "b"}}}});
  ASSERT_TRUE(output.Errors);
  EXPECT_EQ(output.Errors->at(0).Key, "a");
  EXPECT_EQ(output.Errors->at(0).Code, "AccessDenied");
  EXPECT_EQ(output.Deleted->at(0).Key, "b");
  EXPECT_EQ(get("a").bytes, "1");
}

// A marker is a row, so the key's limit holds for it, too.
TEST_F(DeleteObjects, AKeyThatIsTooLongGetsNoMarker) {
  version("Enabled");
  auto output = run(&delete_objects, {.Bucket = "bucket", .Delete = {.Objects = {{.Key = std::string(1025, 'k')}}}});
  EXPECT_EQ(count("SELECT count(*) FROM s3_objects"), 0);
  ASSERT_TRUE(output.Errors);
  EXPECT_EQ(output.Errors->at(0).Code, "KeyTooLongError");
}

}  // namespace
}  // namespace services::s3
