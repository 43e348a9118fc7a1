// SPDX-License-Identifier: Apache-2.0
#include "api/machine_access.h"

#include <gtest/gtest.h>

#include "wire/error.h"

namespace api {
namespace {

bool machine_denied(std::string_view service, std::string_view operation, bool machine = true) {
  services::Caller caller;
  caller.machine = machine;
  try {
    check_machine_access(caller, service, operation);
  } catch (const wire::ApiError& error) {
    EXPECT_EQ(error.code(), "AccessDeniedException");
    return true;
  }
  return false;
}

TEST(MachineAccess, AMachineRegistersReportsAndShipsLogs) {
  EXPECT_FALSE(machine_denied("ecs", "RegisterContainerInstance"));
  EXPECT_FALSE(machine_denied("ecs", "SubmitTaskStateChange"));
  EXPECT_FALSE(machine_denied("logs", "PutLogEvents"));
}

TEST(MachineAccess, AMachineDoesNothingElse) {
  for (const char* operation : {"RunTask", "StartTask", "StopTask", "ListTasks", "DescribeTasks", "DeregisterContainerInstance",
                                "UpdateContainerInstancesState", "PutAttributes", "TagResource", "StokerExplain"}) {
    EXPECT_TRUE(machine_denied("ecs", operation)) << operation;
  }
  EXPECT_TRUE(machine_denied("logs", "GetLogEvents"));
  EXPECT_TRUE(machine_denied("sqs", "ReceiveMessage"));
  EXPECT_TRUE(machine_denied("sqs", "PutLogEvents"));
  EXPECT_TRUE(machine_denied("sts", "GetSessionToken"));
  EXPECT_TRUE(machine_denied("sts", "AssumeRole"));
  EXPECT_TRUE(machine_denied("ec2", "TerminateInstances"));
  for (const char* operation : {"CreateKey", "ListKeys", "CreateJoinToken", "CreateMachineKey"}) {
    EXPECT_TRUE(machine_denied("stoker", operation)) << operation;
  }
}

TEST(MachineAccess, OthersMay) {
  EXPECT_FALSE(machine_denied("ecs", "RunTask", false));
  EXPECT_FALSE(machine_denied("stoker", "CreateKey", false));
}

}  // namespace
}  // namespace api
