// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/desired.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace services::pipelines {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Owner kOwner{"111111111111", "us-east-1"};

Desired desired_of(std::string_view json, bool paused = false) {
  return desired_resources(check_spec(parse_spec(json)), kOwner, paused);
}

const shapes::ecs::ContainerDefinition& worker_of(const Desired& desired) {
  return desired.definition.containerDefinitions.front();
}

TEST(DesiredResources, NamesFollowFromThePipeline) {
  const ResourceNames names = desired_of(R"({"name":"ocr","builtin":"ocr"})").names;
  EXPECT_EQ(names.bucket, "stoker-ocr-111111111111");
  EXPECT_EQ(names.queue_arn, "arn:aws:sqs:us-east-1:111111111111:stoker-ocr");
  EXPECT_EQ(names.failed_queue_arn, "arn:aws:sqs:us-east-1:111111111111:stoker-ocr-failed");
  EXPECT_EQ(names.role_arn, "arn:aws:iam::111111111111:role/stoker-pipeline-ocr");
  EXPECT_EQ(names.log_group, "/stoker/pipelines/ocr");
  EXPECT_EQ(names.target, "service/default/stoker-ocr");
  EXPECT_EQ(desired_of(R"({"name":"ocr","builtin":"ocr","bucket":"scans"})").names.bucket, "scans");
}

TEST(DesiredResources, AnItemMayBeReceivedMoreOftenThanItIsTried) {
  const Desired desired = desired_of(R"({"name":"ocr","builtin":"ocr","retries":4})");
  EXPECT_THAT(desired.queue_attributes.at("RedrivePolicy"), HasSubstr("\"maxReceiveCount\":15"));
}

TEST(DesiredResources, ItemsOfADeadWorkerAreSoonVisibleAgain) {
  EXPECT_EQ(desired_of(R"({"name":"a","builtin":"ocr","timeout":"1s"})").queue_attributes.at("VisibilityTimeout"), "30");
  EXPECT_EQ(desired_of(R"({"name":"a","builtin":"ocr","timeout":"45s"})").queue_attributes.at("VisibilityTimeout"), "45");
  EXPECT_EQ(desired_of(R"({"name":"a","builtin":"ocr","timeout":"2h"})").queue_attributes.at("VisibilityTimeout"), "120");
}

TEST(DesiredResources, AStoppedWorkerHasTimeToFinishItsItem) {
  const Desired desired = desired_of(R"({"name":"a","image":"i","exec":"run {input}","timeout":"10m"})");
  EXPECT_EQ(worker_of(desired).stopTimeout, 615);
  EXPECT_THAT(*worker_of(desired).command,
              ElementsAre("--queue", "stoker-a", "--pipeline", "a", "--batch", "1", "--linger", "0ms", "--timeout", "10m",
                          "--drain", "10m", "--exec", "run {input}"));
  EXPECT_THAT(*worker_of(desired).entryPoint, ElementsAre("/stoker/stoker-work"));
}

TEST(DesiredResources, ABuiltinProcessorGoesWhereItIsInstalled) {
  const Desired builtin = desired_of(R"({"name":"a","builtin":"ocr","languages":["eng","deu"]})");
  EXPECT_EQ(builtin.definition.placementConstraints->front().expression, "attribute:stoker.builtin.ocr exists");
  EXPECT_THAT(*worker_of(builtin).command, testing::Contains("eng+deu"));
  // An image has its own.
  EXPECT_FALSE(desired_of(R"({"name":"a","builtin":"ocr","image":"mine"})").definition.placementConstraints);
}

TEST(DesiredResources, AWorkerHasGpusOrAShareOfOne) {
  EXPECT_FALSE(worker_of(desired_of(R"({"name":"a","builtin":"ocr"})")).resourceRequirements);
  const Desired whole = desired_of(R"({"name":"a","image":"i","serve":"s","gpus":2})");
  EXPECT_EQ(worker_of(whole).resourceRequirements->front().value, "2");
  const Desired share = desired_of(R"({"name":"a","image":"i","serve":"s","gpu_memory":4000})");
  EXPECT_EQ(worker_of(share).resourceRequirements->front().sharingStrategy->nvidiaMps->memory, 4000);
  EXPECT_FALSE(worker_of(share).resourceRequirements->front().value);  // ECS accepts only one of them
}

TEST(DesiredResources, DataExpiresOnlyOnRequest) {
  EXPECT_TRUE(desired_of(R"({"name":"a","builtin":"ocr"})").lifecycle.empty());
  const Desired month = desired_of(R"({"name":"a","builtin":"ocr","retention":"31d"})");
  ASSERT_EQ(month.lifecycle.size(), 3u);
  EXPECT_EQ(month.lifecycle[0].Filter->Prefix, "in/");
  EXPECT_EQ(month.lifecycle[0].Expiration->Days, 31);
  EXPECT_EQ(month.log_retention_days, 60);
}

TEST(DesiredResources, AlarmsOfAllBacklogsRunOnePolicy) {
  const Desired desired = desired_of(R"({"name":"a","builtin":"ocr","max":4})");
  ASSERT_EQ(desired.policies.size(), 2u);
  ASSERT_EQ(desired.alarms.size(), 4u);
  EXPECT_EQ(desired.alarms[0].input.AlarmName, "stoker-a-scale-out-1");
  EXPECT_EQ(desired.alarms[1].input.Metrics->back().Expression, "IF(backlog > 4, backlog, 0)");
  EXPECT_TRUE(desired.alarms[3].scales_in);
  EXPECT_EQ(desired.alarms[3].input.AlarmName, "stoker-a-scale-in");
}

TEST(DesiredResources, APausedPipelineHasNoWorkers) {
  const Desired paused = desired_of(R"({"name":"a","builtin":"ocr","min":2,"max":4})", true);
  EXPECT_EQ(paused.target.MinCapacity, 0);
  EXPECT_EQ(paused.target.SuspendedState->DynamicScalingOutSuspended, true);
  EXPECT_EQ(paused.service.desiredCount, 0);
}

}  // namespace
}  // namespace services::pipelines
