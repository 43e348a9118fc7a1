// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/evaluation.h"

#include <gtest/gtest.h>

#include <random>

#include "services/cloudwatch/alarms/alarm_text.h"
#include "services/cloudwatch/alarms/reason.h"

namespace services::cloudwatch {
namespace {

const base::Time kMinute = base::from_seconds(1570035840);  // 2019-10-02 17:04:00, a whole minute

// "0 - X - X": 0 does not breach, X does.
AlarmWindow window_from(const std::string& text) {
  AlarmWindow window{kMinute, {}};
  std::string marks;
  for (char c : text) {
    if (c != ' ') marks += c;
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const base::Time at = kMinute - std::chrono::minutes(marks.size() - i);
    if (marks[i] == '-') {
      window.slots.push_back(std::nullopt);
    } else {
      window.slots.push_back(AlarmPoint{at, marks[i] == 'X' ? 10.0 : 0.0, 1});
    }
  }
  return window;
}

std::string decided(const AlarmRules& rules, const std::string& points) {
  const AlarmDecision decision = decide(rules, window_from(points));
  return decision.keep ? "keep" : std::string(to_text(decision.state));
}

struct MissingRow {
  std::size_t m, n;
  const char* points;
  const char *missing, *ignore, *breaching, *not_breaching;
};

TEST(Decide, TheDocumentedTablesOfMissingData) {
  const MissingRow rows[] = {
      {3, 3, "0 - X - X", "OK", "OK", "OK", "OK"},
      {3, 3, "0 - - - -", "OK", "OK", "OK", "OK"},
      {3, 3, "- - - - -", "INSUFFICIENT_DATA", "keep", "ALARM", "OK"},
      {3, 3, "0 X X - X", "ALARM", "ALARM", "ALARM", "ALARM"},
      {3, 3, "- - X - -", "ALARM", "keep", "ALARM", "OK"},
      {2, 3, "0 - X - X", "ALARM", "ALARM", "ALARM", "ALARM"},
      {2, 3, "0 0 X 0 X", "ALARM", "ALARM", "ALARM", "ALARM"},
      {2, 3, "0 - X - -", "OK", "OK", "ALARM", "OK"},
      {2, 3, "- - - - 0", "OK", "OK", "ALARM", "OK"},
      {2, 3, "- - - X -", "ALARM", "keep", "ALARM", "OK"},
      // Premature: the oldest breaching point is younger than M slots.
      {3, 3, "- - - - X", "keep", "keep", "ALARM", "OK"},
      {3, 3, "- - - X -", "keep", "keep", "ALARM", "OK"},
      {1, 1, "- - X", "ALARM", "ALARM", "ALARM", "ALARM"},
      {1, 1, "X - -", "ALARM", "ALARM", "ALARM", "ALARM"},
  };
  for (const MissingRow& row : rows) {
    AlarmRules rules{.threshold = 5, .periods = row.n, .to_alarm = row.m};
    SCOPED_TRACE(std::string(row.points) + " " + std::to_string(row.m) + " of " + std::to_string(row.n));
    EXPECT_EQ(decided(rules, row.points), row.missing);
    rules.missing = MissingData::Ignore;
    EXPECT_EQ(decided(rules, row.points), row.ignore);
    rules.missing = MissingData::Breaching;
    EXPECT_EQ(decided(rules, row.points), row.breaching);
    rules.missing = MissingData::NotBreaching;
    EXPECT_EQ(decided(rules, row.points), row.not_breaching);
  }
}

TEST(Decide, EveryComparison) {
  const auto breach = [](Comparison comparison, double value) {
    return breaches({.comparison = comparison, .threshold = 5}, value);
  };
  EXPECT_TRUE(breach(Comparison::Greater, 5.1));
  EXPECT_FALSE(breach(Comparison::Greater, 5));
  EXPECT_TRUE(breach(Comparison::GreaterOrEqual, 5));
  EXPECT_TRUE(breach(Comparison::Less, 4.9));
  EXPECT_FALSE(breach(Comparison::Less, 5));
  EXPECT_TRUE(breach(Comparison::LessOrEqual, 5));
}

TEST(Decide, APercentileOfTooFewSamplesKeepsTheState) {
  EXPECT_NEAR(samples_needed(99), 1000, 1e-6);
  EXPECT_NEAR(samples_needed(50), 20, 1e-6);
  EXPECT_NEAR(samples_needed(10), 100, 1e-6);
  AlarmRules rules{.threshold = 5, .ignored_below_samples = samples_needed(50)};
  AlarmWindow window = window_from("0 0 X");
  window.slots.back()->samples = 19;
  EXPECT_TRUE(decide(rules, window).keep);
  window.slots.back()->samples = 20;
  EXPECT_EQ(decide(rules, window).state, AlarmState::Alarm);
  rules.ignored_below_samples.reset();
  window.slots.back()->samples = 1;
  EXPECT_EQ(decide(rules, window).state, AlarmState::Alarm);
}

std::string reason(AlarmRules rules, const std::string& points) {
  return state_reason(rules, decide(rules, window_from(points)));
}

TEST(StateReason, IsWordedAsByAmazon) {
  const AlarmRules one{.threshold = 5};
  EXPECT_EQ(reason(one, "0 0 X"),
            "Threshold Crossed: 1 datapoint [10.0 (02/10/19 17:03:00)] was greater than the threshold (5.0).");
  EXPECT_EQ(reason({.threshold = 42, .periods = 2, .to_alarm = 2}, "0 0 0 0"),
            "Threshold Crossed: 2 datapoints [0.0 (02/10/19 17:03:00), 0.0 (02/10/19 17:02:00)] were not greater than "
            "the threshold (42.0).");
  EXPECT_EQ(reason({.threshold = 5, .periods = 5, .to_alarm = 5}, "X X X X X X X"),
            "Threshold Crossed: 5 datapoints were greater than the threshold (5.0). The most recent datapoints which "
            "crossed the threshold: [10.0 (02/10/19 17:03:00), 10.0 (02/10/19 17:02:00), 10.0 (02/10/19 17:01:00), "
            "10.0 (02/10/19 17:00:00), 10.0 (02/10/19 16:59:00)].");
  EXPECT_EQ(reason({.comparison = Comparison::GreaterOrEqual, .threshold = 5, .periods = 3, .to_alarm = 2,
                    .to_alarm_set = true},
                   "0 0 X 0 X"),
            "Threshold Crossed: 2 out of the last 3 datapoints [10.0 (02/10/19 17:03:00), 10.0 (02/10/19 17:01:00)] "
            "were greater than or equal to the threshold (5.0) (minimum 2 datapoints for OK -> ALARM transition).");
  EXPECT_EQ(reason({.comparison = Comparison::Less, .threshold = 1, .to_alarm_set = true}, "X X X"),
            "Threshold Crossed: 1 out of the last 1 datapoints [10.0 (02/10/19 17:03:00)] was not less than the "
            "threshold (1.0) (minimum 1 datapoint for ALARM -> OK transition).");
  EXPECT_EQ(reason({.comparison = Comparison::LessOrEqual, .threshold = 20, .periods = 5, .to_alarm = 5,
                    .to_alarm_set = true},
                   "0 0 0 0 0 0 0")
                .substr(0, 100),
            "Threshold Crossed: 5 out of the last 5 datapoints were less than or equal to the threshold (20.0). T");
  EXPECT_EQ(reason({.periods = 2, .to_alarm = 2, .missing = MissingData::Breaching}, "- - - -"),
            "Threshold Crossed: no datapoints were received for 2 periods and 2 missing datapoints were treated as "
            "[Breaching].");
  EXPECT_EQ(reason({.missing = MissingData::NotBreaching}, "- - -"),
            "Threshold Crossed: no datapoints were received for 1 period and 1 missing datapoint was treated as "
            "[NonBreaching].");
  EXPECT_EQ(reason({.threshold = 5, .periods = 3, .to_alarm = 3, .missing = MissingData::Breaching}, "- - - - X"),
            "Threshold Crossed: 1 datapoint was received for 3 periods and 2 missing datapoints were treated as "
            "[Breaching].");
  EXPECT_EQ(reason(one, "- - -"), "Insufficient Data: 1 datapoint was unknown.");
  EXPECT_EQ(reason({.periods = 5, .to_alarm = 5}, "- - - - - - -"), "Insufficient Data: 5 datapoints were unknown.");
}

TEST(StateReason, TheDataListsWhatWasEvaluated) {
  const AlarmRules rules{.threshold = 5, .periods = 2, .to_alarm = 2, .statistic = "Average", .unit = "Count"};
  const base::Time now = base::from_millis(base::to_millis(kMinute) + 40985);
  EXPECT_EQ(state_reason_data(rules, decide(rules, window_from("0 0 X X")), now),
            R"({"version":"1.0","queryDate":"2019-10-02T17:04:40.985+0000","startDate":"2019-10-02T17:02:00.000+0000",)"
            R"("unit":"Count","statistic":"Average","period":60,"recentDatapoints":[10.0,10.0],"threshold":5.0,)"
            R"("evaluatedDatapoints":[{"timestamp":"2019-10-02T17:03:00.000+0000","sampleCount":1.0,"value":10.0},)"
            R"({"timestamp":"2019-10-02T17:02:00.000+0000","sampleCount":1.0,"value":10.0}]})");
  EXPECT_EQ(state_reason_data({.threshold = 5}, decide({.threshold = 5}, window_from("- - -")), now),
            R"({"version":"1.0","queryDate":"2019-10-02T17:04:40.985+0000","period":60,"recentDatapoints":[],)"
            R"("threshold":5.0,"evaluatedDatapoints":[{"timestamp":"2019-10-02T17:03:00.000+0000"}]})");
}

TEST(StateReason, NumbersAreWrittenAsJavaDoes) {
  EXPECT_EQ(number_in_reason(21), "21.0");
  EXPECT_EQ(number_in_reason(0.5), "0.5");
  EXPECT_EQ(number_in_reason(0), "0.0");
  EXPECT_EQ(number_in_reason(-3.25), "-3.25");
  EXPECT_EQ(number_in_reason(1e7), "1.0E7");
  EXPECT_EQ(number_in_reason(12345678), "1.2345678E7");
  EXPECT_EQ(number_in_reason(9999999), "9999999.0");
  EXPECT_EQ(number_in_reason(0.0001), "1.0E-4");
  EXPECT_EQ(time_in_sentence(base::from_seconds(1658505465)), "Friday 22 July, 2022 15:57:45 UTC");
}

// An alarm over points of a test, at a time that it sets.
class EvaluateTest : public testing::Test {
 protected:
  void put(base::Duration offset, double value) { points_.push_back({kMinute + offset, value}); }

