// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "scheduler/test_services.h"

namespace scheduler {
namespace {

using test::expect_plans;

TEST(Verdict, ADeploymentIsCompletedOnceItsTasksHaveProvedThemselves) {
  expect_plans({
      {"all desired tasks run for long enough", "2 100/200", {"1"}, {"2x 1 running started=5"}, "completed, steady"},
      {"not yet", "2 100/200", {"1"}, {"1 running started=5", "1 running started=2"}, "next 3"},
      {"one is missing", "2 100/200", {"1"}, {"1 running", "1 pending"}, ""},
      {"one has unknown health", "1 100/200", {"1"}, {"1 running unknown"}, ""},
      {"nothing is desired", "0 100/200", {"1"}, {}, "completed, steady"},
      {"an old task still runs",
       "1 100/200",
       {"2", "1"},
       {"2 running", "1 running protected=9"},
       "protected 1, next 9"},
      {"an old task still stops", "1 100/200", {"2", "1"}, {"2 running", "1 stopping"}, ""},
      {"a task of its own that stops does not matter", "1 100/200", {"2"}, {"2 running", "2 stopping"}, "completed"},
      {"the old deployment is gone", "1 100/200", {"2", "1"}, {"2 running"}, "retire 1, completed, steady"},
      {"bake time counts from the last start",
       "2 100/200 bake=60",
       {"1"},
       {"1 running started=50", "1 running started=20"},
       "next 40"},
      {"and ends", "1 100/200 bake=60", {"1"}, {"1 running started=60"}, "completed, steady"},
      {"only once", "1 100/200", {"1 completed"}, {"1 running"}, "steady"},
  });
}

TEST(Verdict, TheCircuitBreakerOpensAtItsThreshold) {
  expect_plans({
      {"below it", "1 100/200 breaker", {"1 failures=2 ago=0"}, {}, "start 1 of 1"},
      {"at it", "1 100/200 breaker", {"1 failures=3 ago=0"}, {}, "breaker failed"},
      {"switched off", "1 100/200", {"1 failures=3 ago=0"}, {}, "throttled, next 10"},
      {"with a rollback",
       "1 100/200 breaker rollback target",
       {"2 failures=3 ago=0", "1 completed"},
       {"1 running"},
       "breaker failed, roll back"},
      {"which needs a target", "1 100/200 breaker rollback", {"1 failures=3 ago=0"}, {}, "breaker failed"},
      {"pending tasks stop",
       "2 100/200 breaker",
       {"1 failures=3 ago=0"},
       {"1 pending"},
       "stop t01 pending, breaker failed"},
      {"half of many tasks",
       "25 100/200 breaker",
       {"1 failures=13 ago=0"},
       {"12x 1 pending"},
       "stop t01 pending, stop t02 pending, stop t03 pending, stop t04 pending, stop t05 pending, stop t06 pending, "
       "stop t07 pending, stop t08 pending, stop t09 pending, stop t10 pending, stop t11 pending, stop t12 pending, "
       "breaker failed"},
      {"a completed deployment does not fail",
       "1 100/200 breaker",
       {"1 completed failures=3 ago=0"},
       {},
       "throttled, next 10"},
  });
}

TEST(Verdict, TheThresholdIsHalfOfTheDesiredTasksFrom3To200) {
  EXPECT_EQ(breaker_threshold(0), 3);
  EXPECT_EQ(breaker_threshold(1), 3);
  EXPECT_EQ(breaker_threshold(7), 4);
  EXPECT_EQ(breaker_threshold(25), 13);
  EXPECT_EQ(breaker_threshold(400), 200);
  EXPECT_EQ(breaker_threshold(800), 200);
}

TEST(Verdict, TheThresholdMayBeAnotherShareOrANumber) {
  using Kind = FailureThreshold::Kind;
  EXPECT_EQ(breaker_threshold(10, {Kind::BoundedPercent, 100}), 10);
  EXPECT_EQ(breaker_threshold(10, {Kind::BoundedPercent, 10}), 3);
  EXPECT_EQ(breaker_threshold(1000, {Kind::BoundedPercent, 75}), 200);
  EXPECT_EQ(breaker_threshold(1000, {Kind::UnboundedPercent, 75}), 750);
  EXPECT_EQ(breaker_threshold(11, {Kind::UnboundedPercent, 10}), 2);
  EXPECT_EQ(breaker_threshold(0, {Kind::UnboundedPercent, 50}), 1) << "nothing fails without a failure";
  EXPECT_EQ(breaker_threshold(1000, {Kind::Count, 2}), 2);
}

TEST(Verdict, TheCircuitBreakerMayCountFailuresBeforeAHealthyTask) {
  expect_plans({
      {"a number of its own", "1 100/200 breaker count=1", {"1 failures=1 ago=0"}, {}, "breaker failed"},
      {"earlier ones do not count",
       "2 100/200 breaker",
       {"1 failures=1 earlier=2 ago=1"},
       {"1 running started=2"},
       "start 1 of 1, next 3"},
      {"unless they are to",
       "2 100/200 breaker sums",
       {"1 failures=1 earlier=2 ago=1"},
       {"1 running started=2"},
       "breaker failed, next 3"},
      {"also when the last ones are over",
       "2 100/200 breaker sums",
       {"1 failures=1 earlier=2 ago=9"},
       {"1 running started=5"},
       "breaker failed, healthy again"},
  });
}

TEST(Verdict, AnAlarmFailsADeploymentInProgress) {
  expect_plans({
      {"while it starts tasks", "1 100/200", {"1 alarmed"}, {}, "alarm failed"},
      {"in its bake time",
       "1 100/200 alarms target bake=60",
       {"2 alarmed", "1 completed"},
       {"2 running started=10"},
       "retire 1, alarm failed, roll back"},
      {"without a target", "1 100/200 alarms", {"1 alarmed"}, {}, "alarm failed"},
      {"its own switch decides about the rollback",
       "1 100/200 breaker rollback target",
       {"2 alarmed", "1 completed"},
       {"1 running"},
       "alarm failed"},
      {"not after it", "1 100/200", {"1 completed alarmed"}, {"1 running"}, "steady"},
  });
}

TEST(Verdict, ATaskThatProvesItselfEndsFailuresInARow) {
  expect_plans({
      {"after the last failure",
       "2 100/200",
       {"1 failures=3 ago=1"},
       {"1 running started=5"},
       "start 1 of 1, healthy again"},
      {"not one that had run before it",
       "2 100/200",
       {"1 failures=3 ago=1"},
       {"1 running started=50"},
       "throttled, next 9"},
      {"not yet", "2 100/200", {"1 failures=3 ago=1"}, {"1 running started=3"}, "throttled, next 2"},
      {"the circuit breaker stays closed then",
       "1 100/200 breaker",
       {"1 failures=3 ago=2"},
       {"1 running started=5"},
       "completed, healthy again, steady"},
  });
}

TEST(Verdict, ASteadyServiceHasNothingElse) {
  expect_plans({
      {"no task that stops", "1 100/200", {"1 completed"}, {"1 running", "1 stopping"}, ""},
      {"no task on a DRAINING machine",
       "1 100/200",
       {"1 completed"},
       {"1 running", "1 running leaving"},
       "stop t02 draining"},
      {"no deployment in progress", "1 100/200", {"1"}, {"1 running started=1"}, "next 4"},
      {"no failed deployment", "1 100/200", {"1 failed"}, {"1 running"}, ""},
  });
}

TEST(Verdict, ADeploymentWithoutTasksIsRetired) {
  expect_plans({
      {"without any", "1 100/200", {"3", "2", "1"}, {"3 pending", "1 stopping"}, "retire 2"},
      {"all", "1 100/200", {"3", "2", "1"}, {"3 pending"}, "retire 2, retire 1"},
  });
}

}  // namespace
}  // namespace scheduler
