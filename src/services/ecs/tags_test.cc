// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/agent_work.h"
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using testing::HasSubstr;

class Tags : public EcsTest {
 protected:
  std::string tags(const std::string& arn) { return to_json(run(&list_tags_for_resource, {.resourceArn = arn})); }
  const std::string cluster_ = "arn:aws:ecs:us-east-1:111111111111:cluster/default";
  const std::string definition_ = "arn:aws:ecs:us-east-1:111111111111:task-definition/web:1";
};

TEST_F(Tags, TagsAreAddedChangedAndRemoved) {
  run_json(&create_cluster, "{}");
  register_family("web");
  for (const std::string& arn : {cluster_, definition_}) {
    EXPECT_EQ(tags(arn), R"({"tags":[]})");
    run(&tag_resource, {.resourceArn = arn, .tags = {{"a", "1"}, {"b", "2"}}});
    run(&tag_resource, {.resourceArn = arn, .tags = {{"b", "3"}, {"c", std::nullopt}}});
    EXPECT_EQ(tags(arn), R"({"tags":[{"key":"a","value":"1"},{"key":"b","value":"3"},{"key":"c","value":""}]})");
    run(&untag_resource, {.resourceArn = arn, .tagKeys = {"a", "c", "not there"}});
    EXPECT_EQ(tags(arn), R"({"tags":[{"key":"b","value":"3"}]})");
  }
}

TEST_F(Tags, MachinesAndTasksHaveTags) {
  run_json(&create_cluster, "{}");
  register_family("web");
  const std::string machine = *run_json(&register_container_instance, R"({"tags":[{"key":"rack","value":"7"}],
      "totalResources":[{"name":"CPU","type":"INTEGER","integerValue":1024},
                        {"name":"MEMORY","type":"INTEGER","integerValue":1024}]})").containerInstance->containerInstanceArn;
  EXPECT_EQ(tags(machine), R"({"tags":[{"key":"rack","value":"7"}]})");
  store_->write_now([&](store::Tx& tx) {
    Call call{tx, caller_, now_, now_, &locals_};
    set_connected(call, model::InstanceId(machine.substr(machine.rfind('/') + 1)), true);
  });
  const auto ran = run_json(&run_task, R"({"taskDefinition":"web","count":2,"tags":[{"key":"a","value":"1"}],
                                           "enableECSManagedTags":true})");
  const std::string task = *ran.tasks->at(0).taskArn, other = *ran.tasks->at(1).taskArn;
  const std::string managed = R"({"key":"aws:ecs:clusterName","value":"default"})";
  EXPECT_EQ(tags(task), R"({"tags":[{"key":"a","value":"1"},)" + managed + "]}");
  run(&tag_resource, {.resourceArn = task, .tags = {{"b", "2"}}});
  run(&untag_resource, {.resourceArn = task, .tagKeys = {"a"}});
  EXPECT_EQ(tags(task), R"({"tags":[)" + managed + R"(,{"key":"b","value":"2"}]})");
  EXPECT_EQ(tags(other), R"({"tags":[{"key":"a","value":"1"},)" + managed + "]}");
  EXPECT_THAT(error_of(&untag_resource, R"({"tagKeys":["aws:ecs:clusterName"],"resourceArn":")" + task + "\"}"),
              HasSubstr("InvalidParameterException"));
  EXPECT_THAT(error_of(&untag_resource, R"({"tagKeys":["a"],"resourceArn":"arn:aws:ecs:us-east-1:111111111111:task/other/)" +
                                            task.substr(task.rfind('/') + 1) + "\"}"),
              HasSubstr("ResourceNotFoundException"));
}

TEST_F(Tags, TaggingNeedsAnArnThatNamesTheCluster) {
  run_json(&create_cluster, "{}");
  for (std::string name : {"task/", "container-instance/", "service/"}) {
    const std::string arn = "arn:aws:ecs:us-east-1:111111111111:" + name + std::string(32, 'a');
    EXPECT_EQ(error_of(&list_tags_for_resource, R"({"resourceArn":")" + arn + "\"}"),
              "InvalidParameterException: Long arn format must be used for tagging operations");
  }
}

TEST_F(Tags, KeepToAmazonsLimits) {
  run_json(&create_cluster, "{}");
  auto refused = [&](std::vector<Tag> tags) {
    try {
      run(&tag_resource, {.resourceArn = cluster_, .tags = std::move(tags)});
    } catch (const wire::ApiError& error) {
      return error.code();
    }
    return std::string();
  };
  EXPECT_EQ(refused({{"größe", "五 + - = . _ : / @"}}), "");
  EXPECT_EQ(refused({}), "InvalidParameterException");
  EXPECT_EQ(refused({{"AWS:x", "1"}}), "InvalidParameterException");
  EXPECT_EQ(refused({{"x", "aws:1"}}), "InvalidParameterException");
  EXPECT_EQ(refused({{"a&b", "1"}}), "InvalidParameterException");
  EXPECT_EQ(error_of(&tag_resource, R"({"resourceArn":")" + cluster_ + R"(","tags":[{"key":"step","value":"a[1]"}]})"),
            "InvalidParameterException: Some tags contain invalid characters. Valid characters: UTF-8 letters, spaces, "
            "numbers and _ . / = + - : @.");
  EXPECT_EQ(refused({{"a", "1"}, {"a", "2"}}), "InvalidParameterException");
  std::vector<Tag> many;
  for (int i = 0; i < 50; ++i) many.push_back({"k" + std::to_string(i), "v"});
  EXPECT_EQ(refused(many), "InvalidParameterException");  // one is there already
}

TEST_F(Tags, OnlyExistingResourcesHaveTags) {
  run_json(&create_cluster, "{}");
  run_json(&delete_cluster, R"({"cluster":"default"})");
  auto error = [&](const std::string& arn) {
    return error_of(&list_tags_for_resource, R"({"resourceArn":")" + arn + R"("})");
  };
  EXPECT_EQ(error(cluster_),
            "InvalidParameterException: The specified cluster is inactive. Specify an active cluster and try again.");
  EXPECT_EQ(error("arn:aws:ecs:us-east-1:111111111111:cluster/none"), "ClusterNotFoundException: Cluster not found.");
  EXPECT_EQ(error(definition_), "ClientException: Unable to describe task definition.");
  EXPECT_THAT(error("arn:aws:ecs:us-east-1:111111111111:service/a/b"), HasSubstr("InvalidParameterException: The specified"));
  EXPECT_THAT(error("arn:aws:ecs:us-east-1:222222222222:cluster/default"),
              HasSubstr("InvalidParameterException: The specified resource was not found"));
  EXPECT_THAT(error("default"), HasSubstr("InvalidParameterException"));
}

}  // namespace
}  // namespace services::ecs