  // The sum of the points in each slot.
  AlarmOutcome evaluate(base::Duration offset) {
    now_ = kMinute + offset;
    const AlarmOutcome outcome =
        evaluate_alarm(rules_, state_, since_, now_, [&](base::Time from, base::Time until) {
          std::vector<AlarmPoint> out;
          const base::Duration length = std::chrono::seconds(rules_.period_s);
          for (base::Time at = from; at < until; at += length) {
            AlarmPoint slot{at, 0, 0};
            for (const auto& [time, value] : points_) {
              if (time < at || time >= at + length || time >= until) continue;
              slot.value += value;
              slot.samples += 1;
            }
            if (slot.samples > 0) out.push_back(slot);
          }
          return out;
        });
    if (!outcome.decision.keep && outcome.decision.state != state_) {
      state_ = outcome.decision.state;
      since_ = now_;
    }
    return outcome;
  }

  AlarmRules rules_{.threshold = 5};
  AlarmState state_ = AlarmState::InsufficientData;
  base::Time since_ = kMinute, now_ = kMinute;
  std::vector<std::pair<base::Time, double>> points_;
};

using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(EvaluateTest, ABreachingPointOfTheOpenSlotRaisesTheAlarmAtOnce) {
  put(seconds(10), 10);
  evaluate(seconds(10));
  EXPECT_EQ(state_, AlarmState::Alarm);
}

TEST_F(EvaluateTest, APartialSumBelowAThresholdIsNotTakenForALowOne) {
  rules_.comparison = Comparison::Less;
  rules_.open_slot = OpenSlot::Grows;
  put(-seconds(30), 10);
  evaluate(seconds(1));
  EXPECT_EQ(state_, AlarmState::Ok);
  put(seconds(2), 1);  // breaches, but more may come
  evaluate(seconds(2));
  EXPECT_EQ(state_, AlarmState::Ok);
  evaluate(seconds(60));  // closed
  EXPECT_EQ(state_, AlarmState::Alarm);
  put(seconds(61), 7);  // final: it only grows
  evaluate(seconds(61));
  EXPECT_EQ(state_, AlarmState::Ok);
}

TEST_F(EvaluateTest, AnAlarmThatTheOpenSlotRaisedStaysUntilTheSlotIsClosed) {
  put(-seconds(30), 0);
  evaluate(seconds(1));
  EXPECT_EQ(state_, AlarmState::Ok);
  put(seconds(2), 10);
  evaluate(seconds(2));
  EXPECT_EQ(state_, AlarmState::Alarm);
  put(seconds(3), -9);
  EXPECT_TRUE(evaluate(seconds(3)).decision.keep);
  EXPECT_EQ(state_, AlarmState::Alarm);
  EXPECT_EQ(evaluate(seconds(4)).next, kMinute + minutes(1));
  evaluate(minutes(1));
  EXPECT_EQ(state_, AlarmState::Ok);
}

TEST_F(EvaluateTest, WithoutPointsTheStateLapsesAfterTheRangeAndThenNothingIsDue) {
  put(-seconds(30), 10);
  AlarmOutcome outcome = evaluate(seconds(1));
  EXPECT_EQ(state_, AlarmState::Alarm);
  // Slots of N + 2 = 3 minutes: the point leaves the range when the slot after them is closed.
  ASSERT_EQ(outcome.next, kMinute + minutes(3));
  evaluate(minutes(2));
  EXPECT_EQ(state_, AlarmState::Alarm);
  outcome = evaluate(*outcome.next - kMinute);
  EXPECT_EQ(state_, AlarmState::InsufficientData);
  EXPECT_EQ(outcome.next, std::nullopt);
}

TEST_F(EvaluateTest, AnIgnoredGapIsNeverDue) {
  rules_.missing = MissingData::Ignore;
  put(-seconds(30), 10);
  EXPECT_EQ(evaluate(seconds(1)).next, std::nullopt);
  EXPECT_EQ(state_, AlarmState::Alarm);
}

TEST_F(EvaluateTest, TheSlotsOfALongPeriodSlideByOneMinute) {
  rules_.period_s = 300;
  put(-minutes(5), 4);
  put(-seconds(1), 4);
  evaluate(seconds(40));  // the slot from 16:59 to 17:04 has both
  EXPECT_EQ(state_, AlarmState::Alarm);
  EXPECT_EQ(evaluate(seconds(40)).decision.points.front().at, kMinute - minutes(5));
  EXPECT_EQ(evaluate(seconds(40)).next, kMinute + minutes(1));
  evaluate(minutes(1));  // 17:00 to 17:05 has one
  EXPECT_EQ(state_, AlarmState::Ok);
}

TEST_F(EvaluateTest, ShortPeriodsEndAtTheirOwnMultiples) {
  rules_.period_s = 10;
  put(seconds(11), 10);
  evaluate(seconds(20));
  EXPECT_EQ(state_, AlarmState::Alarm);
  EXPECT_EQ(evaluate(seconds(21)).next, kMinute + seconds(50));
}

TEST_F(EvaluateTest, APointOfTheFutureIsLookedAtWhenItsTimeComes) {
  put(minutes(30), 10);
  AlarmOutcome outcome = evaluate(seconds(1));
  EXPECT_EQ(state_, AlarmState::InsufficientData);
  for (int i = 0; i < 40 && outcome.next && state_ != AlarmState::Alarm; ++i) outcome = evaluate(*outcome.next - kMinute);
  EXPECT_EQ(state_, AlarmState::Alarm);
  EXPECT_EQ(now_, kMinute + minutes(30));
}

TEST_F(EvaluateTest, AValueOfTheOpenSlotThatIsTheOnlyOneMakesTheAlarmOkOnce) {
  rules_.open_slot = OpenSlot::Grows;
  put(seconds(1), 0);
  evaluate(seconds(1));
  EXPECT_EQ(state_, AlarmState::Ok);
  put(seconds(2), 0);
  for (int i = 2; i < 60; ++i) {
    const AlarmOutcome outcome = evaluate(seconds(i));
    EXPECT_EQ(outcome.decision.state, AlarmState::Ok);
    EXPECT_EQ(since_, kMinute + seconds(1));
  }
}

TEST_F(EvaluateTest, AnAlarmThatTheFirstPointsRaisedDoesNotFollowThemUpAndDown) {
  put(seconds(1), 0);
  evaluate(seconds(1));
  EXPECT_EQ(state_, AlarmState::Ok);
  put(seconds(2), 10);
  evaluate(seconds(2));
  EXPECT_EQ(state_, AlarmState::Alarm);
  put(seconds(3), -9);
  evaluate(seconds(3));
  EXPECT_EQ(state_, AlarmState::Alarm);
  evaluate(minutes(1));
  EXPECT_EQ(state_, AlarmState::Ok);
}

TEST_F(EvaluateTest, TheFirstLowPointAfterAGapEndsAnAlarmWhenItsSlotIsClosed) {
  rules_.open_slot = OpenSlot::Grows;
  for (const MissingData missing : {MissingData::Missing, MissingData::Ignore, MissingData::Breaching}) {
    rules_.missing = missing;
    state_ = AlarmState::Alarm;
    since_ = kMinute - minutes(60);
    points_.clear();
    put(seconds(1), 1);  // more may come
    const AlarmOutcome outcome = evaluate(seconds(1));
    EXPECT_EQ(state_, AlarmState::Alarm);
    EXPECT_EQ(outcome.next, kMinute + minutes(1));
    evaluate(minutes(1));
    EXPECT_EQ(state_, AlarmState::Ok);
  }
}

// Alarms and points at random; each seed is one alarm.
class RandomAlarmTest : public EvaluateTest {
 protected:
  int pick(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }

