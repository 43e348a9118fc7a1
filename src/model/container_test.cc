// SPDX-License-Identifier: Apache-2.0
#include "model/container.h"

#include <gtest/gtest.h>

namespace model {
namespace {

using namespace std::chrono_literals;

TEST(Container, StatusesMoveForwardOnly) {
  using enum ContainerStatus;
  EXPECT_TRUE(may_become(Pending, Running));
  EXPECT_TRUE(may_become(Pending, Stopped));
  EXPECT_FALSE(may_become(Stopped, Running));
  EXPECT_FALSE(may_become(Running, Running));
  EXPECT_EQ(container_status("RUNNING"), Running);
  EXPECT_EQ(container_status("PULLED"), std::nullopt);
  EXPECT_EQ(health("UNHEALTHY"), Health::Unhealthy);
  EXPECT_EQ(health(""), std::nullopt);
}

TEST(Container, IsRestartedAfterAWholePeriodOnly) {
  RestartPolicy policy{.enabled = true, .attempt_period = 60s};
  EXPECT_TRUE(restarts(policy, 1, 60s));
  EXPECT_TRUE(restarts(policy, 0, 2h));
  EXPECT_FALSE(restarts(policy, 1, 59999ms));
}

TEST(Container, IsNotRestartedWithoutAPolicyOrWithAnIgnoredCode) {
  EXPECT_FALSE(restarts({}, 1, 1h));
  RestartPolicy policy{.enabled = true, .ignored_exit_codes = {0, 143}};
  EXPECT_FALSE(restarts(policy, 143, 1h));
  EXPECT_TRUE(restarts(policy, 1, 1h));
}

TEST(Container, ATaskRunsOnceEachOfItsContainersHasStarted) {
  using enum ContainerStatus;
  std::vector<ContainerState> containers = {{.status = Running}, {.status = Pending}};
  EXPECT_EQ(known_status(containers), TaskStatus::Pending);
  containers[1].status = Running;
  EXPECT_EQ(known_status(containers), TaskStatus::Running);
  containers[1] = {.essential = false, .status = Stopped};
  EXPECT_EQ(known_status(containers), TaskStatus::Running);
  containers[0].status = Stopped;
  EXPECT_EQ(known_status(containers), TaskStatus::Stopped);
}

TEST(Container, ATaskIsAsHealthyAsItsEssentialContainers) {
  std::vector<ContainerState> containers = {{.health = Health::Healthy},
                                            {.essential = false, .health = Health::Unhealthy}};
  EXPECT_EQ(task_health(containers), Health::Healthy);
  containers.push_back({.health = Health::Unknown});
  EXPECT_EQ(task_health(containers), Health::Unknown);
  containers.push_back({.health = Health::Unhealthy});
  EXPECT_EQ(task_health(containers), Health::Unhealthy);
}

TEST(Container, ATaskWithoutHealthChecksHasUnknownHealth) {
  using enum ContainerStatus;
  std::vector<ContainerState> containers = {{.status = Running}};
  EXPECT_EQ(task_health(containers), Health::Unknown);
  EXPECT_EQ(task_health({}), Health::Unknown);
}

}  // namespace
}  // namespace model
