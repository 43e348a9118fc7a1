// SPDX-License-Identifier: Apache-2.0
// Random tasks on a simulated group of a capacity provider with managed scaling, one evaluation a minute: the group runs
// all tasks within a stated number of evaluations, comes to rest, and returns to its minimum. Cron expressions against a
// search minute by minute.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "autoscaler/capacity_provider.h"
#include "autoscaler/cron.h"
#include "autoscaler/target_tracking.h"
#include "base/time.h"
#include "base/time_zone.h"

namespace autoscaler {
namespace {

constexpr std::size_t kLowPoints = 15;
constexpr double kTarget = 100;
constexpr int kGpus = 4;  // of a machine

int capacity_runs() {
  const char* text = std::getenv("STOKER_SIM_RUNS");
  return text ? std::atoi(text) : 300;
}

struct Machine {
  int starts_in = 0;            // minutes
  std::vector<int> tasks = {};  // minutes that each still runs
};

struct ProvidedGroup {
  int min = 0, max = 0, delay = 0;
  std::vector<Machine> machines = {};
  std::deque<int> waiting = {};  // minutes that each will run, oldest first
  std::deque<double> points = {};
  int desired = 0, changes = 0;

  void pass_minute() {
    for (Machine& machine : machines) {
      machine.starts_in = std::max(0, machine.starts_in - 1);
      for (int& left : machine.tasks) --left;
      std::erase_if(machine.tasks, [](int left) { return left <= 0; });
    }
    place();
    evaluate();
    follow();
  }

  void place() {
    for (Machine& machine : machines) {
      while (machine.starts_in == 0 && machine.tasks.size() < kGpus && !waiting.empty()) {
        machine.tasks.push_back(waiting.front());
        waiting.pop_front();
      }
    }
  }

  ProviderView view() const {
    ProviderView seen;
    for (const Machine& machine : machines) {
      if (machine.starts_in > 0) continue;
      ++seen.running;
      seen.busy += machine.tasks.empty() ? 0 : 1;
      seen.sizes.push_back({.gpus = kGpus});
    }
    if (!waiting.empty()) seen.waiting = {{{.gpus = 1}, static_cast<std::int64_t>(waiting.size())}};
    return seen;
  }

  // The policy's two alarms: one point above the target, fifteen below it.
  void evaluate() {
    const ProviderView seen = view();
    points.push_back(capacity_reservation(seen).percent);
    if (points.size() > kLowPoints) points.pop_front();
    int wanted = desired;
    if (points.back() > kTarget) {
      wanted = std::max(desired, tracked(seen.running, points.back()));
    } else if (points.size() == kLowPoints && std::ranges::all_of(points, [](double one) { return one < kTarget; })) {
      wanted = paced_scale_in(desired, std::min(desired, tracked(seen.running, std::ranges::max(points))));
    }
    wanted = std::clamp(wanted, min, max);
    changes += wanted != desired ? 1 : 0;
    desired = wanted;
  }
  static int tracked(std::int64_t running, double percent) {
    return tracked_capacity({static_cast<int>(running), percent, kTarget, FromZero::CountAsOne});
  }

  // Managed termination protection: a machine with a task stays, whatever is desired.
  void follow() {
    while (static_cast<int>(machines.size()) < desired) machines.push_back({.starts_in = delay});
    while (static_cast<int>(machines.size()) > desired) {
      const auto idle = std::ranges::find_if(machines, [](const Machine& machine) { return machine.tasks.empty(); });
      if (idle == machines.end()) return;
      machines.erase(idle);
    }
  }

