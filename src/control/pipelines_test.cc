// SPDX-License-Identifier: Apache-2.0
// Pipelines over the real services that they are made of.
#include <gmock/gmock.h>

#include "base/hash.h"
#include "control/pipeline_fixture.h"
#include "services/s3/objects/put_object.h"
#include "shapes/application_autoscaling/policy.h"
#include "shapes/application_autoscaling/scalable_target.h"
#include "shapes/cloudwatch/alarm.h"
#include "shapes/ecs/service.h"
#include "shapes/ecs/task_definition_list.h"
#include "shapes/logs/log_group.h"
#include "shapes/s3/bucket.h"
#include "shapes/s3/bucket_settings.h"
#include "shapes/s3/lifecycle.h"
#include "shapes/s3/notification.h"
#include "shapes/sqs/message.h"
#include "shapes/sqs/queue.h"
#include "shapes/sqs/tag.h"

namespace control {
namespace {

using namespace shapes::stoker;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr char kSpec[] = R"({"name":"ocr","builtin":"ocr","max":4,"retention":"30d"})";

// "change queue stoker-ocr VisibilityTimeout: 30 -> 45"
std::vector<std::string> texts(const std::vector<PipelineChange>& changes) {
  std::vector<std::string> all;
  for (const PipelineChange& change : changes) {
    std::string text = change.action + " " + change.resource + " " + change.name;
    if (change.field) text += " " + *change.field + ": " + change.before.value_or("") + " -> " + change.after.value_or("");
    all.push_back(text);
  }
  return all;
}

class Pipelines : public PipelineTest {
 protected:
  std::string queue_url(const std::string& name) {
    return *run<shapes::sqs::GetQueueUrlResult>("sqs", "GetQueueUrl", shapes::sqs::GetQueueUrlRequest{.QueueName = name})
                .QueueUrl;
  }
  void set_queue_attribute(const std::string& queue, const std::string& name, const std::string& value) {
    shapes::sqs::SetQueueAttributesRequest request{.QueueUrl = queue_url(queue)};
    request.Attributes[name] = value;
    run("sqs", "SetQueueAttributes", request);
  }
  shapes::ecs::Service service() {
    shapes::ecs::DescribeServicesRequest request;
    request.services = {"stoker-ocr"};
    return run<shapes::ecs::DescribeServicesResponse>("ecs", "DescribeServices", request).services->at(0);
  }
  std::vector<std::string> alarm_names() {
    std::vector<std::string> names;
    const auto described = run<shapes::cloudwatch::DescribeAlarmsOutput>("cloudwatch", "DescribeAlarms",
                                                                         shapes::cloudwatch::DescribeAlarmsInput());
    for (const auto& alarm : *described.MetricAlarms) names.push_back(*alarm.AlarmName);
    return names;
  }
  std::vector<std::string> bucket_names() {
    std::vector<std::string> names;
    const auto listed =
        run<shapes::s3::ListBucketsOutput>("s3", "ListBuckets", shapes::s3::ListBucketsRequest()).Buckets;
    for (const auto& bucket : listed.value_or(std::vector<shapes::s3::Bucket>())) names.push_back(*bucket.Name);
    return names;
  }
  std::size_t queue_count() {
    return run<shapes::sqs::ListQueuesResult>("sqs", "ListQueues", shapes::sqs::ListQueuesRequest())
        .QueueUrls.value_or(std::vector<std::string>())
        .size();
  }
  // As the door of S3 does for small bodies.
  void add_objects(int count) {
    with_call([&](services::Call& call) {
      for (int i = 0; i < count; ++i) {
        services::s3::ObjectCall put{{call.tx, caller_, now_, now_, &locals_, &directory_}};
        shapes::s3::PutObjectRequest request;
        request.Bucket = "stoker-ocr-111111111111";
        request.Key = "in/" + std::to_string(i);
        const auto plan = services::s3::prepare_put_object(put, request);
        const services::s3::Upload upload{.md5 = base::md5("")};
        put.upload = &upload;
        services::s3::put_object(put, request, plan);
      }
    });
  }
  void send_messages(int count) {
    for (int i = 0; i < count; ++i) {
      shapes::sqs::SendMessageRequest request{.QueueUrl = queue_url("stoker-ocr"), .MessageBody = "item"};
      run<shapes::sqs::SendMessageResult>("sqs", "SendMessage", request);
    }
  }
};

TEST_F(Pipelines, ANewPipelineHasAllItsResources) {
  const auto response = apply(kSpec);
  EXPECT_THAT(texts(response.changes),
              ElementsAre("create pipeline ocr", "create log group /stoker/pipelines/ocr",
                          "create queue stoker-ocr-failed", "create queue stoker-ocr",
                          "create bucket stoker-ocr-111111111111", "create task definition stoker-ocr",
                          "create service stoker-ocr", "create scalable target service/default/stoker-ocr",
                          "create scaling policy stoker-ocr-scale-out", "create scaling policy stoker-ocr-scale-in",
                          "create alarm stoker-ocr-scale-out-1", "create alarm stoker-ocr-scale-out-2",
                          "create alarm stoker-ocr-scale-out-4", "create alarm stoker-ocr-scale-in"));
  EXPECT_EQ(response.pipeline->status, "ACTIVE");
  EXPECT_EQ(response.pipeline->workers->max, 4);
  EXPECT_THAT(*response.pipeline->resources, SizeIs(13));
  EXPECT_EQ(service().desiredCount, 0);
  EXPECT_THAT(bucket_names(), ElementsAre("stoker-ocr-111111111111"));
  const auto notification = run<shapes::s3::NotificationConfiguration>(
      "s3", "GetBucketNotificationConfiguration",
      shapes::s3::GetBucketNotificationConfigurationRequest{.Bucket = "stoker-ocr-111111111111"});
  EXPECT_EQ(notification.QueueConfigurations->at(0).QueueArn, "arn:aws:sqs:us-east-1:111111111111:stoker-ocr");
  const auto tags = run<shapes::sqs::ListQueueTagsResult>(
      "sqs", "ListQueueTags", shapes::sqs::ListQueueTagsRequest{.QueueUrl = queue_url("stoker-ocr")});
  EXPECT_EQ(tags.Tags->at("stoker:pipeline"), "ocr");
  // No test event: it would start a worker.
  EXPECT_EQ(response.pipeline->items->queued, 0);
}

TEST_F(Pipelines, ApplyingTheSameSpecTwiceChangesNothing) {
  apply(kSpec);
  EXPECT_THAT(texts(apply(kSpec, true).changes), IsEmpty());
  EXPECT_THAT(texts(apply(kSpec).changes), IsEmpty());
  EXPECT_EQ(service().deployments->size(), 1u);
}

TEST_F(Pipelines, ADryRunChangesNothing) {
  EXPECT_THAT(apply(kSpec, true).changes, SizeIs(14));
  EXPECT_THAT(bucket_names(), IsEmpty());
  EXPECT_EQ(queue_count(), 0u);
  EXPECT_THAT(alarm_names(), IsEmpty());
  EXPECT_THAT(error_of([&] { describe("ocr"); }), HasSubstr("ResourceNotFoundException"));
}

TEST_F(Pipelines, AChangedSpecIsShownAndThenApplied) {
  apply(kSpec);
  const std::string changed = R"({"name":"ocr","builtin":"ocr","max":2,"retries":5,"timeout":"1m"})";
  const auto expected = UnorderedElementsAre(
      "change pipeline ocr retention_days: 30 -> 0", "change log group /stoker/pipelines/ocr retentionInDays: 30 -> 0",
      HasSubstr("change queue stoker-ocr RedrivePolicy"), "change queue stoker-ocr VisibilityTimeout: 120 -> 60",
      HasSubstr("change bucket stoker-ocr-111111111111 lifecycle"), HasSubstr("change task definition stoker-ocr command"),
      "change task definition stoker-ocr stopTimeout: 315 -> 75",
      "change scalable target service/default/stoker-ocr MaxCapacity: 4 -> 2",
      HasSubstr("change scaling policy stoker-ocr-scale-out"), "delete alarm stoker-ocr-scale-out-4");
  EXPECT_THAT(texts(apply(changed, true).changes), expected);
  EXPECT_THAT(texts(apply(changed).changes), expected);
  EXPECT_THAT(texts(apply(changed).changes), IsEmpty());
  EXPECT_THAT(*service().taskDefinition, HasSubstr("stoker-ocr:2"));
  EXPECT_THAT(alarm_names(), UnorderedElementsAre("stoker-ocr-scale-in", "stoker-ocr-scale-out-1", "stoker-ocr-scale-out-2"));
}

TEST_F(Pipelines, WhatAUserChangedIsShownAndRepaired) {
  apply(kSpec);
  set_queue_attribute("stoker-ocr", "VisibilityTimeout", "7");
  run("cloudwatch", "DeleteAlarms", shapes::cloudwatch::DeleteAlarmsInput{.AlarmNames = {"stoker-ocr-scale-in"}});
  run("s3", "DeleteBucketTagging", shapes::s3::DeleteBucketTaggingRequest{.Bucket = "stoker-ocr-111111111111"});
  const auto expected = UnorderedElementsAre(
      "change queue stoker-ocr VisibilityTimeout: 7 -> 120", "create alarm stoker-ocr-scale-in",
      "change bucket stoker-ocr-111111111111 tag stoker:pipeline:  -> ocr");
  EXPECT_THAT(texts(apply(kSpec, true).changes), expected);
  EXPECT_THAT(texts(apply(kSpec).changes), expected);
  EXPECT_THAT(texts(apply(kSpec).changes), IsEmpty());
}

TEST_F(Pipelines, WhatAUserAddedToTheBucketStays) {
  apply(kSpec);
  shapes::s3::PutBucketNotificationConfigurationRequest request;
  request.Bucket = "stoker-ocr-111111111111";
  request.SkipDestinationValidation = true;
  shapes::s3::QueueConfiguration theirs;
  theirs.Id = "theirs";
  theirs.QueueArn = "arn:aws:sqs:us-east-1:111111111111:results";
  theirs.Events = {"s3:ObjectRemoved:*"};
  request.NotificationConfiguration.QueueConfigurations = {{theirs}};
  run("s3", "PutBucketNotificationConfiguration", request);
  EXPECT_THAT(texts(apply(kSpec).changes), ElementsAre(HasSubstr("notification")));
  const auto all = run<shapes::s3::NotificationConfiguration>(
      "s3", "GetBucketNotificationConfiguration",
      shapes::s3::GetBucketNotificationConfigurationRequest{.Bucket = request.Bucket});
  EXPECT_THAT(*all.QueueConfigurations, SizeIs(2));
  EXPECT_THAT(texts(apply(kSpec).changes), IsEmpty());
}

TEST_F(Pipelines, ANameThatIsTakenChangesNothing) {
  run<shapes::sqs::CreateQueueResult>("sqs", "CreateQueue", shapes::sqs::CreateQueueRequest{.QueueName = "stoker-ocr"});
  EXPECT_THAT(error_of([&] { apply(kSpec); }),
              HasSubstr("ConflictException: The queue 'stoker-ocr' exists already and does not belong"));
  EXPECT_THAT(bucket_names(), IsEmpty());
  EXPECT_EQ(queue_count(), 1u);
  EXPECT_THAT(error_of([&] { describe("ocr"); }), HasSubstr("ResourceNotFoundException"));
}

TEST_F(Pipelines, AFailureLeavesNothingBehind) {
  // The last resource can't be made: an alarm of another type has its name.
  shapes::cloudwatch::PutCompositeAlarmInput taken;
  taken.AlarmName = "stoker-ocr-scale-in";
  taken.AlarmRule = "FALSE";
  run("cloudwatch", "PutCompositeAlarm", taken);
  EXPECT_NE(error_of([&] { apply(kSpec); }), "");
  EXPECT_THAT(bucket_names(), IsEmpty());
  EXPECT_EQ(queue_count(), 0u);
  EXPECT_THAT(alarm_names(), IsEmpty());
}

TEST_F(Pipelines, ABucketOfAnotherPipelineIsRefused) {
  apply(kSpec);
  EXPECT_THAT(error_of([&] { apply(R"({"name":"b","builtin":"ocr","bucket":"stoker-ocr-111111111111"})"); }),
              HasSubstr("belongs to the pipeline 'ocr'"));
  EXPECT_THAT(error_of([&] { apply(R"({"name":"ocr","builtin":"ocr","bucket":"other"})"); }),
              HasSubstr("The bucket of a pipeline can't change"));
  EXPECT_THAT(error_of([&] { apply(R"({"name":"ocr","builtin":"ocr","cluster":"other"})"); }),
              HasSubstr("The cluster of a pipeline can't change"));
}

TEST_F(Pipelines, AMissingClusterIsNamed) {
  EXPECT_THAT(error_of([&] { apply(R"({"name":"a","builtin":"ocr","cluster":"gpus"})"); }),
              HasSubstr("ValidationException: The cluster 'gpus' does not exist"));
  EXPECT_THAT(bucket_names(), IsEmpty());
}

TEST_F(Pipelines, CreatingTwiceIsAnError) {
  ApplyPipelineRequest request{.spec = kSpec};
  request.createOnly = true;
  run<ApplyPipelineResponse>("pipelines", "ApplyPipeline", request);
  EXPECT_THAT(error_of([&] { run<ApplyPipelineResponse>("pipelines", "ApplyPipeline", request); }),
              HasSubstr("ConflictException: The pipeline 'ocr' exists already"));
}

TEST_F(Pipelines, AWebhookHasASecretThatIsShownOnce) {
  const std::string spec = R"({"name":"ocr","builtin":"ocr","webhook":"https://example.com/done"})";
  EXPECT_THAT(apply(spec).webhookSecret.value_or(""), HasSubstr("whsec_"));
  EXPECT_FALSE(apply(spec).webhookSecret);
  EXPECT_THAT(texts(apply(kSpec).changes), testing::Contains("change pipeline ocr webhook: https://example.com/done -> "));
  EXPECT_FALSE(apply(spec).webhookSecret) << "the receivers of jobs' own webhooks have this secret";
}

TEST_F(Pipelines, AWebhookInAPrivateNetworkIsRejectedBeforeAnyDeliveryFails) {
  EXPECT_THAT(error_of([&] { apply(R"({"name":"ocr","webhook":"http://127.0.0.1:8000/"})"); }),
              HasSubstr("ValidationException: The webhook's address 127.0.0.1 is in a private network; start the server "
                        "with --webhook-private-networks to allow it"));
  EXPECT_THAT(error_of([&] { apply(R"({"name":"ocr","webhook":"http://169.254.169.254/"})", true); }),
              HasSubstr("no webhook may reach"));
}

TEST_F(Pipelines, APausedPipelineHasNoWorkersUntilItResumes) {
  apply(R"({"name":"ocr","builtin":"ocr","min":1,"max":4})");
  EXPECT_EQ(service().desiredCount, 1);
  EXPECT_EQ(run<PausePipelineResponse>("pipelines", "PausePipeline", PausePipelineRequest{"ocr"}).pipeline.status, "PAUSED");
  EXPECT_EQ(service().desiredCount, 0);
  // Changes do not start workers either.
  const std::string changed = R"({"name":"ocr","builtin":"ocr","min":2,"max":4})";
  apply(changed);
  EXPECT_EQ(service().desiredCount, 0);
  send_messages(9);
  const auto resumed = run<ResumePipelineResponse>("pipelines", "ResumePipeline", ResumePipelineRequest{"ocr"}).pipeline;
  EXPECT_EQ(resumed.status, "ACTIVE");
  EXPECT_EQ(resumed.items->queued, 9);
  EXPECT_EQ(service().desiredCount, 3);
  EXPECT_THAT(texts(apply(changed).changes), IsEmpty());
}

TEST_F(Pipelines, DeletingRemovesExactlyItsResources) {
  run<shapes::sqs::CreateQueueResult>("sqs", "CreateQueue", shapes::sqs::CreateQueueRequest{.QueueName = "mine"});
  apply(kSpec);
  apply(R"({"name":"other","builtin":"ocr"})");
  EXPECT_EQ(remove("ocr").status, "DELETED");
  EXPECT_THAT(bucket_names(), ElementsAre("stoker-other-111111111111"));
  EXPECT_EQ(queue_count(), 3u);
  EXPECT_THAT(alarm_names(), UnorderedElementsAre("stoker-other-scale-in", "stoker-other-scale-out-1"));
  EXPECT_NE(service().status, "ACTIVE");
  shapes::ecs::ListTaskDefinitionsRequest active;
  active.familyPrefix = "stoker-ocr";
  EXPECT_THAT(*run<shapes::ecs::ListTaskDefinitionsResponse>("ecs", "ListTaskDefinitions", active).taskDefinitionArns,
              IsEmpty());
  EXPECT_THAT(error_of([&] { remove("ocr"); }), HasSubstr("ResourceNotFoundException"));
}

TEST_F(Pipelines, DataIsKeptUnlessItsDeletionIsRequested) {
  apply(kSpec);
  add_objects(3);
  const auto deleted = remove("ocr");
  EXPECT_EQ(deleted.status, "DELETED");
  EXPECT_EQ(deleted.keptBucket, "stoker-ocr-111111111111");
  EXPECT_THAT(bucket_names(), ElementsAre("stoker-ocr-111111111111"));
  take_turn("ecs services");
  // The pipeline finds its data again.
  EXPECT_THAT(texts(apply(kSpec).changes), testing::Contains(HasSubstr("change bucket stoker-ocr-111111111111 notification")));
}

TEST_F(Pipelines, ALargeBucketIsEmptiedInSlices) {
  apply(kSpec);
  add_objects(2500);
  EXPECT_EQ(remove("ocr", true).status, "DELETING");
  EXPECT_TRUE(woke("pipelines/removals"));
  EXPECT_EQ(describe("ocr").status, "DELETING");
  EXPECT_THAT(error_of([&] { apply(kSpec); }), HasSubstr("ConflictException: The pipeline 'ocr' is being deleted"));
  EXPECT_TRUE(take_turn("pipeline-removals"));
  EXPECT_TRUE(take_turn("pipeline-removals"));
  EXPECT_THAT(bucket_names(), SizeIs(1));
  take_turn("pipeline-removals");
  EXPECT_THAT(bucket_names(), IsEmpty());
  EXPECT_THAT(error_of([&] { describe("ocr"); }), HasSubstr("ResourceNotFoundException"));
  EXPECT_FALSE(take_turn("pipeline-removals"));
}

TEST_F(Pipelines, ListsAreInPages) {
  for (const char* name : {"a", "b", "c"}) apply(std::string(R"({"builtin":"ocr","name":")") + name + "\"}");
  ListPipelinesRequest request;
  request.maxResults = 2;
  auto page = run<ListPipelinesResponse>("pipelines", "ListPipelines", request);
  ASSERT_THAT(page.pipelines, SizeIs(2));
  EXPECT_EQ(page.pipelines[1].name, "b");
  request.nextToken = page.nextToken;
  page = run<ListPipelinesResponse>("pipelines", "ListPipelines", request);
  ASSERT_THAT(page.pipelines, SizeIs(1));
  EXPECT_FALSE(page.nextToken);
}

}  // namespace
}  // namespace control
