// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/alarm_rule.h"

#include <gtest/gtest.h>

#include <map>

#include "services/cloudwatch/alarms/suppression.h"
#include "wire/error.h"

namespace services::cloudwatch {
namespace {

// a is in ALARM, o is OK, i has no data.
bool holds(const std::string& rule) {
  const std::map<std::string, AlarmState> states = {{"a", AlarmState::Alarm},
                                                    {"a 2", AlarmState::Alarm},
                                                    {"q\"x", AlarmState::Alarm},
                                                    {"o", AlarmState::Ok},
                                                    {"i", AlarmState::InsufficientData}};
  return rule_holds(parse_alarm_rule(rule), [&](const std::string& alarm) { return states.at(alarm); });
}

TEST(AlarmRule, Holds) {
  EXPECT_TRUE(holds("ALARM(a)"));
  EXPECT_FALSE(holds("ALARM(o)"));
  EXPECT_TRUE(holds("OK(o) AND INSUFFICIENT_DATA(i)"));
  EXPECT_TRUE(holds("ALARM(\"a 2\")"));
  EXPECT_TRUE(holds("ALARM( \"q\\\"x\" )"));
  EXPECT_TRUE(holds("TRUE OR FALSE AND FALSE"));  // AND binds tighter
  EXPECT_FALSE(holds("(TRUE OR FALSE) AND FALSE"));
  EXPECT_TRUE(holds("NOT ALARM(o) AND NOT NOT TRUE"));
  EXPECT_TRUE(holds("AT_LEAST(1, ALARM, (a, o, i))"));
  EXPECT_FALSE(holds("AT_LEAST(2, ALARM, (a, o, i))"));
  EXPECT_TRUE(holds("AT_LEAST(2, NOT ALARM, (a, o, i))"));
  EXPECT_TRUE(holds("AT_LEAST(50%, ALARM, (a, \"a 2\", o, i))"));
  EXPECT_FALSE(holds("AT_LEAST(51%, ALARM, (a, \"a 2\", o, i))"));
}

std::string error_in(const std::string& rule) {
  try {
    parse_alarm_rule(rule);
  } catch (const wire::ApiError& error) {
    EXPECT_EQ(error.code(), "ValidationError");
    return error.message();
  }
  return "";
}

TEST(AlarmRule, ErrorsNameTheTokenAndItsPlace) {
  EXPECT_EQ(error_in("GARBAGE(x)"),
            "Error in AlarmRule [Unsupported token 'GARBAGE' at char 0, must be: '(', 'NOT', AT_LEAST, TRUE or FALSE, "
            "ALARM, OK, or INSUFFICIENT_DATA]");
  EXPECT_EQ(error_in("ALARM(Age Oldest)"), "Error in AlarmRule [Unsupported token 'Oldest' at char 10, must be: ')']");
  for (const char* rule : {"", "(", "ALARM", "ALARM()", "ALARM(a", "ALARM(a) ALARM(b)", "AT_LEAST(0, ALARM, (a))",
                           "AT_LEAST(3, ALARM, (a))", "AT_LEAST(101%, ALARM, (a))", "NOT", "ALARM(\"a)"}) {
    EXPECT_NE(error_in(rule), "") << rule;
  }
  std::string longest = "TRUE";
  for (int i = 1; i < 500; ++i) longest += " OR TRUE";
  EXPECT_EQ(error_in(longest), "");
  EXPECT_EQ(error_in(longest + " OR TRUE"), "Error in AlarmRule [The rule has more than 500 elements]");
  EXPECT_EQ(error_in(std::string(200, '(')), "Error in AlarmRule [The rule is nested too deeply]");
}

TEST(AlarmRule, ListsItsAlarmsOnce) {
  EXPECT_EQ(alarms_of(parse_alarm_rule("ALARM(b) OR AT_LEAST(1, OK, (a, b)) OR NOT OK(c)")),
            (std::vector<std::string>{"b", "a", "c"}));
}

class SuppressionTest : public testing::Test {
 protected:
  // Whether the actions run.
  bool step(bool transitioned, bool suppressing, int second) {
    const SuppressionStep step =
        step_suppression(rules_, state_, transitioned, suppressing, base::from_seconds(1800000000 + second));
    state_ = step.next;
    return step.run_actions;
  }

  SuppressorRules rules_{.present = true, .wait = std::chrono::seconds(60), .extension = std::chrono::seconds(30)};
  Suppression state_;
};

TEST_F(SuppressionTest, WithoutASuppressorActionsRunAtOnce) {
  rules_.present = false;
  EXPECT_TRUE(step(true, false, 0));
  EXPECT_FALSE(step(false, false, 1));
}

TEST_F(SuppressionTest, ActionsRunAtTheEndOfTheWait) {
  EXPECT_FALSE(step(true, false, 0));
  EXPECT_EQ(state_.by, SuppressedBy::WaitPeriod);
  EXPECT_FALSE(step(false, false, 59));
  EXPECT_TRUE(step(false, false, 60));
  EXPECT_EQ(state_, Suppression{});
}

TEST_F(SuppressionTest, ASecondTransitionStartsAnotherWait) {
  step(true, false, 0);
  EXPECT_FALSE(step(true, false, 50));
  EXPECT_FALSE(step(false, false, 60));
  EXPECT_TRUE(step(false, false, 110));
}

TEST_F(SuppressionTest, ASuppressorThatAlarmsDuringTheWaitSuppresses) {
  step(true, false, 0);
  EXPECT_FALSE(step(false, true, 10));
  EXPECT_EQ(state_.by, SuppressedBy::Alarm);
  EXPECT_FALSE(step(false, true, 100));
  EXPECT_FALSE(step(false, false, 200));  // it leaves ALARM
  EXPECT_EQ(state_.by, SuppressedBy::ExtensionPeriod);
  EXPECT_FALSE(step(false, false, 229));
  EXPECT_TRUE(step(false, false, 230));
}

TEST_F(SuppressionTest, ATransitionDuringTheExtensionStartsAWait) {
  step(true, true, 0);
  step(false, false, 10);
  EXPECT_EQ(state_.by, SuppressedBy::ExtensionPeriod);
  EXPECT_FALSE(step(true, false, 20));
  EXPECT_EQ(state_.by, SuppressedBy::WaitPeriod);
  EXPECT_FALSE(step(false, false, 40));
  EXPECT_TRUE(step(false, false, 80));
}

TEST_F(SuppressionTest, NothingRunsTwiceForOneTransition) {
  rules_.wait = base::Duration::zero();
  EXPECT_TRUE(step(true, false, 0));
  EXPECT_FALSE(step(false, true, 10));
  EXPECT_FALSE(step(false, false, 20));
  EXPECT_FALSE(step(false, false, 100));
}

}  // namespace
}  // namespace services::cloudwatch
