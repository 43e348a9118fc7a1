// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/schedule_row.h"

#include "services/autoscaling/policies/policy_fixture.h"
#include "shapes/autoscaling/scheduled_action.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

class ScheduleTest : public PolicyTest {
 protected:
  static PutScheduledUpdateGroupActionType request(const std::string& name) {
    PutScheduledUpdateGroupActionType action;
    action.AutoScalingGroupName = "workers";
    action.ScheduledActionName = name;
    action.DesiredCapacity = 2;
    return action;
  }
  std::string put(const PutScheduledUpdateGroupActionType& action) {
    const std::string error = error_of([&] { run<void>("PutScheduledUpdateGroupAction", action); });
    return error.substr(error.find(' ') + 1);
  }
  std::vector<ScheduledUpdateGroupAction> actions(DescribeScheduledActionsType filter = {}) {
    return *run<ScheduledActionsType>("DescribeScheduledActions", filter).ScheduledUpdateGroupActions;
  }
  // Turns of the loop until nothing is due; when the next action is.
  std::optional<base::Time> turn() {
    for (int i = 0; i < 10; ++i) {
      Decision decision;
      store_->read_now([&](store::Tx& tx) {
        Call call{tx, nobody_, now_, now_, &locals_, &directory_};
        decision = schedule_loop().look(call);
      });
      if (!decision.apply) return decision.next;
      with_call(decision.apply);
    }
    ADD_FAILURE() << "the loop does not come to rest";
    return std::nullopt;
  }
};

TEST_F(ScheduleTest, AnActionRunsOnceAtItsTimeAndIsGone) {
  create(0, 5);
  auto action = request("night");
  action.StartTime = now_ + std::chrono::hours(1);
  action.MaxSize = 8;
  EXPECT_EQ(put(action), "");
  EXPECT_TRUE(woke(kSchedulesTopic));
  EXPECT_EQ(turn(), action.StartTime);
  EXPECT_EQ(desired(), 0);
  now_ += std::chrono::hours(1);
  EXPECT_EQ(turn(), std::nullopt);
  EXPECT_EQ(desired(), 2);
  EXPECT_EQ(shown().MaxSize, 8);
  EXPECT_TRUE(actions().empty());
  settle();
  EXPECT_NE(activities().front().Cause.find("a scheduled action update of AutoScalingGroup constraints to min: 0, max: "
                                            "8, desired: 2 changing the desired capacity from 0 to 2."),
            std::string::npos);
}

TEST_F(ScheduleTest, ARecurringActionRunsInItsTimeZoneUntilItsEnd) {
  create(0, 5);
  now_ = base::from_seconds(1793871000);  // 2026-11-05T09:30:00Z
  auto action = request("day");
  action.Recurrence = "0 11 * * *";
  action.TimeZone = "Europe/Berlin";
  action.EndTime = now_ + std::chrono::hours(30);
  EXPECT_EQ(put(action), "");
  const base::Time first = now_ + std::chrono::minutes(30);
  EXPECT_EQ(turn(), first);
  EXPECT_EQ(actions()[0].StartTime, first);
  now_ = first;
  EXPECT_EQ(turn(), first + std::chrono::hours(24));
  EXPECT_EQ(desired(), 2);
  now_ = first + std::chrono::hours(24);
  EXPECT_EQ(turn(), std::nullopt);
  EXPECT_TRUE(actions().empty());
}

TEST_F(ScheduleTest, MissedRunsOfASuspendedGroupAreSkipped) {
  create(0, 5);
  auto action = request("once");
  action.StartTime = now_ + std::chrono::hours(1);
  put(action);
  ScalingProcessQuery process{.AutoScalingGroupName = "workers"};
  process.ScalingProcesses = {{"ScheduledActions"}};
  run<void>("SuspendProcesses", process);
  now_ += std::chrono::hours(1);
  turn();
  EXPECT_EQ(desired(), 0);
  EXPECT_TRUE(actions().empty());
}

TEST_F(ScheduleTest, SizesThatContradictEachOtherFailVisibly) {
  create(0, 5);
  auto action = request("many");
  action.StartTime = now_ + std::chrono::hours(1);
  action.DesiredCapacity = 9;
  EXPECT_EQ(put(action), "");
  now_ += std::chrono::hours(1);
  turn();
  EXPECT_EQ(desired(), 0);
  EXPECT_EQ(activities().front().StatusCode, "Failed");
}

TEST_F(ScheduleTest, RejectsInAmazonsWords) {
  create(0, 5);
  auto action = request("a");
  EXPECT_EQ(put(action), "Scheduled start time must be specified for non-recurrent future group action");
  action.StartTime = now_ - std::chrono::seconds(1);
  EXPECT_EQ(put(action), "Given start time is in the past");
  action.StartTime = now_ + std::chrono::hours(1);
  action.EndTime = now_ + std::chrono::minutes(1);
  EXPECT_EQ(put(action), "Given end time must be after start time");
  action.EndTime = now_ - std::chrono::minutes(1);
  EXPECT_EQ(put(action), "Given end time is in the past");
  action.EndTime.reset();
  action.Recurrence = "every day";
  EXPECT_EQ(put(action), "Given recurrence string: every day is invalid");
  action.Recurrence.reset();
  action.TimeZone = "Mars/Olympus";
  EXPECT_EQ(put(action), "Given time zone: Mars/Olympus is invalid");
  action.TimeZone.reset();
  action.DesiredCapacity.reset();
  EXPECT_EQ(put(action), "At least one of max size, min size, or desired capacity must be specified");
  action.MinSize = -1;
  EXPECT_EQ(put(action), "Min size must be non-negative");
  action.MinSize.reset();
  action.DesiredCapacity = 3;
  action.MaxSize = 2;
  EXPECT_EQ(put(action), "Desired capacity must be less than or equal to max size");
  action.MaxSize.reset();
  EXPECT_EQ(put(action), "");
  action.ScheduledActionName = "b";
  EXPECT_EQ(put(action), "The scheduled action a already has the specified start time");
}

TEST_F(ScheduleTest, BatchesReportFailuresByName) {
  create(0, 5);
  BatchPutScheduledUpdateGroupActionType batch{.AutoScalingGroupName = "workers"};
  batch.ScheduledUpdateGroupActions.resize(2);
  batch.ScheduledUpdateGroupActions[0].ScheduledActionName = "good";
  batch.ScheduledUpdateGroupActions[0].MinSize = 1;
  batch.ScheduledUpdateGroupActions[0].Recurrence = "30 0 1 1,6,12 *";
  batch.ScheduledUpdateGroupActions[1].ScheduledActionName = "bad";
  const auto put_failures = *run<BatchPutScheduledUpdateGroupActionAnswer>("BatchPutScheduledUpdateGroupAction", batch)
                                 .FailedScheduledUpdateGroupActions;
  ASSERT_EQ(put_failures.size(), 1u);
  EXPECT_EQ(put_failures[0].ScheduledActionName, "bad");
  EXPECT_EQ(put_failures[0].ErrorCode, "ValidationError");
  EXPECT_EQ(actions({.ScheduledActionNames = {{"good"}}}).size(), 1u);
  BatchDeleteScheduledActionType deletion{.AutoScalingGroupName = "workers", .ScheduledActionNames = {"good", "bad"}};
  const auto failures =
      *run<BatchDeleteScheduledActionAnswer>("BatchDeleteScheduledAction", deletion).FailedScheduledActions;
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_TRUE(woke(kSchedulesTopic));
  EXPECT_TRUE(actions().empty());
}

}  // namespace
}  // namespace services::autoscaling
