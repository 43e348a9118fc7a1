// SPDX-License-Identifier: Apache-2.0
// Random loads on a simulated service and a simulated group, one evaluation a minute: the bounds hold, a steady load
// brings the capacity to rest within a stated number of evaluations, and it stays there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "autoscaler/step.h"
#include "autoscaler/target_tracking.h"

namespace autoscaler {
namespace {

using std::chrono::minutes;

constexpr std::size_t kHighPoints = 3, kLowPoints = 15;

int scaling_runs() {
  const char* text = std::getenv("STOKER_SIM_RUNS");
  return text ? std::atoi(text) : 300;
}

// The newest points, as an alarm keeps them.
struct Points {
  std::deque<double> all;

  void add(double value) {
    all.push_back(value);
    if (all.size() > kLowPoints) all.pop_front();
  }
  // The last `count`, where all of them satisfy the condition.
  template <class Holds>
  std::vector<double> last(std::size_t count, Holds holds) const {
    if (all.size() < count) return {};
    std::vector<double> points(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
    return std::all_of(points.begin(), points.end(), holds) ? points : std::vector<double>();
  }
};

// Capacity that appears some minutes after it is desired, and disappears at once.
struct Capacity {
  int desired = 0, running = 0;
  int delay = 0;  // minutes
  std::deque<int> history;

  void pass_minute() {
    history.push_back(desired);
    if (history.size() > static_cast<std::size_t>(delay) + 1) history.pop_front();
    running = std::min(desired, *std::min_element(history.begin(), history.end()));
  }
};

// A service with a target tracking policy: each task serves a load of 100.
struct TrackedService {
  Bounds bounds;
  double target = 50;
  base::Duration cooldown = minutes(5);
  Capacity capacity;
  Points points;
  std::optional<Cooling> cooling;
  base::Time now = base::from_seconds(1800000000);
  int changes = 0;

  double metric(double load) const { return capacity.running > 0 ? load / capacity.running : 0; }

  void scale(const std::vector<double>& seen, Direction to) {
    const double value = tracking_metric(seen, to);
    const int wanted = tracked_capacity({.capacity = capacity.running, .metric = value, .target = target});
    const TargetCapacity before{capacity.desired, capacity.running, bounds, cooling};
    const Scaled scaled = scale_target(before, wanted, to, now);
    if (scaled.verdict != Scaled::Verdict::Changed) return;
    cooling = Cooling{capacity.desired, scaled.desired, now, cooldown};
    capacity.desired = scaled.desired;
    ++changes;
  }

  void pass_minute(double load) {
    now += minutes(1);
    capacity.pass_minute();
    points.add(metric(load));
    const auto high = points.last(kHighPoints, [&](double value) { return value > target; });
    const auto low = points.last(kLowPoints, [&](double value) { return value < target * 9 / 10; });
    if (!high.empty()) scale(high, Direction::Out);
    if (!low.empty()) scale(low, Direction::In);
  }
};

TEST(ScalingSimulation, ATrackedServiceStaysInItsBoundsAndComesToRest) {
  for (int seed = 0; seed < scaling_runs(); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto pick = [&](int from, int to) { return std::uniform_int_distribution<>(from, to)(random); };
    TrackedService service;
    service.bounds.min = pick(1, 5);
    service.bounds.max = service.bounds.min + pick(0, 40);
    service.target = pick(20, 90);
    service.cooldown = minutes(pick(0, 6));
    service.capacity.delay = pick(0, 4);
    service.capacity.desired = service.capacity.running = pick(service.bounds.min, service.bounds.max);
    for (int phase = 0; phase < 5; ++phase) {
      const double load = pick(0, 4000);
      // At most seven scale-ins of 15 points and their cooldown lead from any capacity to any other.
      constexpr int kEvaluations = 240;
      for (int minute = 0; minute < kEvaluations; ++minute) {
        service.pass_minute(load);
        ASSERT_GE(service.capacity.desired, service.bounds.min) << "seed " << seed;
        ASSERT_LE(service.capacity.desired, service.bounds.max) << "seed " << seed;
      }
      const int needed = static_cast<int>(std::ceil(load / service.target - 1e-9));
      const int best = std::clamp(needed, service.bounds.min, service.bounds.max);
      // Between 90 % and 100 % of the target nothing is done.
      ASSERT_GE(service.capacity.desired, best) << "seed " << seed << " load " << load;
      ASSERT_LE(service.capacity.desired * service.target * 9 / 10, std::max(load, best * service.target) + 1e-6)
          << "seed " << seed << " load " << load;
      const int changes = service.changes;
      for (int minute = 0; minute < 120; ++minute) service.pass_minute(load);
      ASSERT_EQ(service.changes, changes) << "oscillates: seed " << seed << " load " << load;
    }
  }
}

TEST(ScalingSimulation, AScaleOutReachesItsCapacityWithinTenEvaluations) {
  for (int load = 100; load <= 5000; load += 50) {
    TrackedService service;
    service.bounds = {1, 1000};
    service.capacity.desired = service.capacity.running = 1;
    for (int minute = 0; minute < 10; ++minute) service.pass_minute(load);
    ASSERT_EQ(service.capacity.desired, static_cast<int>(std::ceil(load / service.target))) << load;
  }
}

// A group with a step policy for each direction.
struct SteppedGroup {
  Bounds bounds;
  Capacity capacity;
  int changes = 0;

