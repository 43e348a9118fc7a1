// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_health.h"

#include <gtest/gtest.h>

#include "agent/drivers/process_fixture.h"

namespace agent::drivers {
namespace {

class ProcessHealth : public ProcessFixture {
 protected:
  // Checked every 10 ms; unhealthy after two failures.
  ContainerSpec checked(const std::string& test, const std::string& script = "sleep 1000") {
    ContainerSpec container = shell(script);
    container.container.environment["MARK"] = folder_ + "/mark";
    container.container.dockerConfig.config = R"({"Healthcheck": {"Test": ["CMD-SHELL", ")" + test +
                                              R"("], "Interval": 10000000, "Timeout": 60000000000, "Retries": 2}})";
    return container;
  }
  std::string health(const std::string& id, const std::string& known) {
    const auto answer = run(driver_->health(id, known));
    return answer ? *answer : "error: " + answer.error();
  }
};

TEST_F(ProcessHealth, HealthFollowsTheResultOfTheCheck) {
  const std::string id = start(checked("test ! -e $MARK"));
  EXPECT_EQ(health(id, ""), "UNKNOWN");
  EXPECT_EQ(health(id, "UNKNOWN"), "HEALTHY");
  std::ofstream(folder_ + "/mark") << "x";
  EXPECT_EQ(health(id, "HEALTHY"), "UNHEALTHY");
  std::filesystem::remove(folder_ + "/mark");
  EXPECT_EQ(health(id, "UNHEALTHY"), "HEALTHY");
}

TEST_F(ProcessHealth, ACheckThatTakesTooLongFails) {
  ContainerSpec slow = shell("sleep 1000");
  slow.container.dockerConfig.config =
      R"({"Healthcheck": {"Test": ["CMD", "sleep", "1000"], "Interval": 1000000, "Timeout": 20000000, "Retries": 1}})";
  EXPECT_EQ(health(start(slow), "UNKNOWN"), "UNHEALTHY");
}

TEST_F(ProcessHealth, AnEndedProcessIsNotChecked) {
  const std::string id = start(checked("true", "while [ ! -e $MARK ]; do sleep 0.01; done"));
  EXPECT_EQ(health(id, "UNKNOWN"), "HEALTHY");
  std::ofstream(folder_ + "/mark") << "x";
  EXPECT_EQ(health(id, "HEALTHY"), "error: process " + id + " is not running");
}

TEST_F(ProcessHealth, WithoutACheckHealthIsUnknownUntilTheEnd) {
  const std::string id = start(shell("exit 0"));
  EXPECT_EQ(health(id, ""), "UNKNOWN");
  EXPECT_EQ(health(id, "UNKNOWN"), "error: process " + id + " is not running");
}

TEST(HealthCheck, OnlyConsecutiveFailuresAfterTheStartPeriodCount) {
  const ShimHealthCheck check{.retries = 2};
  HealthState health;
  for (int i = 0; i < 5; ++i) record_check(health, check, false, true);
  EXPECT_EQ(health.status, "UNKNOWN");
  record_check(health, check, false, false);
  record_check(health, check, true, false);
  record_check(health, check, false, false);
  EXPECT_EQ(health.status, "HEALTHY");
  record_check(health, check, false, true);
  EXPECT_EQ(health.status, "UNHEALTHY") << "the start period ends with the first success";
}

}  // namespace
}  // namespace agent::drivers