  int busy() const {
    return static_cast<int>(std::ranges::count_if(machines, [](const Machine& machine) { return !machine.tasks.empty(); }));
  }
};

TEST(CapacitySimulation, AProvidersGroupRunsAllTasksAndReturnsToItsMinimum) {
  for (int seed = 0; seed < capacity_runs(); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto pick = [&](int from, int to) { return std::uniform_int_distribution<>(from, to)(random); };
    ProvidedGroup group;
    group.min = pick(0, 3);
    group.max = group.min + pick(1, 30);
    group.delay = pick(0, 4);
    group.desired = group.min;
    for (int minute = 0; minute < 240; ++minute) {
      for (int i = pick(0, 19) == 0 ? pick(1, 60) : 0; i > 0; --i) group.waiting.push_back(pick(1, 90));
      group.pass_minute();
      ASSERT_GE(group.desired, group.min) << "seed " << seed;
      ASSERT_LE(group.desired, group.max) << "seed " << seed;
      ASSERT_LE(static_cast<int>(group.machines.size()), group.max) << "seed " << seed;
      ASSERT_GE(group.desired, group.busy()) << "less than has work: seed " << seed;
    }
    // No new tasks: at most 60 of them for every second evaluation, 90 minutes each, on one machine at the least.
    for (int minute = 0; minute < 20000 && (!group.waiting.empty() || group.busy() > 0); ++minute) group.pass_minute();
    ASSERT_TRUE(group.waiting.empty()) << "seed " << seed;
    // Each scale-in takes fifteen points and removes nearly a half.
    for (int minute = 0; minute < 120; ++minute) group.pass_minute();
    ASSERT_EQ(group.desired, group.min) << "seed " << seed;
    ASSERT_EQ(static_cast<int>(group.machines.size()), group.min) << "seed " << seed;
    const int changes = group.changes;
    for (int minute = 0; minute < 120; ++minute) group.pass_minute();
    ASSERT_EQ(group.changes, changes) << "oscillates: seed " << seed;
  }
}

TEST(CapacitySimulation, ASteadyDemandIsMetWithinFiveEvaluationsAndStays) {
  constexpr int kForEver = 1000000;
  for (int tasks = 1; tasks <= 80; ++tasks) {
    ProvidedGroup group{.min = 0, .max = 40};
    group.waiting.assign(static_cast<std::size_t>(tasks), kForEver);
    for (int minute = 0; minute < 5; ++minute) group.pass_minute();
    ASSERT_TRUE(group.waiting.empty()) << tasks;
    for (int minute = 0; minute < 120; ++minute) group.pass_minute();
    ASSERT_EQ(static_cast<int>(group.machines.size()), (tasks + kGpus - 1) / kGpus) << tasks;
    const int changes = group.changes;
    for (int minute = 0; minute < 240; ++minute) group.pass_minute();
    ASSERT_EQ(group.changes, changes) << "oscillates: " << tasks;
  }
}

// Independent of the code under test: numbers of one field, by trial.
bool in_field(const std::vector<int>& wanted, int value) { return wanted.empty() || std::ranges::count(wanted, value) > 0; }

std::string field_text(const std::vector<int>& wanted) {
  if (wanted.empty()) return "*";
  std::string text;
  for (const int value : wanted) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

TEST(CronSimulation, TheNextTimeIsTheFirstMinuteThatMatches) {
  const base::TimeZone utc;
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto pick = [&](int from, int to) { return std::uniform_int_distribution<>(from, to)(random); };
    const auto some = [&](int from, int to) {
      std::vector<int> values(static_cast<std::size_t>(pick(0, 3)));
      for (int& value : values) value = pick(from, to);
      return values;
    };
    const auto minutes = some(0, 59), hours = some(0, 23), weekdays = some(0, 6);
    const std::string text = field_text(minutes) + " " + field_text(hours) + " * * " + field_text(weekdays);
    const auto cron = parse_group_cron(text);
    ASSERT_TRUE(cron) << text;
    const base::Time after = base::from_seconds(1700000000 + pick(0, 400) * 86400 + pick(0, 86399));
    const auto found = next_after(*cron, utc, after);
    ASSERT_TRUE(found) << text;
    std::int64_t minute = base::to_seconds(after) / 60 + 1;
    const auto matches = [&] {
      const std::int64_t day = minute / (24 * 60);  // 1970-01-01 was a Thursday
      return in_field(minutes, static_cast<int>(minute % 60)) && in_field(hours, static_cast<int>(minute / 60 % 24)) &&
             in_field(weekdays, static_cast<int>((day + 4) % 7));
    };
    while (!matches()) ++minute;
    ASSERT_EQ(base::to_seconds(*found), minute * 60) << text << " after " << base::to_seconds(after);
  }
}

}  // namespace
}  // namespace autoscaler
