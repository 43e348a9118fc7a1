// SPDX-License-Identifier: Apache-2.0
#include "services/cloudwatch/alarms/evaluation.h"

#include <algorithm>

#include "base/check.h"

namespace services::cloudwatch {
namespace {

// Points may be dated this far ahead.
constexpr base::Duration kFuture = std::chrono::hours(2);
// Slots that are simulated to find the next change.
constexpr std::size_t kMaxSimulatedSlots = 64;

base::Duration slot_length(const AlarmRules& rules) { return std::chrono::seconds(rules.period_s); }

// How far a window slides: slots end at multiples of it.
base::Duration step_of(const AlarmRules& rules) {
  return std::chrono::seconds(std::min<std::int64_t>(rules.period_s, 60));
}

base::Time floor_to_step(base::Time time, base::Duration step) {
  return base::Time(time.time_since_epoch() - time.time_since_epoch() % step);
}

std::int64_t slots_in_range(const AlarmRules& rules) { return static_cast<std::int64_t>(rules.periods) + kExtraSlots; }

AlarmWindow window_of(const AlarmRules& rules, base::Time end, const std::vector<AlarmPoint>& points) {
  const base::Duration length = slot_length(rules);
  const base::Time start = end - slots_in_range(rules) * length;
  AlarmWindow window{end, std::vector<std::optional<AlarmPoint>>(static_cast<std::size_t>(slots_in_range(rules)))};
  for (const AlarmPoint& point : points) {
    if (point.at < start || point.at >= end) continue;
    window.slots[static_cast<std::size_t>((point.at - start) / length)] = point;
  }
  return window;
}

bool has_points(const AlarmWindow& window) {
  return std::any_of(window.slots.begin(), window.slots.end(), [](const auto& slot) { return slot.has_value(); });
}

// What the value of the open slot is worth; see the head of evaluation.h.
enum class OpenValue { Counts, CountsIfAlone, Ignored };

OpenValue worth_of_open_slot(const AlarmRules& rules, double value) {
  if (rules.open_slot == OpenSlot::Unusable) return OpenValue::Ignored;
  const bool upwards = rules.comparison == Comparison::Greater || rules.comparison == Comparison::GreaterOrEqual;
  const bool breaching = breaches(rules, value);
  if (rules.open_slot == OpenSlot::Free) return breaching ? OpenValue::Counts : OpenValue::CountsIfAlone;
  const bool towards_breach = upwards == (rules.open_slot == OpenSlot::Grows);
  if (breaching == towards_breach) return OpenValue::Counts;  // final
  return breaching ? OpenValue::Ignored : OpenValue::CountsIfAlone;
}

// Fewer points than N, which TreatMissingData = missing or ignore does not fill.
void decide_unfilled(const AlarmRules& rules, const AlarmWindow& window, std::size_t breaching,
                     AlarmDecision& decision) {
  const bool ignore = rules.missing == MissingData::Ignore;
  if (decision.points.empty()) {
    decision.keep = ignore;
    decision.state = AlarmState::InsufficientData;
    return;
  }
  decision.state = breaching == decision.points.size() ? AlarmState::Alarm : AlarmState::Ok;
  if (breaching >= rules.to_alarm) decision.state = AlarmState::Alarm;
  if (breaching < decision.points.size() || breaching >= rules.to_alarm) return;
  // All points breach, but there are fewer than M: an alarm would be premature until the oldest is M slots old.
  const auto age = (window.end - decision.points.back().at) / slot_length(rules);
  decision.keep = ignore || age < static_cast<std::int64_t>(rules.to_alarm);
}

AlarmDecision kept(AlarmState current) { return {.keep = true, .state = current, .points = {}, .fillers = {}}; }

// When time alone changes the decision: slides the window over the points that are known.
std::optional<base::Time> next_change(const AlarmRules& rules, AlarmState current, base::Time closed_end,
                                      const std::vector<AlarmPoint>& points) {
  const std::size_t slots = std::min<std::size_t>(rules.periods + kExtraSlots + 1, kMaxSimulatedSlots);
  for (std::size_t k = 1; k <= slots; ++k) {
    const base::Time end = closed_end + static_cast<std::int64_t>(k) * slot_length(rules);
    const AlarmWindow window = window_of(rules, end, points);
    const AlarmDecision decision = decide(rules, window);
    if (!decision.keep && decision.state != current) return end;
    if (!has_points(window)) return std::nullopt;
  }
  return closed_end + static_cast<std::int64_t>(slots) * slot_length(rules);
}

struct ReadWindows {
  AlarmWindow closed;
  std::optional<AlarmWindow> open;  // its newest slot is the open one, which has a value
  std::vector<AlarmPoint> points;   // in line with `closed`
};

ReadWindows read_windows(const AlarmRules& rules, base::Time now, const ReadSlots& read) {
  const base::Duration length = slot_length(rules), step = step_of(rules);
  const base::Time closed_end = floor_to_step(now, step);
  ReadWindows out;
  out.points = read(closed_end - slots_in_range(rules) * length, now + kFuture);
  out.closed = window_of(rules, closed_end, out.points);
  const bool begun = std::any_of(out.points.begin(), out.points.end(),
                                 [&](const AlarmPoint& point) { return point.at == closed_end; });
  if (!begun) return out;
  const base::Time open_end = closed_end + step;
  if (length == step) {
    out.open = window_of(rules, open_end, out.points);
  } else {
    out.open = window_of(rules, open_end, read(open_end - slots_in_range(rules) * length, open_end));
  }
  if (!out.open->slots.back()) out.open.reset();
  return out;
}

}  // namespace

std::string_view to_text(AlarmState state) {
  switch (state) {
    case AlarmState::Ok: return "OK";
    case AlarmState::Alarm: return "ALARM";
    case AlarmState::InsufficientData: return "INSUFFICIENT_DATA";
  }
  return "";
}

std::optional<AlarmState> parse_alarm_state(std::string_view text) {
  if (text == "OK") return AlarmState::Ok;
  if (text == "ALARM") return AlarmState::Alarm;
  if (text == "INSUFFICIENT_DATA") return AlarmState::InsufficientData;
  return std::nullopt;
}

bool breaches(const AlarmRules& rules, double value) {
  switch (rules.comparison) {
    case Comparison::GreaterOrEqual: return value >= rules.threshold;
    case Comparison::Greater: return value > rules.threshold;
    case Comparison::Less: return value < rules.threshold;
    case Comparison::LessOrEqual: return value <= rules.threshold;
  }
  return false;
}

double samples_needed(double percentile) {
  const double p = percentile / 100;
  return p >= 0.5 ? 10 / (1 - p) : 10 / p;
}

AlarmDecision decide(const AlarmRules& rules, const AlarmWindow& window) {
  AlarmDecision decision;
  std::vector<base::Time> empty;  // newest first
  const base::Duration length = slot_length(rules);
  base::Time start = window.end;
  for (auto slot = window.slots.rbegin(); slot != window.slots.rend(); ++slot) {
    start -= length;
    if (*slot && decision.points.size() < rules.periods) decision.points.push_back(**slot);
    if (!*slot) empty.push_back(start);
  }
  const auto breaching = static_cast<std::size_t>(
      std::count_if(decision.points.begin(), decision.points.end(),
                    [&](const AlarmPoint& point) { return breaches(rules, point.value); }));
  if (rules.ignored_below_samples && !decision.points.empty()) {
    double samples = 0;
    for (const AlarmPoint& point : decision.points) samples += point.samples;
    decision.keep = samples < *rules.ignored_below_samples;
    if (decision.keep) return decision;
  }
  const std::size_t missing = rules.periods - decision.points.size();
  empty.resize(std::min(empty.size(), missing));
  decision.fillers = std::move(empty);
  if (missing > 0 && (rules.missing == MissingData::Missing || rules.missing == MissingData::Ignore)) {
    decide_unfilled(rules, window, breaching, decision);
    return decision;
  }
  const std::size_t filled = rules.missing == MissingData::Breaching ? missing : 0;
  decision.state = breaching + filled >= rules.to_alarm ? AlarmState::Alarm : AlarmState::Ok;
  return decision;
}

AlarmOutcome evaluate_alarm(const AlarmRules& rules, AlarmState current, base::Time since, base::Time now,
                            const ReadSlots& read) {
  CHECK(rules.period_s > 0 && rules.periods > 0);
  const ReadWindows windows = read_windows(rules, now, read);
  AlarmOutcome outcome;
  const OpenValue open =
      windows.open ? worth_of_open_slot(rules, windows.open->slots.back()->value) : OpenValue::Ignored;
  const bool alone = open == OpenValue::CountsIfAlone && !has_points(windows.closed);
  if (open == OpenValue::Counts) {
    outcome.decision = decide(rules, *windows.open);
  } else if (windows.open && current == AlarmState::Alarm && (alone || since >= windows.closed.end)) {
    // Nothing but the open slot ends this alarm, or it raised it and takes that back: when it is closed it is final.
    outcome.decision = kept(current);
  } else if (alone) {
    outcome.decision = decide(rules, *windows.open);
  } else {
    outcome.decision = decide(rules, windows.closed);
  }
  const AlarmState state = outcome.decision.keep ? current : outcome.decision.state;
  const base::Time boundary = windows.closed.end + step_of(rules);
  if (rules.always_due) {
    outcome.next = boundary;
  } else if (slot_length(rules) == step_of(rules)) {
    outcome.next = next_change(rules, state, windows.closed.end, windows.points);
  } else if (!windows.points.empty()) {
    outcome.next = boundary;  // each minute has other slots
  }
  if (!windows.points.empty() && windows.points.back().at > windows.closed.end) outcome.next = boundary;
  return outcome;
}

}  // namespace services::cloudwatch
