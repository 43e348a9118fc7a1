// SPDX-License-Identifier: Apache-2.0
// The log driver awslogs as the agent gets it.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/tasks/agent_work.h"

namespace services::ecs {
namespace {

class PayloadLog : public MachinesTest {
 protected:
  // Options of the log driver by name, as JSON; of a task with one container.
  std::string options_sent(const std::string& options) {
    const shapes::agent::Task task = task_sent(options, R"({"name":"stoker.agent"},)");
    task_id_ = task.arn.substr(task.arn.rfind('/') + 1);
    return options_of(task);
  }
  static std::string options_of(const shapes::agent::Task& task) {
    const auto host = boost::json::parse(*task.containers[0].dockerConfig.hostConfig);
    return boost::json::serialize(host.at("LogConfig").at("Config"));
  }
  shapes::agent::Task task_sent(const std::string& options, const std::string& attributes) {
    const std::string id = add_writer(attributes);
    register_json(with_container(
        R"("logConfiguration":{"logDriver":"awslogs","options":{"awslogs-region":"r","awslogs-group":"g")" + options +
        "}}"));
    run_family("f", R"("overrides":{"executionRoleArn":"exec"})");
    shapes::agent::Task task;
    with_call([&](Call& call) { task = work_for(call, admit(call, "default", id), {}).tasks.at(0); });
    return task;
  }
  // A machine that writes the output of containers to CloudWatch Logs.
  std::string add_writer(const std::string& attributes) {
    auto response = run_json(&register_container_instance,
                             R"({"totalResources":[{"name":"CPU","type":"INTEGER","integerValue":4096},
             {"name":"MEMORY","type":"INTEGER","integerValue":8000}],
             "attributes":[)" + attributes + R"({"name":"com.amazonaws.ecs.capability.logging-driver.awslogs"},
             {"name":"com.amazonaws.ecs.capability.docker-remote-api.1.19"}]})");
    const std::string arn = *response.containerInstance->containerInstanceArn;
    const std::string id = arn.substr(arn.rfind('/') + 1);
    with_call([&](Call& call) { set_connected(call, model::InstanceId(id), true); });
    return id;
  }
  std::string task_id_;
};

TEST_F(PayloadLog, APrefixBecomesTheNameOfTheStream) {
  const std::string sent = options_sent(R"(,"awslogs-stream-prefix":"web","mode":"blocking")");
  EXPECT_EQ(sent, R"({"awslogs-group":"g","awslogs-region":"r","awslogs-stream":"web/c/)" + task_id_ +
                      R"(","mode":"blocking"})");
}

TEST_F(PayloadLog, TheDefaultIsNonBlockingWithTenMegabytes) {
  EXPECT_EQ(options_sent(""), R"({"awslogs-group":"g","awslogs-region":"r","max-buffer-size":"10m","mode":"non-blocking"})");
}

TEST_F(PayloadLog, TheAccountChoosesTheModeWhereTheDefinitionDoesNot) {
  run_json(&put_account_setting, R"({"name":"defaultLogDriverMode","value":"blocking"})");
  EXPECT_EQ(options_sent(R"(,"max-buffer-size":"1m")"), R"({"awslogs-group":"g","awslogs-region":"r","mode":"blocking"})");
}

// Amazon's agent leaves the log to Docker's driver.
TEST_F(PayloadLog, DockersDriverGetsThisServersEndpointAndTheExecutionRole) {
  caller_.endpoint = "http://10.0.0.1:4566";
  const shapes::agent::Task task = task_sent("", "");
  EXPECT_EQ(options_of(task), R"({"awslogs-endpoint":"http://10.0.0.1:4566","awslogs-group":"g","awslogs-region":"r",)"
                              R"("max-buffer-size":"10m","mode":"non-blocking"})");
  EXPECT_EQ(task.containers[0].logsAuthStrategy, "ExecutionRole");
  EXPECT_TRUE(task.executionRoleCredentials);
}

}  // namespace
}  // namespace services::ecs
