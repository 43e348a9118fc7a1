// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/ecs_fixture.h"

namespace services::ecs {
namespace {

using testing::HasSubstr;

constexpr char kNoTask[] = "0123456789abcdef0123456789abcdef";

class TaskProtection : public EcsTest {
 protected:
  TaskProtection() { run_json(&create_cluster, "{}"); }
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

}  // namespace
}  // namespace services::ecs