  void make_alarm(unsigned seed) {
    random_.seed(seed);
    const std::int64_t periods_s[] = {10, 60, 180};
    rules_ = {.comparison = static_cast<Comparison>(pick(3)), .threshold = 5, .period_s = periods_s[pick(2)]};
    rules_.periods = static_cast<std::size_t>(1 + pick(3));
    rules_.to_alarm = static_cast<std::size_t>(1 + pick(static_cast<int>(rules_.periods) - 1));
    rules_.missing = static_cast<MissingData>(pick(3));
    rules_.open_slot = static_cast<OpenSlot>(pick(3));
    state_ = static_cast<AlarmState>(pick(2));
    since_ = kMinute + seconds(pick(1) ? 20 : -3600);
    points_.clear();
    const int length_s = static_cast<int>(rules_.period_s);
    for (int i = pick(6); i > 0; --i) put(seconds(pick(8 * length_s) - 6 * length_s), pick(10));
  }

  std::mt19937 random_;
};

TEST_F(RandomAlarmTest, EvaluatingAgainWithoutNewPointsChangesNothing) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    make_alarm(seed);
    evaluate(seconds(25));
    const AlarmState state = state_;
    for (int second = 25; second < 30; ++second) {
      evaluate(seconds(second));
      ASSERT_EQ(state_, state) << "seed " << seed << " at second " << second;
    }
  }
}

TEST_F(RandomAlarmTest, TimeChangesNothingBeforeTheAlarmIsDue) {
  for (unsigned seed = 0; seed < 800; ++seed) {
    make_alarm(seed);
    AlarmOutcome outcome = evaluate(seconds(25));
    const int end_s = static_cast<int>(rules_.period_s) * 12;
    for (int second = 30; second < end_s; second += 10) {
      const AlarmState state = state_;
      const AlarmOutcome now = evaluate(seconds(second));
      const bool due = outcome.next && *outcome.next <= now_;
      ASSERT_TRUE(due || state_ == state) << "seed " << seed << " at second " << second;
      if (due) outcome = now;
    }
  }
}

}  // namespace
}  // namespace services::cloudwatch
