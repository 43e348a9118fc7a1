// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/services_fixture.h"

namespace services::ecs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kNoTask[] = "0123456789abcdef0123456789abcdef";

class TaskProtection : public ServicesTest {
 protected:
  static std::string update(const std::string& more, const std::string& tasks = std::string("\"") + kNoTask + "\"") {
    return R"({"cluster":"default","tasks":[)" + tasks + R"(],"protectionEnabled":true)" + more + "}";
  }
};

TEST_F(TaskProtection, AMissingTaskIsAFailure) {
  const std::string missing = std::string(R"({"protectedTasks":[],"failures":[{"arn":")") +
                              "arn:aws:ecs:us-east-1:111111111111:task/default/" + kNoTask + R"(","reason":"MISSING"}]})";
  EXPECT_EQ(to_json(run_json(&update_task_protection, update(""))), missing);
  EXPECT_EQ(to_json(run_json(&get_task_protection, R"({"cluster":"default","tasks":[")" + std::string(kNoTask) + "\"]}")),
            missing);
  EXPECT_EQ(to_json(run_json(&get_task_protection, R"({"cluster":"default"})")),
            R"({"protectedTasks":[],"failures":[]})");
}

TEST_F(TaskProtection, KeepsToAmazonsLimits) {
  EXPECT_EQ(error_of(&update_task_protection, update(R"(,"expiresInMinutes":2880)")), "");
  for (const char* minutes : {"0", "2881", "-1"}) {
    EXPECT_THAT(error_of(&update_task_protection, update(std::string(R"(,"expiresInMinutes":)") + minutes)),
                HasSubstr("expiresInMinutes should be between 1 and 2880."));
  }
  std::string eleven;
  for (int i = 0; i < 11; ++i) eleven += (i ? ",\"" : "\"") + std::string(kNoTask) + "\"";
  EXPECT_EQ(error_of(&update_task_protection, update("", eleven)),
            "InvalidParameterException: taskIds can have at most 10 items.");
  EXPECT_EQ(error_of(&update_task_protection, update("", "\"short\"")),
            "InvalidParameterException: taskId length should be one of [32,36]");
  EXPECT_THAT(error_of(&update_task_protection, update("", "")), HasSubstr("Tasks cannot be empty."));
}

TEST_F(TaskProtection, ATaskOfAServiceIsProtectedForTwoHours) {
  create();
  const auto arns = start(add_machine("a", 0), 2);
  const auto quoted = "\"" + arns[0] + "\"";
  const auto shown = [&] { return *run(&get_task_protection, {.cluster = "default", .tasks = arns}).protectedTasks; };
  EXPECT_FALSE(*shown()[0].protectionEnabled);
  const auto changed = run_json(&update_task_protection, update("", quoted));
  EXPECT_TRUE(woke_services());
  EXPECT_THAT(*changed.failures, IsEmpty());
  EXPECT_EQ(changed.protectedTasks->at(0).expirationDate, now_ + std::chrono::hours(2));
  EXPECT_EQ(shown()[0], changed.protectedTasks->at(0));
  EXPECT_FALSE(*shown()[1].protectionEnabled);
  now_ += std::chrono::hours(2);
  EXPECT_FALSE(*shown()[0].protectionEnabled);
  EXPECT_FALSE(shown()[0].expirationDate);
  run_json(&update_task_protection, update(R"(,"expiresInMinutes":1)", quoted));
  EXPECT_EQ(shown()[0].expirationDate, now_ + std::chrono::minutes(1));
  run_json(&update_task_protection,
           R"({"cluster":"default","protectionEnabled":false,"tasks":[)" + quoted + "]}");
  EXPECT_FALSE(*shown()[0].protectionEnabled);
}

TEST_F(TaskProtection, OnlyLiveTasksOfServicesAreValid) {
  create();
  const std::string machine = add_machine("a", 0);
  const std::string standalone = *run_family("plain").tasks->at(0).taskArn, stopping = start(machine, 1)[0];
  change_task(stopping, [&](state::TaskState& task) {
    task.desired = model::DesiredStatus::Stopped;
    task.stopping_at = now_;
  });
  for (const std::string& arn : {standalone, stopping}) {
    const auto refused = run_json(&update_task_protection, update("", "\"" + arn + "\""));
    EXPECT_FALSE(woke_services());
    EXPECT_THAT(*refused.protectedTasks, IsEmpty());
    EXPECT_EQ(to_json(refused.failures->at(0)), R"({"arn":")" + arn + R"(","reason":"TASK_NOT_VALID"})");
    EXPECT_EQ(run(&get_task_protection, {.cluster = "default", .tasks = {{arn}}}).failures, refused.failures);
  }
}

TEST_F(TaskProtection, MoreProtectedTasksThanDesiredWouldBlockADeployment) {
  create();
  const auto arns = start(add_machine("a", 0), 3);
  const auto all = "\"" + arns[0] + "\",\"" + arns[1] + "\",\"" + arns[2] + "\"";
  const auto changed = run_json(&update_task_protection, update("", all));
  EXPECT_EQ(changed.protectedTasks->size(), 2u);
  EXPECT_EQ(to_json(*changed.failures), R"([{"arn":")" + arns[2] + R"(","reason":"DEPLOYMENT_BLOCKED"}])");
  // A task that is protected may extend that even where the service wants fewer tasks by now.
  ServicesTest::update(R"("desiredCount":1)");
  EXPECT_THAT(*run_json(&update_task_protection, update("", "\"" + arns[0] + "\"")).failures, IsEmpty());
}

}  // namespace
}  // namespace services::ecs
