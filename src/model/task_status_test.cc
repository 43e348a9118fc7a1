// SPDX-License-Identifier: Apache-2.0
#include "model/task_status.h"

#include <gtest/gtest.h>

#include <array>

#include "model/instance.h"

namespace model {
namespace {

constexpr auto kTaskStatuses = [] {
  using enum TaskStatus;
  return std::array{Provisioning, Pending, Activating, Running, Deactivating, Stopping, Deprovisioning, Stopped, Deleted};
}();

TEST(TaskStatus, EveryStatusRoundTripsThroughItsText) {
  using enum TaskStatus;
  for (TaskStatus status : kTaskStatuses) EXPECT_EQ(task_status(text(status)), status);
  EXPECT_EQ(text(Deprovisioning), "DEPROVISIONING");
  EXPECT_EQ(task_status("running"), std::nullopt);
}

TEST(TaskStatus, NeverMovesBackwardsNorStays) {
  for (TaskStatus from : kTaskStatuses) {
    for (TaskStatus to : kTaskStatuses) {
      EXPECT_TRUE(to > from || !may_become(from, to)) << text(from) << " -> " << text(to);
    }
  }
}

TEST(TaskStatus, AnAgentReportsRunningAndStoppedOnly) {
  using enum TaskStatus;
  EXPECT_TRUE(may_become(Pending, Running));
  EXPECT_TRUE(may_become(Running, Stopped));
  EXPECT_TRUE(may_become(Pending, Stopped));
}

TEST(TaskStatus, ATaskThatWaitsForCapacityIsPlacedBeforeItRuns) {
  using enum TaskStatus;
  EXPECT_TRUE(may_become(Provisioning, Pending));
  EXPECT_FALSE(may_become(Provisioning, Running));
}

TEST(TaskStatus, EveryLivingStatusMayEndAtOnce) {
  using enum TaskStatus;
  for (TaskStatus from : kTaskStatuses) EXPECT_EQ(may_become(from, Stopped), from < Stopped) << text(from);
}

TEST(TaskStatus, OnlyAStoppedTaskIsDeleted) {
  using enum TaskStatus;
  for (TaskStatus from : kTaskStatuses) EXPECT_EQ(may_become(from, Deleted), from == Stopped) << text(from);
}

TEST(TaskStatus, ResourcesAreHeldFromPlacementUntilStopped) {
  using enum TaskStatus;
  EXPECT_FALSE(holds_resources(Provisioning));
  EXPECT_TRUE(holds_resources(Pending));
  EXPECT_TRUE(holds_resources(Deprovisioning));
  EXPECT_FALSE(holds_resources(Stopped));
}

TEST(DesiredStatus, AStoppingTaskNeverRunsAgain) {
  EXPECT_TRUE(may_become(DesiredStatus::Running, DesiredStatus::Stopped));
  EXPECT_FALSE(may_become(DesiredStatus::Stopped, DesiredStatus::Running));
  EXPECT_EQ(desired_status("STOPPED"), DesiredStatus::Stopped);
  EXPECT_EQ(desired_status("PENDING"), std::nullopt);
}

TEST(StopCode, TextIsAmazonsSpelling) {
  EXPECT_EQ(text(StopCode::EssentialContainerExited), "EssentialContainerExited");
  EXPECT_EQ(stop_code("TerminationNotice"), StopCode::TerminationNotice);
  EXPECT_EQ(stop_code("Bored"), std::nullopt);
}

TEST(InstanceStatus, DrainingMayBeUndone) {
  EXPECT_TRUE(may_become(InstanceStatus::Active, InstanceStatus::Draining));
  EXPECT_TRUE(may_become(InstanceStatus::Draining, InstanceStatus::Active));
}

TEST(InstanceStatus, ADeregisteredInstanceStaysDeregistered) {
  EXPECT_TRUE(may_become(InstanceStatus::Draining, InstanceStatus::Inactive));
  EXPECT_FALSE(may_become(InstanceStatus::Inactive, InstanceStatus::Active));
  EXPECT_FALSE(may_become(InstanceStatus::Deregistering, InstanceStatus::Active));
}

TEST(InstanceStatus, TextRoundTrips) {
  EXPECT_EQ(instance_status("REGISTRATION_FAILED"), InstanceStatus::RegistrationFailed);
  EXPECT_EQ(text(InstanceStatus::Draining), "DRAINING");
  EXPECT_EQ(instance_status(""), std::nullopt);
}

}  // namespace
}  // namespace model
