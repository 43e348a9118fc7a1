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
#include "shapes/stoker/pipeline_hooks.h"

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

// What pipelines learn of objects: jobs follow from it.
TEST_F(PublishedEvents, AnObjectIsAnnouncedToPipelinesWithItsMessage) {
  put_bytes({.Bucket = "bucket", .ContentType = "image/png", .Key = "k"}, "hello");
  ASSERT_EQ(fake_queues_.created.size(), 1u);
  const shapes::stoker::ObjectCreated& created = fake_queues_.created[0];
  EXPECT_EQ(created.bucket, "bucket");
  EXPECT_EQ(created.key, "k");
  EXPECT_EQ(created.size, 5);
  EXPECT_EQ(created.contentType, "image/png");
  EXPECT_NE(sent_.at(0).second.find("\"sequencer\":\"" + created.sequencer + "\""), std::string::npos);
  ASSERT_EQ(created.events.size(), 1u);
  EXPECT_EQ(created.events[0].queueArn, "arn:aws:sqs:us-east-1:111111111111:events");
  EXPECT_EQ(created.events[0].messageId, "message-1");
  EXPECT_EQ(created.content, "");
}

TEST_F(PublishedEvents, DeletionsAndRejectedMessagesAreNotAnnounced) {
  put_bytes("k", "hello");
  fake_queues_.created.clear();
  run(&delete_object, {.Bucket = "bucket", .Key = "k"});
  EXPECT_TRUE(fake_queues_.created.empty());
  denied_ = queues_;
  put_bytes("k", "hello");
  ASSERT_EQ(fake_queues_.created.size(), 1u);
  EXPECT_TRUE(fake_queues_.created[0].events.empty());
}

TEST_F(ObjectTest, AnObjectThatNoNotificationMatchesIsAnnouncedWithItsBytes) {
  const std::string queue = "arn:aws:sqs:us-east-1:111111111111:events";
  queues_.insert(queue);
  shape::QueueConfiguration inputs{.QueueArn = queue, .Events = {"s3:ObjectCreated:*"}};
  inputs.Filter = shape::NotificationConfigurationFilter{
      .Key = shape::S3KeyFilter{.FilterRules = {{shape::FilterRule{.Name = "prefix", .Value = "in/"}}}}};
  run(&put_bucket_notification_configuration,
      {.Bucket = "bucket", .NotificationConfiguration = {.QueueConfigurations = {{std::move(inputs)}}}});
  shape::PutObjectRequest request{.Bucket = "bucket", .Key = "out/k.json"};
  request.Metadata = std::map<std::string, std::string>{{"stoker-sequencer", "01"}};
  put_bytes(request, "{}");
  ASSERT_EQ(fake_queues_.created.size(), 1u);
  EXPECT_EQ(fake_queues_.created[0].content, "{}");
  EXPECT_EQ(fake_queues_.created[0].inputSequencer, "01");
  EXPECT_TRUE(fake_queues_.created[0].events.empty());
  send(&prepare_copy_object, &copy_object, {.Bucket = "bucket", .CopySource = "bucket/out/k.json", .Key = "out/c.json"});
  EXPECT_EQ(fake_queues_.created.at(1).content, "{}");
  const std::string large(100000, 'x');
  put_bytes("out/l.json", large);
  EXPECT_EQ(fake_queues_.created.at(2).content, large);  // a file, whose bytes were kept
  put_bytes("out/h.json", std::string(300000, 'x'));
  EXPECT_EQ(fake_queues_.created.at(3).content, "");
}

TEST_F(ObjectTest, ABucketWithoutNotificationsAnnouncesNothing) {
  put_bytes("k", "hello");
  EXPECT_TRUE(fake_queues_.created.empty());
}

TEST_F(PublishedEvents, AnObjectIsAnnouncedAgainOnRequest) {
  put_bytes("k", "hello");
  const std::string sequencer = fake_queues_.created.at(0).sequencer;
  published();
  auto again = [&](const std::string& key, const std::string& version) {
    return with_call([&](ObjectCall& call) {
      const shapes::stoker::AnnounceObject request{"bucket", key, version};
      const Erased output = announce_operations().at(0).run(call, &request);
      return static_cast<shapes::stoker::AnnouncedObject*>(output.get())->exists;
    });
  };
  EXPECT_TRUE(again("k", sequencer));
  EXPECT_THAT(published(), ElementsAre("ObjectCreated:Put k"));
  EXPECT_EQ(fake_queues_.created.back().sequencer, sequencer);
  EXPECT_FALSE(again("k", "another"));
  EXPECT_FALSE(again("missing", sequencer));
  EXPECT_THAT(published(), IsEmpty());
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
