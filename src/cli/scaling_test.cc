// SPDX-License-Identifier: Apache-2.0
// stoker scaling, and the texts that it reads.
#include <gmock/gmock.h>

#include <sstream>

#include "cli/fake_server.h"
#include "cli/scaling_events.h"
#include "cli/table.h"

namespace cli {
namespace {

using shapes::autoscaling::Activity;
using shapes::cloudwatch::AlarmHistoryItem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kByAlarm[] =
    "At 2027-01-15T08:00:00Z a monitor alarm back log in state ALARM triggered policy by-backlog changing the desired "
    "capacity from 0 to 2.";
const base::Time kEight = base::from_seconds(1800000000);

Activity activity_with(std::string cause) {
  Activity activity;
  activity.AutoScalingGroupName = "gpu";
  activity.Cause = std::move(cause);
  return activity;
}

AlarmHistoryItem state_change(base::Time at, std::string data) {
  AlarmHistoryItem item;
  item.Timestamp = at;
  item.HistoryData = std::move(data);
  return item;
}

TEST(ScalingEvents, AChangeIsListedOnceWithItsAlarmAndPolicy) {
  const std::string started = "  At 2027-01-15T08:00:00Z an instance was started in response to a difference.";
  const auto events = events_of_groups({activity_with(kByAlarm + started), activity_with(kByAlarm + started)});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].time, kEight);
  EXPECT_EQ(events[0].target, "group gpu");
  EXPECT_EQ(events[0].from, 0);
  EXPECT_EQ(events[0].to, 2);
  EXPECT_EQ(events[0].reason, "policy by-backlog");
  EXPECT_EQ(events[0].alarm, "back log");
  EXPECT_EQ(events[0].alarmState, "ALARM");
}

TEST(ScalingEvents, TheLastChangeOfACauseComesFirst) {
  const auto events = events_of_groups({activity_with(
      "At 2027-01-15T08:00:00Z a user request explicitly set group desired capacity changing the desired capacity from "
      "0 to 1.  At 2027-01-15T08:00:00Z a user request explicitly set group desired capacity changing the desired "
      "capacity from 1 to 3.")});
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].to, 3);
  EXPECT_EQ(events[1].to, 1);
  EXPECT_EQ(events[0].reason, "a user request explicitly set group desired capacity");
  EXPECT_FALSE(events[0].alarm);
}

TEST(ScalingEvents, OtherAndCutSentencesAreNoChanges) {
  EXPECT_THAT(events_of_groups({activity_with(""), activity_with("At "), activity_with("At x y."),
                                activity_with("At 2027-01-15T08:00:00Z instance i-1 was selected for termination."),
                                activity_with("At 2027-01-15T08:00:00Z a changing the desired capacity from 1 to"),
                                activity_with("At changing the desired capacity from 1 to 2."),
                                activity_with("At 2027-01-15T08:00:00Z a changing the desired capacity from 1 to x.")}),
              IsEmpty());
}

TEST(ScalingEvents, AServicesEventHasTheNewCountAndTheError) {
  shapes::application_autoscaling::ScalingActivity activity;
  activity.ResourceId = "service/default/web";
  activity.Description = "Setting desired count to 3.";
  activity.Cause = "monitor alarm a in state OK triggered policy p";
  activity.StartTime = kEight;
  activity.StatusCode = "Failed";
  activity.StatusMessage = "no";
  const auto events = events_of_services({activity});
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_THAT(event_row(events[0]), ElementsAre("2027-01-15T08:00:00Z", "-> 3", "service default/web"));
  EXPECT_EQ(event_reason(events[0]), "policy p: no; alarm a OK");
}

TEST(ScalingEvents, TheValueIsThatOfTheChangeOfStateBeforeTheEvent) {
  ScalingEvent event = events_of_groups({activity_with(kByAlarm)}).at(0);
  const char* data = R"({"newState":{"stateValue":"ALARM","stateReasonData":{"recentDatapoints":[1.0,12.5],
      "threshold":3.0,"version":"1.0"}}})";
  add_metric_value(event, {state_change(kEight + std::chrono::seconds(5), R"({"newState":{"stateValue":"OK"}})"),
                           state_change(kEight + std::chrono::milliseconds(400), data)});
  EXPECT_EQ(event.value, 12.5);
  EXPECT_EQ(event_reason(event), "policy by-backlog; alarm back log ALARM, 12.5 (threshold 3)");
}

