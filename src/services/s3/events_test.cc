// SPDX-License-Identifier: Apache-2.0
// Every handler that changes objects publishes its event, in its own transaction.
#include "services/s3/events.h"

#include <gmock/gmock.h>

#include "services/s3/blobs.h"
#include "services/s3/buckets/lifecycle_operations.h"
#include "services/s3/expiry.h"
#include "services/s3/object_fixture.h"
#include "services/s3/objects/copy_object.h"
#include "services/s3/objects/delete_objects.h"
#include "services/s3/objects/object_tagging.h"
#include "services/s3/objects/post_object.h"
#include "services/s3/uploads/create_upload.h"

namespace services::s3 {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PublishedEvents : public ObjectTest {
 protected:
  PublishedEvents() { subscribe(); }
};

TEST_F(PublishedEvents, PutObjectPublishesItsObject) {
  put_bytes("k", "hello");
  EXPECT_THAT(published(), ElementsAre("ObjectCreated:Put k"));
}

TEST_F(PublishedEvents, ARejectedPutPublishesNothing) {
  shape::PutObjectRequest request{.Bucket = "bucket", .IfMatch = "\"another\"", .Key = "k"};
  put_bytes("k", "hello");
  published();
  EXPECT_EQ(error_of([&] { put_bytes(request, "jello"); }), "PreconditionFailed");
  EXPECT_THAT(published(), IsEmpty());
}

TEST_F(PublishedEvents, PostObjectPublishesItsObject) {
  const std::string policy = base::to_base64(
      R"({"expiration":"2030-01-01T00:00:00.000Z","conditions":[{"bucket":"bucket"},["starts-with","$key",""]]})");
  send(&prepare_post_object, &post_object, {.Bucket = "bucket", .Fields = {{{"key", "k"}, {"policy", policy}}}}, "x");
  EXPECT_THAT(published(), ElementsAre("ObjectCreated:Post k"));
}

TEST_F(PublishedEvents, CopyObjectPublishesTheCopy) {
  put_bytes("source", "hello");
  published();
  send(&prepare_copy_object, &copy_object, {.Bucket = "bucket", .CopySource = "bucket/source", .Key = "copy"});
  EXPECT_THAT(published(), ElementsAre("ObjectCreated:Copy copy"));
}

TEST_F(PublishedEvents, OnlyTheCompletionOfAnUploadIsPublished) {
  const std::string upload = create("k");
  const shape::CompletedPart one = part("k", upload, 1, "x");
  EXPECT_THAT(published(), IsEmpty());
  complete("k", upload, {one});
  EXPECT_THAT(published(), ElementsAre("ObjectCreated:CompleteMultipartUpload k"));
  complete("k", upload, {one});  // repeated by a client that missed the response
  EXPECT_THAT(published(), IsEmpty());
}

TEST_F(PublishedEvents, DeleteObjectPublishesTheDeletion) {
  put_bytes("k", "hello");
  published();
  run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_THAT(published(), ElementsAre("ObjectRemoved:Delete k"));
  run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_THAT(published(), IsEmpty());
}

TEST_F(PublishedEvents, DeleteObjectPublishesTheMarkerThatItCreates) {
  version("Enabled");
  const std::string id = *put_bytes("k", "hello").VersionId;
  published();
  run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_THAT(published(), ElementsAre("ObjectRemoved:DeleteMarkerCreated k"));
  run(&delete_object, {.Bucket = "bucket", .Key = "k", .VersionId = id});
  EXPECT_THAT(published(), ElementsAre("ObjectRemoved:Delete k"));
}

TEST_F(PublishedEvents, DeleteObjectsPublishesEachDeletion) {
  put_bytes("a", "1");
  put_bytes("b", "2");
  published();
  run(&delete_objects, {.Bucket = "bucket", .Delete = {.Objects = {{.Key = "a"}, {.Key = "b"}, {.Key = "missing"}}}});
  EXPECT_THAT(published(), ElementsAre("ObjectRemoved:Delete a", "ObjectRemoved:Delete b", "ObjectRemoved:Delete missing"));
}

TEST_F(PublishedEvents, TaggingPublishesTheObject) {
  put_bytes("k", "hello");
  published();
  run(&put_object_tagging, {.Bucket = "bucket", .Key = "k", .Tagging = {{{"color", "red"}}}});
  EXPECT_THAT(published(), ElementsAre("ObjectTagging:Put k"));
  run(&delete_object_tagging, {.Bucket = "bucket", .Key = "k"});
  EXPECT_THAT(published(), ElementsAre("ObjectTagging:Delete k"));
}

TEST_F(PublishedEvents, ExpiryPublishesEachDeletion) {
  shape::LifecycleRule rule{.Expiration = shape::LifecycleExpiration{.Days = 1},
                            .ID = "r",
                            .Filter = shape::LifecycleRuleFilter(),
                            .Status = "Enabled"};
  run(&put_bucket_lifecycle_configuration,
      {.Bucket = "bucket", .LifecycleConfiguration = shape::BucketLifecycleConfiguration{{rule}}});
  EXPECT_TRUE(woke(kExpiryTopic));
  put_bytes("k", "hello");
  published();
  advance(std::chrono::days(3));
  auto state = std::make_shared<ExpiryState>();
  Decision decision;
  store_->read_now([&](store::Tx& tx) {
    Call call{tx, caller_, now_, now_, &locals_, &directory_};
    decision = look_for_expired(call, state);
  });
  EXPECT_THAT(published(), IsEmpty());  // a look writes nothing
  with_call(decision.apply);
  EXPECT_THAT(published(), ElementsAre("LifecycleExpiration:Delete k"));
}

// The sweep waits for this topic: a handler that does not wake it leaves files on the disk.
TEST_F(PublishedEvents, AFileThatLosesItsLastReferenceWakesTheSweep) {
  const std::string large(100000, 'x');
  put_bytes("k", large);
  EXPECT_FALSE(woke(kBlobSweepTopic));
  put_bytes("k", large);
  EXPECT_TRUE(woke(kBlobSweepTopic));
  run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_TRUE(woke(kBlobSweepTopic));
  const std::string upload = create("k");
  part("k", upload, 1, large);
  EXPECT_FALSE(woke(kBlobSweepTopic));
  run(&abort_multipart_upload, {.Bucket = "bucket", .Key = "k", .UploadId = upload});
  EXPECT_TRUE(woke(kBlobSweepTopic));
}

}  // namespace
}  // namespace services::s3
