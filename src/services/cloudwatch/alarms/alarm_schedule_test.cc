// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace services::cloudwatch {
namespace {

const base::Time kNoon = base::from_seconds(1800000000);

std::vector<std::int64_t> ids(const std::vector<AlarmSchedule::Due>& due) {
  std::vector<std::int64_t> out;
  for (const auto& one : due) out.push_back(one.id);
  return out;
}

TEST(AlarmSchedule, APointMarksTheAlarmsOfItsMetricOnly) {
  AlarmSchedule schedule;
  schedule.set(1, "a", {"cpu"});
  schedule.set(2, "a", {"cpu", "disk"});
  schedule.set(3, "a", {"disk"});
  schedule.mark_metrics({"cpu", "unknown"});
  EXPECT_EQ(ids(schedule.due(kNoon, 10)), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(schedule.set(1, "a", {"disk"}), std::vector<std::string>{"cpu"});
  EXPECT_EQ(schedule.count("a"), 3u);
  EXPECT_EQ(schedule.remove(2), (std::vector<std::string>{"cpu", "disk"}));
  EXPECT_EQ(schedule.count("a"), 2u);
}

TEST(AlarmSchedule, AnAlarmThatIsMarkedDuringItsEvaluationStaysMarked) {
  AlarmSchedule schedule;
  schedule.set(1, "a", {});
  schedule.mark(1);
  const auto due = schedule.due(kNoon, 10);
  schedule.mark(1);
  schedule.done(due[0], std::nullopt);
  EXPECT_EQ(schedule.next(kNoon), kNoon);
  schedule.done(schedule.due(kNoon, 10)[0], kNoon + std::chrono::seconds(5));
  EXPECT_EQ(schedule.next(kNoon), kNoon + std::chrono::seconds(5));
  EXPECT_TRUE(schedule.due(kNoon, 10).empty());
  EXPECT_EQ(schedule.due(kNoon + std::chrono::seconds(5), 10).size(), 1u);
}

TEST(AlarmSchedule, AnAlarmThatIsPostponedDuringItsEvaluationIsDueThen) {
  AlarmSchedule schedule;
  schedule.set(1, "a", {});
  schedule.mark(1);
  const auto due = schedule.due(kNoon, 10);
  schedule.postpone(1, kNoon + std::chrono::seconds(60));
  schedule.done(due[0], std::nullopt);
  EXPECT_EQ(schedule.next(kNoon), kNoon + std::chrono::seconds(60));
}

TEST(AlarmSchedule, TheEvaluationOfADeletedAlarmIsNotThatOfANewOneWithItsId) {
  AlarmSchedule schedule;
  schedule.set(1, "a", {});
  schedule.mark(1);
  const auto due = schedule.due(kNoon, 10);
  schedule.remove(1);
  schedule.set(1, "a", {});
  schedule.mark(1);
  schedule.done(due[0], std::nullopt);
  EXPECT_EQ(schedule.next(kNoon), kNoon);
}

TEST(AlarmSchedule, AlarmsThatAreMarkedAllTheTimeDoNotDelayOthers) {
  AlarmSchedule schedule;
  for (std::int64_t id = 1; id <= 20; ++id) {
    schedule.set(id, "a", {});
    schedule.mark(id);
  }
  schedule.set(21, "a", {});
  schedule.postpone(21, kNoon);
  std::set<std::int64_t> seen;
  for (int turn = 0; turn < 4; ++turn) {
    for (std::int64_t id : ids(schedule.due(kNoon, 8))) seen.insert(id);
    for (std::int64_t id = 1; id <= 10; ++id) schedule.mark(id);
  }
  EXPECT_EQ(seen.size(), 21u);
}

}  // namespace
}  // namespace services::cloudwatch
