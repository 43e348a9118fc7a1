// SPDX-License-Identifier: Apache-2.0
// The launch type EXTERNAL: for machines whose agent runs with ECS_EXTERNAL=true.
#include <gmock/gmock.h>

#include "services/ecs/machines/machines_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class LaunchTypeTest : public MachinesTest {
 protected:
  // Its agent states what it is.
  void add_external() {
    const auto response = run_json(&register_container_instance,
                                   R"({"totalResources":[{"name":"CPU","type":"INTEGER","integerValue":4096},
        {"name":"MEMORY","type":"INTEGER","integerValue":8000}],"attributes":[{"name":"ecs.capability.external"}]})");
    const std::string arn = *response.containerInstance->containerInstanceArn;
    external_ = arn.substr(arn.rfind('/') + 1);
    with_call([&](Call& call) { set_connected(call, model::InstanceId(external_), true); });
  }
  std::vector<std::string> list(const std::string& type) {
    return *run_json(&list_tasks, R"({"launchType":")" + type + "\"}").taskArns;
  }

  // The statistics of the cluster that are not 0.
  std::map<std::string, std::string> statistics() {
    std::map<std::string, std::string> found;
    const auto cluster = run_json(&describe_clusters, R"({"include":["STATISTICS"]})").clusters->at(0);
    for (const auto& one : *cluster.statistics) {
      if (one.value != "0") found[*one.name] = *one.value;
    }
    return found;
  }

  std::string external_;
};

TEST_F(LaunchTypeTest, AnExternalTaskRunsOnAnExternalMachine) {
  add_machine("box", 0);
  const auto refused = run_family("plain", R"("launchType":"EXTERNAL")");
  EXPECT_THAT(*refused.tasks, IsEmpty());
  EXPECT_EQ(*refused.failures->at(0).reason, "ATTRIBUTE");
  add_external();
  const Task task = run_family("plain", R"("launchType":"EXTERNAL")").tasks->at(0);
  EXPECT_THAT(*task.containerInstanceArn, HasSubstr(external_));
  EXPECT_EQ(*task.launchType, "EXTERNAL");
  EXPECT_EQ(*describe(task).launchType, "EXTERNAL");
  const Task usual = run_family("plain").tasks->at(0);
  EXPECT_EQ(*usual.launchType, "EC2");
  EXPECT_THAT(list("EXTERNAL"), ElementsAre(*task.taskArn));
  EXPECT_THAT(list("EC2"), ElementsAre(*usual.taskArn));
  EXPECT_THAT(list("FARGATE"), IsEmpty());
}

TEST_F(LaunchTypeTest, AClusterCountsEachTypeOfItsOwn) {
  add_machine("box", 0);
  add_external();
  const Task task = run_family("plain", R"("launchType":"EXTERNAL")").tasks->at(0);
  run_family("plain");
  EXPECT_THAT(statistics(), ElementsAre(Pair("pendingEC2TasksCount", "1"), Pair("pendingExternalTasksCount", "1")));
  run_json(&submit_task_state_change, R"({"task":")" + *task.taskArn + R"(","status":"RUNNING"})");
  run_json(&create_service, R"({"serviceName":"a","taskDefinition":"plain","desiredCount":1,"launchType":"EXTERNAL"})");
  run_json(&create_service, R"({"serviceName":"b","taskDefinition":"plain","desiredCount":1})");
  run_json(&create_service, R"({"serviceName":"c","taskDefinition":"plain","desiredCount":1,"launchType":"EXTERNAL"})");
  run_json(&delete_service, R"({"service":"c","force":true})");
  EXPECT_THAT(statistics(), ElementsAre(Pair("activeEC2ServiceCount", "1"), Pair("activeExternalServiceCount", "1"),
                                        Pair("drainingExternalServiceCount", "1"), Pair("pendingEC2TasksCount", "1"),
                                        Pair("runningExternalTasksCount", "1")));
}

TEST_F(LaunchTypeTest, OtherTypesAreRejectedByName) {
  add_machine("box", 0);
  EXPECT_THAT(error_of(&run_task, R"({"taskDefinition":"plain","launchType":"MANAGED_INSTANCES"})"),
              HasSubstr("launchType MANAGED_INSTANCES is not supported"));
  EXPECT_THAT(error_of(&run_task, R"({"taskDefinition":"plain","launchType":"EXTERNAL","platformVersion":"1.4.0"})"),
              HasSubstr("must be null when specifying an EXTERNAL launch type"));
}

}  // namespace
}  // namespace services::ecs
