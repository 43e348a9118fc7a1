// SPDX-License-Identifier: Apache-2.0
// Services with a desired count: each rule in words. tests/sim has them meet.
#include <gtest/gtest.h>

#include "scheduler/test_services.h"

namespace scheduler {
namespace {

using test::expect_plans;

TEST(Reconcile, AServiceRunsAsManyTasksAsDesired) {
  expect_plans({
      {"a new service starts all of its tasks", "3 100/200", {"1"}, {}, "start 3 of 1"},
      {"a pending task counts", "3 100/200", {"1"}, {"1 pending"}, "start 2 of 1"},
      {"a task that stops does not", "2 100/200", {"1 completed"}, {"1 running", "1 stopping"}, "start 1 of 1"},
      {"nothing is desired, nothing runs", "0 100/200", {"1 completed"}, {}, "steady"},
      {"all run", "2 100/200", {"1 completed"}, {"2x 1 running"}, "steady"},
      {"a lost task is replaced", "2 100/200", {"1 completed"}, {"1 running"}, "start 1 of 1"},
      {"also at a maximum of 100 percent", "2 100/100", {"1 completed"}, {"1 running"}, "start 1 of 1"},
      {"more are desired", "4 100/100", {"1 completed"}, {"2x 1 running"}, "start 2 of 1"},
  });
}

TEST(Reconcile, AScaleInStopsTheRightTasks) {
  expect_plans({
      {"all when none is desired",
       "0 100/200",
       {"1 completed"},
       {"2x 1 running"},
       "stop t01 scale-in, stop t02 scale-in"},
      {"a pending one first", "1 100/200", {"1 completed"}, {"1 running", "1 pending"}, "stop t02 pending"},
      {"one that is not healthy yet before a healthy one",
       "1 100/200",
       {"1 completed"},
       {"1 running healthy", "1 running unknown"},
       "stop t02 scale-in"},
      {"in the zone with the most tasks",
       "2 100/200",
       {"1 completed"},
       {"1 running zone=a on=m1", "1 running zone=b on=m2", "1 running zone=b on=m3"},
       "stop t02 scale-in"},
      {"then on the machine with the most tasks",
       "2 100/200",
       {"1 completed"},
       {"1 running zone=a on=m1", "1 running zone=a on=m2", "1 running zone=a on=m2"},
       "stop t02 scale-in"},
      {"then the youngest",
       "1 100/200",
       {"1 completed"},
       {"1 running started=50", "1 running started=40"},
       "stop t02 scale-in"},
      {"each choice counts for the next",
       "2 100/200",
       {"1 completed"},
       {"2x 1 running zone=a on=m1", "2x 1 running zone=b on=m2"},
       "stop t01 scale-in, stop t03 scale-in"},
  });
}

TEST(Reconcile, TheBoundsRoundInFavourOfTheService) {
  expect_plans({
      {"75 percent of 2 are 2: none can stop", "2 75/100", {"2", "1 completed"}, {"2x 1 running"}, "stuck"},
      {"125 percent of 3 are 3: none can start", "3 100/125", {"2", "1 completed"}, {"3x 1 running"}, "stuck"},
      {"50 percent of 1 is 1, 150 percent too", "1 50/150", {"2", "1 completed"}, {"1 running"}, "stuck"},
      {"50 percent of 3 are 2", "3 50/100", {"2", "1 completed"}, {"3x 1 running"}, "start 1 of 2, stop t01 scale-in"},
      {"150 percent of 3 are 4", "3 100/150", {"2", "1 completed"}, {"3x 1 running"}, "start 1 of 2"},
      {"100/150 with 2 has room for a third", "2 100/150", {"2", "1 completed"}, {"2x 1 running"}, "start 1 of 2"},
  });
}

TEST(Reconcile, ARolloutStartsFirstWhereThereIsRoom) {
  expect_plans({
      {"all new ones at once", "3 100/200", {"2", "1 completed"}, {"3x 1 running"}, "start 3 of 2"},
      {"old ones wait for them", "2 100/200", {"2", "1 completed"}, {"2x 1 running", "2x 2 pending"}, ""},
      {"also where the minimum would let them stop", "2 0/200", {"2", "1"}, {"2x 1 running", "2x 2 pending"}, ""},
      {"a healthy new one replaces an old one",
       "2 100/200",
       {"2", "1 completed"},
       {"2x 1 running", "2 running", "2 pending"},
       "stop t01 scale-in"},
      {"one with unknown health does not",
       "1 100/200",
       {"2", "1 completed"},
       {"1 running healthy", "2 running unknown"},
       ""},
      {"all are replaced", "1 100/200", {"2", "1 completed"}, {"1 running", "2 running"}, "stop t01 scale-in"},
      {"the oldest deployment goes first",
       "2 100/200",
       {"3", "2", "1"},
       {"2 running", "1 running", "3 running", "3 pending"},
       "stop t02 scale-in"},
      {"a pending task of a replaced deployment stops at once",
       "1 100/200",
       {"2", "1"},
       {"1 pending"},
       "start 1 of 2, stop t01 pending"},
      {"what stops leaves room", "1 100/100", {"2", "1"}, {"1 stopping"}, "start 1 of 2"},
  });
}

TEST(Reconcile, ARolloutWithoutRoomStopsFirst) {
  expect_plans({
      {"0/100: all at once, and the new ones in the same plan",
       "2 0/100",
       {"2", "1 completed"},
       {"2x 1 running"},
       "start 2 of 2, stop t01 scale-in, stop t02 scale-in"},
      {"0/100 with one task", "1 0/100", {"2", "1 completed"}, {"1 running"}, "start 1 of 2, stop t01 scale-in"},
      {"50/100: half of them", "2 50/100", {"2", "1 completed"}, {"2x 1 running"}, "start 1 of 2, stop t01 scale-in"},
      {"the other half waits", "2 50/100", {"2", "1 completed"}, {"1 stopping", "1 running", "2 pending"}, ""},
      {"until the first is healthy",
       "2 50/100",
       {"2", "1 completed"},
       {"1 running", "2 running"},
       "start 1 of 2, stop t01 scale-in"},
      {"room is used before anything stops for more",
       "4 50/125",
       {"2", "1 completed"},
       {"4x 1 running"},
       "start 3 of 2, stop t01 scale-in, stop t02 scale-in"},
  });
}

TEST(Reconcile, AnOldTaskStopsFirstWhenTheNewOneFindsNoMachine) {
  expect_plans({
      {"one GPU with the minimum of a GPU service: start first",
       "1 0/200",
       {"2", "1 completed"},
       {"1 running"},
       "start 1 of 2"},
      {"and stop first if that is blocked",
       "1 0/200 blocked=1",
       {"2", "1 completed"},
       {"1 running"},
       "start 1 of 2, stop t01 scale-in"},
      {"one GPU with 100/200: the minimum forbids it",
       "1 100/200 blocked=1",
       {"2", "1 completed"},
       {"1 running"},
       "start 1 of 2"},
      {"as many as are blocked",
       "6 0/200 blocked=2",
       {"2", "1 completed"},
       {"6x 1 running"},
       "start 6 of 2, stop t01 scale-in, stop t02 scale-in"},
      {"but half of the service keeps working",
       "4 0/200 blocked=4",
       {"2", "1 completed"},
       {"4x 1 running"},
       "start 4 of 2, stop t01 scale-in, stop t02 scale-in"},
      {"until the new tasks are healthy",
       "4 0/200 blocked=2",
       {"2", "1 completed"},
       {"2x 1 running", "2x 2 pending"},
       "start 2 of 2"},
      {"then the other half follows",
       "4 0/200 blocked=2",
       {"2", "1 completed"},
       {"2x 1 running", "2x 2 running"},
       "start 2 of 2, stop t01 scale-in, stop t02 scale-in"},
      {"down to the minimum",
       "2 50/200 blocked=2",
       {"2", "1 completed"},
       {"2x 1 running"},
       "start 2 of 2, stop t01 scale-in"},
      {"a task that stops already makes room",
       "2 0/200 blocked=1",
       {"2", "1 completed"},
       {"1 stopping", "1 running", "2 running"},
       "start 1 of 2"},
      {"a blocked task of a service without old tasks waits",
       "2 0/200 blocked=1",
       {"1"},
       {"1 running started=3"},
       "start 1 of 1"},
      {"an unhealthy task costs nothing",
       "1 100/200 blocked=1",
       {"1 completed"},
       {"1 running unhealthy"},
       "start 1 of 1, stop t01 unhealthy"},
  });
}

TEST(Reconcile, ALostTaskOfAnOlderDeploymentIsReplacedWithItsOwnRevision) {
  expect_plans({
      {"to keep the minimum", "2 100/200", {"2", "1 completed"}, {"1 running", "2x 2 pending"}, "start 1 of 1"},
      {"not while the minimum holds without it", "2 50/200", {"2", "1 completed"}, {"1 running", "2x 2 pending"}, ""},
      {"not again while one is pending",
       "2 100/200",
       {"2", "1 completed"},
       {"1 running", "1 pending", "2x 2 pending"},
       ""},
      {"a scale-out grows both",
       "4 100/200",
       {"2", "1 completed"},
       {"2x 1 running", "2x 2 pending"},
       "start 2 of 1, start 2 of 2"},
      {"a failed revision is not started again", "2 100/200", {"2", "1 failed"}, {"1 running", "2x 2 pending"}, ""},
      {"nor one that never completed", "2 100/200", {"2", "1"}, {"1 running", "2x 2 pending"}, ""},
      {"nor one that has ended", "1 100/200", {"2", "1 completed"}, {"2 pending"}, "retire 1"},
      {"nor one in its back-off",
       "2 100/200",
       {"2", "1 completed failures=3 ago=4"},
       {"1 running", "2x 2 pending"},
       "next 6"},
      {"the first new task has precedence", "2 100/100", {"2", "1 completed"}, {"1 running"}, "start 1 of 2"},
      {"then the minimum", "4 100/125", {"2", "1 completed"}, {"3x 1 running", "2 pending"}, "start 1 of 1"},
      {"a deployment with a healthy task fills the room itself",
       "4 100/125",
       {"2", "1 completed"},
       {"2x 1 running", "2 running", "2 pending"},
       "start 1 of 2"},
      {"a failed deployment leaves the service to the older one",
       "2 100/200",
       {"2 failed", "1 completed"},
       {"1 running"},
       "start 1 of 1"},
      {"an unhealthy one is replaced before it stops",
       "2 100/250",
       {"2", "1 completed"},
       {"1 running healthy", "1 running unhealthy", "2 pending", "2 running unknown"},
       "start 1 of 1 for 1 unhealthy"},
      {"without room it stops first",
       "2 100/200",
       {"2", "1 completed"},
       {"1 running healthy", "1 running unhealthy", "2 pending", "2 running unknown"},
       "start 1 of 1, stop t02 unhealthy"},
      {"and one that is no longer needed stops",
       "2 100/200",
       {"2", "1 completed"},
       {"1 running", "1 pending", "2 running", "2 pending"},
       "stop t02 pending"},
  });
}

TEST(Reconcile, AnUnhealthyTaskIsReplaced) {
  expect_plans({
      {"with room: replacement first",
       "2 100/200",
       {"1 completed"},
       {"1 running healthy", "1 running unhealthy"},
       "start 1 of 1 for 1 unhealthy"},
      {"it stays until that is healthy",
       "2 100/200",
       {"1 completed"},
       {"1 running healthy", "1 running unhealthy", "1 running unknown"},
       ""},
      {"and stops then",
       "2 100/200",
       {"1 completed"},
       {"2x 1 running healthy", "1 running unhealthy"},
       "stop t03 unhealthy"},
      {"without room it stops first",
       "2 100/100",
       {"1 completed"},
       {"1 running healthy", "1 running unhealthy"},
       "start 1 of 1, stop t02 unhealthy"},
      {"not in its grace period", "1 100/200 grace=60", {"1 completed"}, {"1 running unhealthy started=20"}, "next 40"},
      {"its end is the end of patience",
       "1 100/200 grace=60",
       {"1 completed"},
       {"1 running unhealthy started=60"},
       "start 1 of 1 for 1 unhealthy"},
      {"a protected one too",
       "1 0/100",
       {"1 completed"},
       {"1 running unhealthy protected=60"},
       "start 1 of 1, stop t01 unhealthy"},
      {"it does not count for the minimum",
       "2 50/100",
       {"2", "1 completed"},
       {"1 running healthy", "1 running unhealthy"},
       "start 1 of 2, stop t02 unhealthy"},
      {"one that recovers is one too many",
       "1 100/200",
       {"1 completed"},
       {"1 running healthy", "1 pending"},
       "stop t02 pending"},
  });
}

TEST(Reconcile, TasksLeaveADrainingMachine) {
  expect_plans({
      {"a pending one at once", "1 100/200", {"1 completed"}, {"1 pending leaving"}, "start 1 of 1, stop t01 draining"},
      {"a running one is replaced first", "1 100/200", {"1 completed"}, {"1 running leaving"}, "start 1 of 1"},
      {"and stops once the replacement is healthy",
       "1 100/200",
       {"1 completed"},
       {"1 running leaving", "1 running"},
       "stop t01 draining"},
      {"at a maximum of 100 percent it stops first",
       "2 50/100",
       {"1 completed"},
       {"1 running leaving", "1 running"},
       "start 1 of 1, stop t01 draining"},
      {"100/100 never drains", "1 100/100", {"1 completed"}, {"1 running leaving"}, "stuck"},
      {"a machine that returns has one task too many",
       "1 100/200",
       {"1 completed"},
       {"1 running", "1 pending"},
       "stop t02 pending"},
  });
}

TEST(Reconcile, AProtectedTaskIsNotStopped) {
  expect_plans({
      {"by a scale-in: another one is",
       "1 100/200",
       {"1 completed"},
       {"1 running protected=60", "1 running started=200"},
       "stop t02 scale-in"},
      {"or none",
       "0 100/200",
       {"1 completed"},
       {"1 running protected=60", "1 running protected=30"},
       "protected 2, next 30"},
      {"nor is a healthy one stopped for a protected one that is pending",
       "1 100/200",
       {"1 completed"},
       {"1 pending protected=60", "1 running"},
       ""},
      {"by a deployment",
       "1 100/200",
       {"2", "1 completed"},
       {"1 running protected=60", "2 running"},
       "protected 1, next 60"},
      {"it takes up room",
       "2 0/100",
       {"2", "1 completed"},
       {"1 running protected=60", "1 running"},
       "start 1 of 2, stop t02 scale-in, protected 1, next 60"},
      {"by a DRAINING machine",
       "1 100/200",
       {"1 completed"},
       {"1 running leaving protected=60", "1 running"},
       "protected 1, next 60"},
      {"after its end it is",
       "1 100/200",
       {"2", "1 completed"},
       {"1 running protected=0", "2 running"},
       "stop t01 scale-in"},
  });
}

TEST(Reconcile, AFailedDeploymentStartsNothing) {
  expect_plans({
      {"its pending tasks stop, running and old ones stay",
       "3 100/200",
       {"2 failed", "1 completed"},
       {"3x 1 running", "2 running unknown", "2 pending"},
       "stop t05 pending"},
      {"a scale-in still works",
       "0 100/200",
       {"2 failed", "1 completed"},
       {"1 running", "2 running"},
       "stop t02 scale-in, stop t01 scale-in"},
      {"alone it stays as it is", "2 100/200", {"1 failed"}, {"1 running"}, ""},
  });
}

TEST(Reconcile, FailingTasksAreThrottled) {
  expect_plans({
      {"two failures are tolerated", "1 100/200", {"1 failures=2 ago=0"}, {}, "start 1 of 1"},
      {"the third starts the back-off", "1 100/200", {"1 failures=3 ago=4"}, {}, "throttled, next 6"},
      {"which ends", "1 100/200", {"1 failures=3 ago=10"}, {}, "start 1 of 1"},
      {"the next is twice as long", "1 100/200", {"1 failures=4 ago=4"}, {}, "throttled, next 16"},
      {"nothing stops for tasks that may not start",
       "1 0/100",
       {"2 failures=3 ago=4", "1 completed"},
       {"1 running"},
       "throttled, next 6"},
      {"it does not concern a service that lacks nothing",
       "1 100/200",
       {"1 completed failures=3 ago=4"},
       {"1 running"},
       "steady"},
  });
}

TEST(Reconcile, TheBackOffDoublesUpTo27Minutes) {
  const auto wait = [](std::int32_t failures) {
    return *back_off_ends({.failed_tasks = failures, .last_failure = test::kNow}) - test::kNow;
  };
  EXPECT_FALSE(back_off_ends({.failed_tasks = 2, .last_failure = test::kNow}));
  EXPECT_EQ(wait(3), std::chrono::seconds(10));
  EXPECT_EQ(wait(10), std::chrono::seconds(1280));
  EXPECT_EQ(wait(11), std::chrono::minutes(27));
  EXPECT_EQ(wait(2'000'000'000), std::chrono::minutes(27));
}

}  // namespace
}  // namespace scheduler
