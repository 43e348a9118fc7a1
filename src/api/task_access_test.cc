// SPDX-License-Identifier: Apache-2.0
#include "api/task_access.h"

#include <gtest/gtest.h>

#include "wire/error.h"

namespace api {
namespace {

bool denied(std::string_view service, std::string_view operation, bool task = true) {
  services::Caller caller;
  caller.task = task;
  try {
    check_task_access(caller, service, operation);
  } catch (const wire::ApiError& error) {
    EXPECT_EQ(error.code(), "AccessDeniedException");
    return true;
  }
  return false;
}

TEST(TaskAccess, ATaskUsesTheServicesOfItsAccount) {
  EXPECT_FALSE(denied("sqs", "ReceiveMessage"));
  EXPECT_FALSE(denied("ecs", "RunTask"));
  EXPECT_FALSE(denied("pipelines", "ReportJobs"));
}

TEST(TaskAccess, ATaskMakesNoKeysAndIsNoMachineOrOperator) {
  EXPECT_TRUE(denied("stoker", "CreateKey"));
  EXPECT_TRUE(denied("stoker", "ListKeys"));
  EXPECT_TRUE(denied("ecs", "RegisterContainerInstance"));
  EXPECT_TRUE(denied("ecs", "SubmitTaskStateChange"));
  EXPECT_TRUE(denied("ecs", "StokerExplain"));
  EXPECT_TRUE(denied("pipelines", "CreatePipelineKey"));
}

TEST(TaskAccess, OthersMay) {
  EXPECT_FALSE(denied("stoker", "CreateKey", false));
  EXPECT_FALSE(denied("ecs", "RegisterContainerInstance", false));
}

}  // namespace
}  // namespace api