  void pass_minute(double load) {
    capacity.pass_minute();
    const double metric = capacity.running > 0 ? load / capacity.running : load > 0 ? 100 : 0;
    const std::vector<Step> out = {{0, 20, 1}, {20, {}, 3}}, in = {{{}, 0, -1}};
    const Step* step = metric > 80 ? find_step(out, metric - 80, Side::Above)
                       : metric < 30 ? find_step(in, metric - 30, Side::Below) : nullptr;
    if (!step) return;
    const GroupCapacity group{capacity.desired, capacity.running, capacity.running < capacity.desired, bounds};
    const int desired = step_group(group, {AdjustmentType::ChangeInCapacity, step->adjustment});
    changes += desired != capacity.desired;
    capacity.desired = desired;
  }
};

TEST(ScalingSimulation, ASteppedGroupStaysInItsBoundsAndComesToRest) {
  for (int seed = 0; seed < scaling_runs(); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto pick = [&](int from, int to) { return std::uniform_int_distribution<>(from, to)(random); };
    SteppedGroup group;
    // A group that may be empty would alternate: one instance with little to do is more than these steps keep.
    group.bounds.min = pick(1, 4);
    group.bounds.max = group.bounds.min + pick(1, 30);
    group.capacity.delay = pick(0, 5);
    group.capacity.desired = group.capacity.running = group.bounds.min;
    for (int phase = 0; phase < 5; ++phase) {
      const double load = pick(0, 2500);
      // One step in each start-up of at most six minutes, from one bound to the other.
      for (int minute = 0; minute < 7 * 40; ++minute) {
        group.pass_minute(load);
        ASSERT_GE(group.capacity.desired, group.bounds.min) << "seed " << seed;
        ASSERT_LE(group.capacity.desired, group.bounds.max) << "seed " << seed;
      }
      const int changes = group.changes;
      for (int minute = 0; minute < 120; ++minute) group.pass_minute(load);
      ASSERT_EQ(group.changes, changes) << "oscillates: seed " << seed << " load " << load;
    }
  }
}

// A queue whose backlog per task is tracked, from zero and back.
TEST(ScalingSimulation, ABacklogStartsTasksFromZeroAndEndsThemAll) {
  for (int messages = 1; messages <= 2000; messages = messages * 3 / 2 + 1) {
    const double target = 10;
    const Bounds bounds{0, 20};
    int desired = 0, running = 0, backlog = messages, minutes_passed = 0;
    Points points;
    while (backlog > 0 || desired > 0) {
      ASSERT_LT(++minutes_passed, 200) << messages;
      running = desired;
      backlog = std::max(0, backlog - running * 5);
      const double metric = static_cast<double>(backlog) / std::max(running, 1);
      points.add(metric);
      const Tracking tracking{running, metric, target, FromZero::CountAsOne};
      const bool high = running == 0 ? backlog > 0 : metric > target;
      if (high) desired = bounded_capacity(desired, tracked_capacity(tracking), Direction::Out, bounds);
      const auto low = points.last(kLowPoints, [&](double value) { return value < target * 9 / 10; });
      if (!low.empty()) {
        const double value = tracking_metric(low, Direction::In);
        const int wanted = tracked_capacity({running, value, target, FromZero::CountAsOne});
        desired = bounded_capacity(desired, wanted, Direction::In, bounds);
      }
      ASSERT_LE(desired, bounds.max);
    }
  }
}

}  // namespace
}  // namespace autoscaler
