// SPDX-License-Identifier: Apache-2.0
// Random services, each from a seed that a failure prints. STOKER_SIM_RUNS sets their number, in all tests together,
// STOKER_SIM_SEED the first seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <set>

#include "naive_reconcile.h"
#include "service_simulator.h"

namespace scheduler::sim {
namespace {

using std::chrono::seconds;

int number_from(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// Of each test.
int runs() {
  constexpr int kTests = 6;
  return (number_from("STOKER_SIM_RUNS", 2000) + kTests - 1) / kTests;
}
std::uint64_t first_seed() { return static_cast<std::uint64_t>(number_from("STOKER_SIM_SEED", 1)); }

class ScriptWriter {
 public:
  explicit ScriptWriter(std::uint64_t seed) : random_(seed) { script_.seed = seed; }

  Script replicas() {
    static constexpr int kBounds[][2] = {{100, 200}, {0, 100},   {50, 100}, {0, 200},  {75, 150},  {100, 150},
                                         {50, 200},  {100, 125}, {25, 125}, {66, 133}, {100, 100}, {50, 150}};
    const auto& bounds = kBounds[number(0, 11)];
    script_.rules = {.desired = number(0, 8), .minimum_percent = bounds[0], .maximum_percent = bounds[1]};
    write(12);
    return script_;
  }

  Script daemon() {
    script_.rules = {.daemon = true, .minimum_percent = number(0, 3) * 25, .maximum_percent = 100};
    write(12);
    return script_;
  }

  Script zones() {
    script_.rules = {.desired = number(0, 8), .maximum_percent = 200, .rebalance_zones = true};
    write(12);
    script_.zones = number(2, 3);
    return script_;
  }

 private:
  int number(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }

  void write(int events) {
    script_.rules.grace = seconds(number(0, 2) * 5);
    script_.rules.breaker = number(0, 1) == 1;
    script_.rules.breaker_rollback = script_.rules.alarm_rollback = number(0, 1) == 1;
    script_.rules.bake = seconds(number(0, 2) * 10);
    script_.health_checks = number(0, 1) == 1;
    script_.machines = number(1, 5);
    script_.slots = number(1, 4);
    for (int i = 0; i < events; ++i) {
      const Event event{.kind = static_cast<Event::Kind>(number(0, 13)), .first = any(), .second = any()};
      script_.events.push_back(event);
    }
  }
  std::uint32_t any() { return static_cast<std::uint32_t>(random_() >> 34); }

  std::mt19937_64 random_;
  Script script_;
};

void play(ServiceSimulator& simulator, const Script& script) {
  for (const Event& event : script.events) {
    simulator.play(event);
    for (std::uint32_t i = 0; i < 1 + event.second % 3; ++i) {
      simulator.tick(seconds(1 + event.first % 4));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  simulator.heal();
}

// Neither a task may start before one stops, nor may one stop first.
bool is_hopeless(const ServiceView& view) {
  const std::int64_t desired = view.rules.desired, upper = desired * view.rules.maximum_percent / 100;
  return upper <= desired && (desired - 1) * 100 < desired * view.rules.minimum_percent;
}

constexpr int kMostTicks = 300;

// Until nothing has happened for a while. Zones are balanced after the first steady state, so that is not the end.
void converge(ServiceSimulator& simulator) {
  constexpr int kQuietTicks = 5;
  int quiet = 0;
  for (int i = 0; i < kMostTicks && quiet < kQuietTicks; ++i) {
    const int actions = simulator.actions();
    simulator.tick(seconds(10));
    if (testing::Test::HasFatalFailure()) return;
    const ServicePlan& plan = simulator.last_plan();
    const bool rests = (plan.steady || plan.stuck) && !simulator.in_flight() && simulator.actions() == actions;
    quiet = rests ? quiet + 1 : 0;
  }
}

void expect_final_state(ServiceSimulator& simulator) {
  const ServiceView view = simulator.view();
  const ServicePlan plan = reconcile(view, simulator.now());
  if (!plan.steady && is_hopeless(view)) {
    ASSERT_TRUE(plan.stuck || plan.starts.empty()) << text_of(simulator.view());
    return;
  }
  ASSERT_TRUE(plan.steady) << text_of(simulator.view());
  std::map<std::int64_t, int> expected;
  if (view.rules.desired > 0) expected[simulator.primary()] = view.rules.desired;
  ASSERT_EQ(simulator.counts(), expected);
  // Nothing happens any more.
  const int actions = simulator.actions();
  for (int i = 0; i < 5; ++i) simulator.tick(std::chrono::minutes(10));
  ASSERT_EQ(simulator.actions(), actions) << "flapping\n" << text_of(simulator.view());
}

// A daemon waits for machines that are only disconnected.
bool waits_for_machines(const ServiceView& view) {
  return std::ranges::any_of(view.machines, [](const DaemonMachine& machine) {
    return !machine.suitable && !machine.leaving && !machine.excluded;
  });
}

// What waits says why, or when it goes on.
void expect_explained(const ServiceSimulator& simulator) {
  const ServicePlan plan = reconcile(simulator.view(), simulator.now());
  const bool acts = !plan.starts.empty() || !plan.stops.empty() || plan.verdict != Verdict::None;
  const ServiceView view = simulator.view();
  if (acts || plan.steady || simulator.in_flight() || view.deployments.front().failed) return;
  if (waits_for_machines(view)) return;
  ASSERT_TRUE(plan.stuck || plan.next || plan.protected_tasks > 0) << "waits without a reason\n"
                                                                   << text_of(simulator.view());
}

struct PlanCounts {
  std::map<std::int64_t, int> starts;
  int pending = 0, healthy = 0, other = 0;
  bool operator==(const PlanCounts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const PlanCounts& counts) {
  for (const auto& [deployment, count] : counts.starts) out << "start " << count << " of " << deployment << ", ";
  return out << "stop " << counts.pending << " pending, " << counts.healthy << " healthy, " << counts.other << " other";
}

PlanCounts count_plan(const ServiceView& view, const ServicePlan& plan) {
  PlanCounts counts;
  for (const ServiceStart& start : plan.starts) counts.starts[start.deployment] += start.count;
  for (const ServiceStop& stop : plan.stops) {
    const ServiceTask& task = *std::ranges::find(view.tasks, stop.task, &ServiceTask::id);
    const bool healthy = task.health == TaskHealth::NotChecked || task.health == TaskHealth::Healthy;
    ++(!task.running ? counts.pending : healthy ? counts.healthy : counts.other);
  }
  return counts;
}

// Decides with the reconciler, and compares each plan with the reference's.
ServicePlan compared(const ServiceView& view, base::Time now) {
  ServicePlan plan = reconcile(view, now);
  EXPECT_EQ(count_plan(view, plan), count_plan(view, naive_reconcile(view, now)))
      << text_of(view) << "blocked " << view.blocked;
  return plan;
}

template <class Write>
void for_each_seed(Write check) {
  for (int i = 0; i < runs(); ++i) {
    const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(i);
    SCOPED_TRACE("STOKER_SIM_SEED=" + std::to_string(seed) + " STOKER_SIM_RUNS=1");
    check(seed);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Simulation, AServiceStaysInItsBoundsAndReachesWhatItDeclares) {
  for_each_seed([](std::uint64_t seed) {
    const Script script = ScriptWriter(seed).replicas();
    ServiceSimulator simulator(script, reconcile);
    play(simulator, script);
    if (testing::Test::HasFatalFailure()) return;
    converge(simulator);
    if (!testing::Test::HasFatalFailure()) expect_final_state(simulator);
  });
}

TEST(Simulation, TheReferenceHasPlansOfTheSameSizeAndReachesTheSameState) {
  for_each_seed([](std::uint64_t seed) {
    const Script script = ScriptWriter(seed).replicas();
    ServiceSimulator simulator(script, compared), reference(script, naive_reconcile);
    play(simulator, script);
    play(reference, script);
    if (testing::Test::HasFailure()) return;
    converge(simulator);
    converge(reference);
    if (testing::Test::HasFailure() || is_hopeless(simulator.view())) return;
    ASSERT_EQ(simulator.counts(), reference.counts());
    ASSERT_EQ(simulator.last_plan().steady, reference.last_plan().steady);
  });
}

TEST(Simulation, ADaemonRunsOnEverySuitableMachine) {
  for_each_seed([](std::uint64_t seed) {
    const Script script = ScriptWriter(seed).daemon();
    ServiceSimulator simulator(script, reconcile);
    play(simulator, script);
    if (testing::Test::HasFatalFailure()) return;
    converge(simulator);
    if (!testing::Test::HasFatalFailure()) expect_final_state(simulator);
  });
}

TEST(Simulation, ZonesAreBalancedInTheEnd) {
  for_each_seed([](std::uint64_t seed) {
    const Script script = ScriptWriter(seed).zones();
    ServiceSimulator simulator(script, reconcile);
    play(simulator, script);
    if (testing::Test::HasFatalFailure()) return;
    converge(simulator);
    if (testing::Test::HasFatalFailure()) return;
    expect_final_state(simulator);
    const ServiceView view = simulator.view();
    if (testing::Test::HasFatalFailure() ||
        view.rules.desired * view.rules.maximum_percent / 100 <= view.rules.desired) {
      return;
    }
    std::map<std::string, int> zones;
    for (const std::string& zone : view.zones) zones[zone] = 0;
    for (const ServiceTask& task : view.tasks) ++zones[task.zone];
    const auto [least, most] = std::ranges::minmax(zones | std::views::values);
    ASSERT_LE(most - least, 1) << text_of(simulator.view());
  });
}

TEST(Simulation, WhatWaitsHasAReason) {
  for_each_seed([](std::uint64_t seed) {
    const Script script = seed % 3 == 0 ? ScriptWriter(seed).daemon() : ScriptWriter(seed).replicas();
    ServiceSimulator simulator(script, reconcile);
    for (const Event& event : script.events) {
      simulator.play(event);
      simulator.tick(seconds(1));
      if (!testing::Test::HasFatalFailure()) expect_explained(simulator);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Simulation, TheOrderOfTasksDoesNotMatter) {
  for_each_seed([](std::uint64_t seed) {
    const Script script = seed % 3 == 0   ? ScriptWriter(seed).daemon()
                          : seed % 3 == 1 ? ScriptWriter(seed).replicas()
                                          : ScriptWriter(seed).zones();
    std::mt19937_64 random(seed);
    ServiceSimulator simulator(script, [&](const ServiceView& view, base::Time now) {
      ServiceView shuffled = view;
      std::ranges::shuffle(shuffled.tasks, random);
      std::ranges::shuffle(shuffled.machines, random);
      ServicePlan plan = reconcile(view, now);
      const ServicePlan other = reconcile(shuffled, now);
      EXPECT_EQ(plan.next, other.next);
      EXPECT_TRUE(std::ranges::equal(plan.stops, other.stops, [](const ServiceStop& a, const ServiceStop& b) {
        return a.task == b.task && a.cause == b.cause;
      }));
      EXPECT_TRUE(std::ranges::equal(plan.starts, other.starts, [](const ServiceStart& a, const ServiceStart& b) {
        return a.deployment == b.deployment && a.count == b.count && a.machine == b.machine && a.zone == b.zone;
      }));
      return plan;
    });
    play(simulator, script);
  });
}

}  // namespace
}  // namespace scheduler::sim