TEST(ScalingEvents, ARepeatedActionHasNoValue) {
  const char* data = R"({"newState":{"stateValue":"ALARM","stateReasonData":{"recentDatapoints":[1.0]}}})";
  ScalingEvent event = events_of_groups({activity_with(kByAlarm)}).at(0);
  add_metric_value(event, {state_change(kEight - std::chrono::seconds(60), data)});
  EXPECT_FALSE(event.value);
  add_metric_value(event, {state_change(kEight, "no JSON"), state_change(kEight, R"({"newState":7})")});
  EXPECT_FALSE(event.value);
}

class ScalingCommand : public FakeServer {
 protected:
  // Group activities are read first.
  void reply_activities() {
    reply("DescribeScalingActivities",
          R"({"Activities":[{"ActivityId":"a","AutoScalingGroupName":"gpu","StatusCode":"Successful","StartTime":1,"Cause":")" +
              std::string(kByAlarm) + "\"}]}");
    reply("DescribeScalingActivities", R"({"ScalingActivities":[{"ResourceId":"service/default/web",
        "Description":"Setting desired count to 3.","Cause":"minimum capacity was set to 3","StartTime":1800000001,
        "StatusCode":"Successful"}]})");
    reply("DescribeAlarmHistory", R"({"AlarmHistoryItems":[{"Timestamp":1800000000,"HistoryData":
        "{\"newState\":{\"stateValue\":\"ALARM\",\"stateReasonData\":{\"recentDatapoints\":[150],\"threshold\":0}}}"}]})");
  }
  std::ostringstream out_;
};

TEST_F(ScalingCommand, ListsGroupsAndServicesNewestFirst) {
  reply_activities();
  EXPECT_EQ(scaling(options_, {}, out_), 0);
  EXPECT_EQ(out_.str(),
            "TIME                  CHANGE  TARGET\n"
            "2027-01-15T08:00:01Z  -> 3    service default/web\n"
            "    minimum capacity was set to 3\n"
            "2027-01-15T08:00:00Z  0 -> 2  group gpu\n"
            "    policy by-backlog; alarm back log ALARM, 150 (threshold 0)\n");
}

TEST_F(ScalingCommand, LongNamesFitTheScreen) {
  const std::string policy(200, 'p'), service(200, 's');
  reply("DescribeScalingActivities", R"({"Activities":[]})");
  reply("DescribeScalingActivities", R"({"ScalingActivities":[{"ResourceId":"service/default/)" + service +
                                         R"(","Description":"Setting desired count to 3.","Cause":"monitor alarm )" +
                                         "TargetTracking-service/default/" + service +
                                         "-AlarmHigh-6bf0 in state ALARM triggered policy " + policy +
                                         R"(","StartTime":1800000001,"StatusCode":"Successful"}]})");
  reply("DescribeAlarmHistory", R"({"AlarmHistoryItems":[]})");
  EXPECT_EQ(scaling(options_, {}, out_), 0);
  std::istringstream lines(out_.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kScreenWidth) << line;
  EXPECT_THAT(out_.str(), HasSubstr("-AlarmHigh-6bf0\n    ALARM"));
}

TEST_F(ScalingCommand, TheNumberLimitsTheListAndJsonHasTheValues) {
  reply_activities();
  options_.json = true;
  EXPECT_EQ(scaling(options_, {.most = 1}, out_), 0);
  EXPECT_THAT(out_.str(), HasSubstr(R"("target":"service default/web","to":3)"));
  EXPECT_EQ(out_.str().find("group gpu"), std::string::npos);
}

TEST_F(ScalingCommand, AServiceIsNamedWithItsCluster) {
  reply("DescribeScalingActivities", R"({"ScalingActivities":[]})");
  EXPECT_EQ(scaling(options_, {.service = "web"}, out_), 0);
  EXPECT_EQ(scaling(options_, {.service = "blue/web"}, out_), 0);
  EXPECT_THAT(requests("DescribeScalingActivities"), ElementsAre(HasSubstr(R"("ResourceId":"service/default/web")"),
                                                                 HasSubstr(R"("ResourceId":"service/blue/web")")));
  EXPECT_EQ(out_.str(), "nothing was scaled yet\nnothing was scaled yet\n");
}

TEST_F(ScalingCommand, AMissingGroupIsAnError) {
  reply("DescribeAutoScalingGroups", R"({"AutoScalingGroups":[]})");
  EXPECT_THROW(scaling(options_, {.group = "x"}, out_), std::runtime_error);
}

}  // namespace
}  // namespace cli
