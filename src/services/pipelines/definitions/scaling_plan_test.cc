// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/scaling_plan.h"

#include <gtest/gtest.h>

namespace services::pipelines {
namespace {

ScalingPlan plan(int min, int max, int items = 4, base::Duration idle = std::chrono::seconds(60)) {
  return plan_scaling({min, max, items, idle});
}

std::vector<int> trigger_workers(const ScalingPlan& plan) {
  std::vector<int> all;
  for (const ScalingTrigger& trigger : plan.triggers) all.push_back(trigger.workers);
  return all;
}

TEST(ScalingPlan, FewWorkersHaveAStepEach) {
  const ScalingPlan four = plan(0, 4);
  ASSERT_EQ(four.steps.size(), 4u);
  EXPECT_EQ(workers_for(four, 0, 0), 0);
  EXPECT_EQ(workers_for(four, 1, 0), 1);
  EXPECT_EQ(workers_for(four, 4, 0), 1);
  EXPECT_EQ(workers_for(four, 5, 0), 2);
  EXPECT_EQ(workers_for(four, 12, 0), 3);
  EXPECT_EQ(workers_for(four, 13, 0), 4);
  EXPECT_EQ(workers_for(four, 1'000'000, 0), 4);
}

TEST(ScalingPlan, ManyWorkersHaveAtMostTwentySteps) {
  for (int max : {20, 21, 22, 50, 100, 1000}) {
    const ScalingPlan many = plan(0, max, 1);
    EXPECT_LE(many.steps.size(), 20u) << max;
    EXPECT_EQ(many.steps.front().workers, 1);
    EXPECT_EQ(many.steps.back().workers, max);
    for (std::size_t i = 1; i < many.steps.size(); ++i) {
      EXPECT_GT(many.steps[i].workers, many.steps[i - 1].workers);
      EXPECT_GT(many.steps[i].from, many.steps[i - 1].from);
    }
    // Never fewer than needed.
    for (int backlog = 1; backlog <= max; ++backlog) EXPECT_GE(workers_for(many, backlog, 0), backlog);
  }
}

TEST(ScalingPlan, AnAlarmFollowsEachDoublingAndTheMaximum) {
  EXPECT_EQ(trigger_workers(plan(0, 1)), (std::vector<int>{1}));
  EXPECT_EQ(trigger_workers(plan(0, 4)), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(trigger_workers(plan(0, 10)), (std::vector<int>{1, 2, 4, 8, 10}));
  EXPECT_LE(plan(0, 1000).triggers.size(), 12u);
  EXPECT_EQ(plan(0, 4).triggers[0].above, 0);
  EXPECT_EQ(plan(0, 4).triggers[1].above, 4);
  EXPECT_EQ(plan(0, 4).triggers[2].above, 12);
}

TEST(ScalingPlan, WorkersThatAlwaysRunNeedNoAlarm) {
  const ScalingPlan two = plan(2, 4);
  EXPECT_EQ(trigger_workers(two), (std::vector<int>{3, 4}));
  EXPECT_EQ(workers_for(two, 0, 2), 2);
  EXPECT_EQ(workers_for(two, 1, 2), 2);
  EXPECT_EQ(workers_for(two, 9, 2), 3);
  EXPECT_TRUE(plan(3, 3).steps.empty());
  EXPECT_TRUE(plan(3, 3).triggers.empty());
  EXPECT_EQ(workers_for(plan(3, 3), 100, 3), 3);
}

TEST(ScalingPlan, WorkersAreIdleForAtLeastTheRequestedTime) {
  EXPECT_EQ(plan(0, 1, 4, std::chrono::seconds(1)).idle_periods, 2);
  EXPECT_EQ(plan(0, 1, 4, std::chrono::seconds(60)).idle_periods, 7);
  EXPECT_EQ(plan(0, 1, 4, std::chrono::seconds(60)).idle_period_s, 10);
  EXPECT_EQ(plan(0, 1, 4, std::chrono::hours(12)).idle_period_s, 60);
  EXPECT_EQ(plan(0, 1, 4, std::chrono::hours(12)).idle_periods, 721);
}

}  // namespace
}  // namespace services::pipelines
