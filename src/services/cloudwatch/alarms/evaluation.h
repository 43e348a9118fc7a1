// SPDX-License-Identifier: Apache-2.0
// What state a metric alarm is in: a pure function of its points, its definition, its state before and the time.
//
// Time is divided into slots, one period long. Slots end at whole minutes (at multiples of the period if it is shorter
// than a minute), so the slots of a longer period slide by one minute. A decision reads N + 2 slots, where N is
// EvaluationPeriods: those beyond N make up for points that are late.
//
// Amazon looks at closed slots, once a minute. We look when a point arrives as well, and then also at the open slot,
// the one that contains `now`. Its value may still change, so it counts only where that can't make an alarm flap:
//   - a breaching value counts if more points can't take it back (a Sum or a Maximum above its threshold, a Minimum
//     below) or if nothing is known about how it changes (Average, percentiles);
//   - a value that does not breach counts if more points can't change that, or if the alarm is not in ALARM and the
//     closed slots have no points.
// In all other cases the open slot is left out until it is closed, and an alarm that it raised, or that it alone could
// end, stays until then. Evaluating again with the same points changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace services::cloudwatch {

enum class AlarmState { Ok, Alarm, InsufficientData };
std::string_view to_text(AlarmState state);
std::optional<AlarmState> parse_alarm_state(std::string_view text);

enum class Comparison { GreaterOrEqual, Greater, Less, LessOrEqual };
enum class MissingData { Missing, Ignore, Breaching, NotBreaching };
// How the value of an open slot changes with more points.
enum class OpenSlot { Grows, Falls, Free, Unusable };

inline constexpr std::int64_t kExtraSlots = 2;

struct AlarmRules {
  Comparison comparison = Comparison::Greater;
  double threshold = 0;
  std::size_t periods = 1;    // N: EvaluationPeriods
  std::size_t to_alarm = 1;   // M: DatapointsToAlarm, or N
  bool to_alarm_set = false;  // the reason is worded differently
  std::int64_t period_s = 60;
  MissingData missing = MissingData::Missing;
  std::optional<double> ignored_below_samples = {};  // of a percentile, with EvaluateLowSampleCountPercentile = ignore
  OpenSlot open_slot = OpenSlot::Free;
  bool always_due = false;  // its points appear with time: metric math that fills gaps
  std::string statistic = {}, unit = {};  // for the reason; "" if it has none
};

bool breaches(const AlarmRules& rules, double value);
// Samples that a percentile needs: 10/(1-p), or 10/p below the median.
double samples_needed(double percentile);

struct AlarmPoint {
  base::Time at;  // the start of its slot
  double value = 0;
  double samples = 0;  // 0: unknown, for metric math
};

// The newest N + 2 slots, the oldest first.
struct AlarmWindow {
  base::Time end;  // of the newest slot
  std::vector<std::optional<AlarmPoint>> slots;
};

struct AlarmDecision {
  bool keep = false;  // the alarm stays as it is
  AlarmState state = AlarmState::InsufficientData;
  // What the decision is based on. Newest first: the points, or only the start of the slot for a filler.
  std::vector<AlarmPoint> points = {};
  std::vector<base::Time> fillers = {};
};

AlarmDecision decide(const AlarmRules& rules, const AlarmWindow& window);

// Points of slots that step from `from`, ascending; none at or after `until`.
using ReadSlots = std::function<std::vector<AlarmPoint>(base::Time from, base::Time until)>;

struct AlarmOutcome {
  AlarmDecision decision = {};
  // When the passage of time can change the state, or bring a point of the future into view.
  std::optional<base::Time> next = {};
};

AlarmOutcome evaluate_alarm(const AlarmRules& rules, AlarmState current, base::Time since, base::Time now,
                            const ReadSlots& read);

}  // namespace services::cloudwatch
