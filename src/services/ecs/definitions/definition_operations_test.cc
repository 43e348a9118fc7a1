// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using TaskDefinitions = EcsTest;

constexpr char kPrefix[] = "arn:aws:ecs:us-east-1:111111111111:task-definition/";

std::vector<std::string> names(const std::optional<std::vector<std::string>>& arns) {
  std::vector<std::string> out;
  for (const std::string& arn : *arns) out.push_back(arn.substr(sizeof(kPrefix) - 1));
  return out;
}

TEST_F(TaskDefinitions, AmazonsOwnExampleIsShownAsAmazonShowsIt) {
  auto made = register_json(R"({"family":"sleep360","containerDefinitions":[{"name":"sleep","image":"busybox",
      "cpu":10,"command":["sleep","360"],"memory":10,"essential":true}]})");
  EXPECT_EQ(to_json(made),
            R"({"taskDefinitionArn":"arn:aws:ecs:us-east-1:111111111111:task-definition/sleep360:1",)"
            R"("containerDefinitions":[{"name":"sleep","image":"busybox","cpu":10,"memory":10,"portMappings":[],)"
            R"("essential":true,"command":["sleep","360"],"environment":[],"mountPoints":[],"volumesFrom":[],)"
            R"("systemControls":[]}],"family":"sleep360","revision":1,"volumes":[],"status":"ACTIVE",)"
            R"("placementConstraints":[],"compatibilities":["EXTERNAL","EC2"],"registeredAt":1800000000,)"
            R"("registeredBy":"arn:aws:iam::111111111111:root"})");
}

TEST_F(TaskDefinitions, RevisionNumbersGrowAndAreNeverReused) {
  for (int i = 0; i < 3; ++i) register_family("web");
  run_json(&deregister_task_definition, R"({"taskDefinition":"web:3"})");
  run_json(&delete_task_definitions, R"({"taskDefinitions":["web:3"]})");
  now_ += std::chrono::hours(2);
  register_family("web");
  EXPECT_THAT(names(run_json(&list_task_definitions, "{}").taskDefinitionArns), ElementsAre("web:1", "web:2", "web:4"));
}

TEST_F(TaskDefinitions, AFamilyIsItsLatestActiveRevision) {
  register_family("web");
  register_family("web");
  auto described = [&](const std::string& name) {
    return run(&describe_task_definition, {.taskDefinition = name}).taskDefinition->revision;
  };
  EXPECT_EQ(described("web"), 2);
  EXPECT_EQ(described("web:1"), 1);
  EXPECT_EQ(described(std::string(kPrefix) + "web:1"), 1);
  EXPECT_EQ(described(std::string(kPrefix) + "web"), 2);
  run_json(&deregister_task_definition, R"({"taskDefinition":"web:2"})");
  EXPECT_EQ(described("web"), 1);
  for (std::string name :
       {"w", "web:9", "web:x", "web:0", "arn:aws:ecs:eu-west-1:111111111111:task-definition/web:1"}) {
    EXPECT_EQ(error_of(&describe_task_definition, R"({"taskDefinition":")" + name + R"("})"),
              "ClientException: Unable to describe task definition.")
        << name;
  }
}

TEST_F(TaskDefinitions, ADeregisteredRevisionIsStillDescribed) {
  register_family("web");
  now_ += std::chrono::minutes(5);
  auto ended = *run_json(&deregister_task_definition, R"({"taskDefinition":"web:1"})").taskDefinition;
  EXPECT_EQ(ended.status, "INACTIVE");
  EXPECT_EQ(ended.deregisteredAt, now_);
  auto shown = *run_json(&describe_task_definition, R"({"taskDefinition":"web:1"})").taskDefinition;
  EXPECT_EQ(shown, ended);
  now_ += std::chrono::minutes(5);
  EXPECT_EQ(run_json(&deregister_task_definition, R"({"taskDefinition":"web:1"})").taskDefinition, ended);
}

TEST_F(TaskDefinitions, DeregisteringAMissingDefinitionHasItsOwnErrors) {
  register_family("web");
  auto refused = [&](const std::string& name) {
    return error_of(&deregister_task_definition, R"({"taskDefinition":")" + name + R"("})");
  };
  EXPECT_EQ(refused("web"), "ClientException: Revision is missing.");
  EXPECT_EQ(refused("web:latest"), "InvalidParameterException: Invalid revision number. Number: latest");
  EXPECT_EQ(refused("web:2"), "ClientException: The specified task definition does not exist.");
  EXPECT_EQ(refused("arn:aws:ecs:eu-west-1:111111111111:task-definition/web:1"),
            "ClientException: The specified task definition does not exist.");
}

