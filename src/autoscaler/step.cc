// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace autoscaler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The rule of values at or above the threshold.
bool contains_above(const Step& step, double difference) {
  return step.lower.value_or(-kInfinity) <= difference && difference < step.upper.value_or(kInfinity);
}

// The rule of values below the threshold.
bool contains_below(const Step& step, double difference) {
  return step.lower.value_or(-kInfinity) < difference && difference <= step.upper.value_or(kInfinity);
}

template <class Contains>
const Step* first_step(std::span<const Step> steps, double difference, Contains contains) {
  for (const Step& step : steps) {
    if (contains(step, difference)) return &step;
  }
  return nullptr;
}

int to_capacity(double value) {
  return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(std::numeric_limits<int>::max())));
}

double percent_change(int capacity, const Adjustment& adjustment) {
  const double exact = static_cast<double>(capacity) * adjustment.amount / 100;
  double change = std::trunc(exact);
  if (exact != 0 && change == 0) change = exact > 0 ? 1 : -1;
  if (adjustment.amount == 0) return 0;
  const double least = adjustment.min_magnitude;
  return adjustment.amount > 0 ? std::max(change, least) : std::min(change, -least);
}

}  // namespace

std::optional<AdjustmentType> parse_adjustment_type(std::string_view text) {
  if (text == "ChangeInCapacity") return AdjustmentType::ChangeInCapacity;
  if (text == "ExactCapacity") return AdjustmentType::ExactCapacity;
  if (text == "PercentChangeInCapacity") return AdjustmentType::PercentChangeInCapacity;
  return std::nullopt;
}

Side side_of(std::string_view comparison_operator) {
  return comparison_operator.starts_with("LessThan") ? Side::Below : Side::Above;
}

const Step* find_step(std::span<const Step> steps, double difference, Side side) {
  if (difference > 0) return first_step(steps, difference, contains_above);
  if (difference < 0) return first_step(steps, difference, contains_below);
  const Step* from_zero = first_step(steps, 0, contains_above);
  const Step* to_zero = first_step(steps, 0, contains_below);
  if (!from_zero) return to_zero;
  // The queue sample of Amazon's guide has a "<= 0" alarm and only steps from 0 on.
  return side == Side::Below && to_zero ? to_zero : from_zero;
}

std::optional<Aggregation> parse_aggregation(std::string_view text) {
  if (text == "Average") return Aggregation::Average;
  if (text == "Minimum") return Aggregation::Minimum;
  if (text == "Maximum") return Aggregation::Maximum;
  return std::nullopt;
}

std::optional<double> aggregate(std::span<const double> points, Aggregation aggregation) {
  if (points.empty()) return std::nullopt;
  switch (aggregation) {
    case Aggregation::Minimum: return *std::min_element(points.begin(), points.end());
    case Aggregation::Maximum: return *std::max_element(points.begin(), points.end());
    case Aggregation::Average: break;
  }
  return std::accumulate(points.begin(), points.end(), 0.0) / static_cast<double>(points.size());
}

int adjusted_capacity(int capacity, const Adjustment& adjustment) {
  switch (adjustment.type) {
    case AdjustmentType::ExactCapacity: return std::max(adjustment.amount, 0);
    case AdjustmentType::ChangeInCapacity: return to_capacity(static_cast<double>(capacity) + adjustment.amount);
    case AdjustmentType::PercentChangeInCapacity: break;
  }
  return to_capacity(capacity + percent_change(capacity, adjustment));
}

Direction direction(int current, int wanted) {
  if (wanted == current) return Direction::None;
  return wanted > current ? Direction::Out : Direction::In;
}

Direction direction(int current, const Adjustment& adjustment) {
  return adjustment.type == AdjustmentType::ExactCapacity ? direction(current, adjustment.amount)
                                                          : direction(0, adjustment.amount);
}

int bounded_capacity(int current, int wanted, Direction direction, const Bounds& bounds) {
  const int bounded = std::max(bounds.min, std::min(wanted, bounds.max));
  if (direction == Direction::Out) return std::max(current, bounded);
  if (direction == Direction::In) return std::min(current, bounded);
  return current;
}

int base_capacity(int current, Direction direction, const Bounds& bounds) {
  if (direction == Direction::Out) return std::max(current, bounds.min);
  if (direction == Direction::In) return std::min(current, bounds.max);
  return current;
}

int step_group(const GroupCapacity& group, const Adjustment& adjustment) {
  const Direction to = direction(group.desired, adjustment);
  if (to == Direction::None || (to == Direction::In && group.warming)) return group.desired;
  const int wanted = adjusted_capacity(group.warm, adjustment);
  // Only the desired capacity has bounds: fewer warm instances than the minimum are on their way to it.
  return bounded_capacity(group.desired, wanted, to, group.bounds);
}

int adjust_group(const GroupCapacity& group, const Adjustment& adjustment) {
  const Direction to = direction(group.desired, adjustment);
  const int wanted = adjusted_capacity(base_capacity(group.desired, to, group.bounds), adjustment);
  return bounded_capacity(group.desired, wanted, to, group.bounds);
}

base::Duration warm_up_time(std::optional<int> policy, std::optional<int> group_default, int default_cooldown) {
  if (policy) return std::chrono::seconds(*policy);
  return std::chrono::seconds(group_default.value_or(default_cooldown));
}

bool is_over(const SimpleCooldown& cooldown, base::Time now) {
  if (cooldown.activity_in_progress) return false;
  return !cooldown.last_activity_end || *cooldown.last_activity_end + cooldown.length <= now;
}

bool is_cooling(const Cooling& cooling, base::Time now) { return now < cooling.since + cooling.length; }

int scalable_capacity(const TargetCapacity& target, base::Time now) {
  const bool scaled_out = target.cooling && target.cooling->to > target.cooling->from;
  return scaled_out && is_cooling(*target.cooling, now) ? target.cooling->from : target.running;
}

Scaled scale_target(const TargetCapacity& target, int wanted, Direction direction, base::Time now) {
  using Verdict = Scaled::Verdict;
  if (direction == Direction::In && target.cooling && is_cooling(*target.cooling, now)) {
    return {Verdict::Cooling, target.desired};
  }
  const int desired = bounded_capacity(target.desired, wanted, direction, target.bounds);
  if (desired != target.desired) return {Verdict::Changed, desired};
  if (direction == Direction::Out && wanted > desired) return {Verdict::AtMax, desired};
  if (direction == Direction::In && wanted < desired) return {Verdict::AtMin, desired};
  return {Verdict::AtDesired, desired};
}

Scaled step_target(const TargetCapacity& target, const Adjustment& adjustment, base::Time now) {
  const Direction to = direction(target.desired, adjustment);
  const int capacity = base_capacity(scalable_capacity(target, now), to, target.bounds);
  return scale_target(target, adjusted_capacity(capacity, adjustment), to, now);
}

}  // namespace autoscaler
