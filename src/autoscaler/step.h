// SPDX-License-Identifier: Apache-2.0
// Step and simple scaling: which step a metric value selects, what capacity it results in, and when it has to wait.
// Pure functions of plain values.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace autoscaler {

enum class AdjustmentType { ChangeInCapacity, ExactCapacity, PercentChangeInCapacity };
std::optional<AdjustmentType> parse_adjustment_type(std::string_view text);

// Bounds are relative to the alarm's threshold. An absent bound is infinite.
struct Step {
  std::optional<double> lower = {}, upper = {};
  int adjustment = 0;
};

// How an alarm compares: GreaterThan* or LessThan*. It decides only where the metric equals the threshold.
enum class Side { Above, Below };
Side side_of(std::string_view comparison_operator);

// At or above the threshold: lower <= difference < upper. Below it: lower < difference <= upper. Where the difference
// is 0, a step whose interval begins at 0 or includes 0 comes first, then one that ends at 0; with Side::Below, and
// both in one policy, it is the other way around.
const Step* find_step(std::span<const Step> steps, double difference, Side side);

enum class Aggregation { Average, Minimum, Maximum };
std::optional<Aggregation> parse_aggregation(std::string_view text);  // "Average"
// nullopt where there are no points.
std::optional<double> aggregate(std::span<const double> points, Aggregation aggregation);

struct Adjustment {
  AdjustmentType type = AdjustmentType::ChangeInCapacity;
  int amount = 0;
  int min_magnitude = 0;  // of PercentChangeInCapacity
};

struct Bounds {
  int min = 0, max = 0;
};

// The capacity after an adjustment, without bounds, never negative. A percentage is rounded towards zero, but a change
// of less than one is a change by one.
int adjusted_capacity(int capacity, const Adjustment& adjustment);

enum class Direction { None, Out, In };
Direction direction(int current, int wanted);
// For ExactCapacity it depends on the current capacity, for the others only on the sign.
Direction direction(int current, const Adjustment& adjustment);

// Brings what a policy wants into the bounds. A capacity outside of the bounds only moves towards them: scaling out
// never lowers the current capacity and scaling in never raises it.
int bounded_capacity(int current, int wanted, Direction direction, const Bounds& bounds);

// Where adjustments start from: scaling out from at least the minimum, scaling in from at most the maximum.
int base_capacity(int current, Direction direction, const Bounds& bounds);

// -- EC2 Auto Scaling --

struct GroupCapacity {
  int desired = 0;
  int warm = 0;          // instances in service whose warm-up is over, and terminating ones
  bool warming = false;  // any instance is pending or in its warm-up
  Bounds bounds = {};
};

// The desired capacity after a step policy's adjustment; the present one where nothing is to be done. Scaling out counts
// warming instances as part of the present adjustment; scaling in waits until no instance warms up.
int step_group(const GroupCapacity& group, const Adjustment& adjustment);
// The same for a simple policy, whose adjustment applies to the desired capacity.
int adjust_group(const GroupCapacity& group, const Adjustment& adjustment);

// Seconds; the first of these that is set. DefaultCooldown always is.
base::Duration warm_up_time(std::optional<int> policy, std::optional<int> group_default, int default_cooldown);

// Whether a simple policy may run: no activity is in progress and the cooldown since the last one's end is over.
struct SimpleCooldown {
  bool activity_in_progress = false;
  std::optional<base::Time> last_activity_end = {};
  base::Duration length = {};
};
bool is_over(const SimpleCooldown& cooldown, base::Time now);

// -- Application Auto Scaling --

// The last scaling activity of a policy on a target. Its cooldown starts when it is completed; that of an activity that
// waits for capacity starts with it, so that capacity that never comes does not keep a target from scaling in.
struct Cooling {
  int from = 0, to = 0;  // desired counts before and after
  base::Time since = {};
  base::Duration length = {};
};
bool is_cooling(const Cooling& cooling, base::Time now);

struct TargetCapacity {
  int desired = 0, running = 0;
  Bounds bounds = {};
  std::optional<Cooling> cooling = {};
};

// The capacity that adjustments apply to: the running count; while a scale-out cools down, the count before it, so that
// only the excess over what it added is added.
int scalable_capacity(const TargetCapacity& target, base::Time now);

struct Scaled {
  enum class Verdict { Changed, AtMax, AtMin, AtDesired, Cooling };
  Verdict verdict = Verdict::AtDesired;
  int desired = 0;
};

// Applies what a policy wants to a target. Scaling in is blocked during a cooldown; scaling out ends a scale-in's.
Scaled scale_target(const TargetCapacity& target, int wanted, Direction direction, base::Time now);
Scaled step_target(const TargetCapacity& target, const Adjustment& adjustment, base::Time now);

}  // namespace autoscaler