TEST_F(TaskDefinitions, OnlyInactiveDefinitionsAreDeletedAndTheyAreGoneAnHourLater) {
  register_family("web");
  auto refused = run_json(&delete_task_definitions, R"({"taskDefinitions":["web:1","web:7"]})");
  EXPECT_TRUE(refused.taskDefinitions->empty());
  ASSERT_EQ(refused.failures->size(), 2u);
  EXPECT_EQ(refused.failures->at(0).arn, std::string(kPrefix) + "web:1");
  EXPECT_THAT(*refused.failures->at(0).reason, HasSubstr("still in ACTIVE status"));
  EXPECT_THAT(*refused.failures->at(1).reason, HasSubstr("does not exist"));

  run_json(&deregister_task_definition, R"({"taskDefinition":"web:1"})");
  auto deleted = run_json(&delete_task_definitions, R"({"taskDefinitions":["web:1"]})");
  EXPECT_EQ(deleted.taskDefinitions->at(0).status, "DELETE_IN_PROGRESS");
  EXPECT_EQ(deleted.taskDefinitions->at(0).deleteRequestedAt, now_);
  EXPECT_THAT(names(run_json(&list_task_definitions, R"({"status":"DELETE_IN_PROGRESS"})").taskDefinitionArns),
              ElementsAre("web:1"));
  EXPECT_THAT(error_of(&deregister_task_definition, R"({"taskDefinition":"web:1"})"), HasSubstr("being deleted"));
  EXPECT_THAT(*run_json(&list_task_definition_families, "{}").families, ElementsAre("web"));
  now_ += std::chrono::hours(1);
  EXPECT_EQ(error_of(&describe_task_definition, R"({"taskDefinition":"web:1"})"),
            "ClientException: Unable to describe task definition.");
  EXPECT_TRUE(run_json(&list_task_definition_families, "{}").families->empty());
}

TEST_F(TaskDefinitions, ListsAreOrderedByRevisionNumberInEitherDirection) {
  for (int i = 0; i < 11; ++i) register_family("web");
  register_family("api");
  register_family("webhook");
  auto page = run_json(&list_task_definitions, R"({"maxResults":11})");
  EXPECT_EQ(names(page.taskDefinitionArns).front(), "api:1");
  EXPECT_EQ(names(page.taskDefinitionArns).back(), "web:10");
  auto rest = run(&list_task_definitions, {.nextToken = page.nextToken});
  EXPECT_THAT(names(rest.taskDefinitionArns), ElementsAre("web:11", "webhook:1"));

  auto down = run_json(&list_task_definitions, R"({"familyPrefix":"web","sort":"DESC","maxResults":2})");
  EXPECT_THAT(names(down.taskDefinitionArns), ElementsAre("web:11", "web:10"));
  auto next = run(&list_task_definitions,
                  {.familyPrefix = "web", .sort = "DESC", .nextToken = down.nextToken, .maxResults = 2});
  EXPECT_THAT(names(next.taskDefinitionArns), ElementsAre("web:9", "web:8"));
}

TEST_F(TaskDefinitions, AFamilyIsActiveWhileOneOfItsRevisionsIs) {
  for (std::string family : {"a", "a", "ab", "b"}) register_family(family);
  run_json(&deregister_task_definition, R"({"taskDefinition":"a:1"})");
  run_json(&deregister_task_definition, R"({"taskDefinition":"ab:1"})");
  auto families = [&](std::string_view json) { return *run_json(&list_task_definition_families, json).families; };
  EXPECT_THAT(families("{}"), ElementsAre("a", "ab", "b"));
  EXPECT_THAT(families(R"({"status":"ACTIVE"})"), ElementsAre("a", "b"));
  EXPECT_THAT(families(R"({"status":"INACTIVE"})"), ElementsAre("ab"));
  EXPECT_THAT(families(R"({"status":"ALL","familyPrefix":"a"})"), ElementsAre("a", "ab"));
  EXPECT_THAT(names(run_json(&list_task_definitions, R"({"status":"INACTIVE"})").taskDefinitionArns),
              ElementsAre("a:1", "ab:1"));
}

TEST_F(TaskDefinitions, TagsAreShownOnRequest) {
  auto made = run_json(&register_task_definition, with_container("", R"("tags":[{"key":"team","value":"vision"}])"));
  EXPECT_EQ(made.tags->at(0).value, "vision");
  EXPECT_TRUE(run_json(&describe_task_definition, R"({"taskDefinition":"f"})").tags->empty());
  EXPECT_EQ(run_json(&describe_task_definition, R"({"taskDefinition":"f","include":["TAGS"]})").tags->size(), 1u);
  EXPECT_EQ(register_error(with_container("", R"("tags":[])")), "ClientException: Tags can not be empty.");
}

TEST_F(TaskDefinitions, ADefinitionHasAtMost64Kibibytes) {
  EXPECT_THAT(register_error(with_container(R"("command":[")" + std::string(65536, 'x') + R"("])")),
              HasSubstr("Max allowed length is '65536' bytes."));
}

TEST_F(TaskDefinitions, ABlankRoleIsNoRole) {
  const TaskDefinition made = register_json(with_container("", R"("taskRoleArn":"","executionRoleArn":"")"));
  EXPECT_FALSE(made.taskRoleArn || made.executionRoleArn);
  EXPECT_EQ(register_json(with_container("", R"("taskRoleArn":"worker")")).taskRoleArn, "worker");
  EXPECT_EQ(register_error(with_container("", R"("taskRoleArn":"arn:aws:iam::111111111111:role/a/b")")), "");
  EXPECT_EQ(register_error(with_container("", R"("taskRoleArn":"arn:aws:ecs:us-east-1:111111111111:cluster/c")")),
            "ClientException: Role is not valid");
}

TEST_F(TaskDefinitions, ARejectedDefinitionUsesNoRevisionNumber) {
  register_error(with_container(R"("memory":0)"));
  EXPECT_EQ(register_json(with_container("")).revision, 1);
}

}  // namespace
}  // namespace services::ecs
