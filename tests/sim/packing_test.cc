// SPDX-License-Identifier: Apache-2.0
// Workloads on a simulated fleet: the default placement allocates at least as many GPUs as best fit, and the index
// decides like a full scan all the way.
#include <gtest/gtest.h>

#include "scheduler/filter.h"
#include "scheduler/place.h"
#include "scheduler/test_trace.h"

namespace scheduler {
namespace {

using namespace test;

void add_machines(Fleet& fleet, const Trace& trace) {
  for (std::size_t i = 0; i < trace.machines.size(); ++i) fleet.put(instance_of(trace.machines[i], i));
}

// GPU capacity held in the end.
std::int64_t held_by_fleet(const Trace& trace, const std::vector<TraceTask>& tasks) {
  Fleet fleet;
  add_machines(fleet, trace);
  std::int64_t held = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!run(fleet, request_of(tasks[i], i)).empty()) held += tasks[i].gpu_demand();
  }
  return held;
}

double left_after(const Machine& machine, const TraceTask& task) {
  std::int64_t gpu = 0;
  for (std::size_t i = 0; i < machine.gpu_uses().size(); ++i) {
    gpu += machine.gpu_uses()[i].idle() ? kWholeGpu : machine.shareable_mib(i);
  }
  return static_cast<double>(machine.free_cpu() - task.cpu) / 104000 +
         static_cast<double>(gpu - task.gpu_demand()) / (8 * kWholeGpu);
}

std::int64_t held_by_best_fit(const Trace& trace, const std::vector<TraceTask>& tasks) {
  std::vector<Machine> machines;
  for (std::size_t i = 0; i < trace.machines.size(); ++i) machines.emplace_back(instance_of(trace.machines[i], i));
  std::int64_t held = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Request request = request_of(tasks[i], i);
    Machine* best = nullptr;
    for (Machine& machine : machines) {
      if (misfit(machine, request, GpuNeed(request.demand))) continue;
      if (!best || left_after(machine, tasks[i]) < left_after(*best, tasks[i])) best = &machine;
    }
    if (!best) continue;
    best->add(make_plan(*best, request).hold);
    held += tasks[i].gpu_demand();
  }
  return held;
}

TEST(Packing, AllocatesAtLeastAsManyGpusAsBestFit) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Trace trace = synthetic_trace(seed);
    const std::vector<TraceTask> tasks = arrivals(trace, seed);
    EXPECT_GE(held_by_fleet(trace, tasks), held_by_best_fit(trace, tasks));
  }
}

// Tasks arrive and, from the time that the fleet is full, end in random order.
void churn_like_a_full_scan(std::uint64_t seed) {
  const Trace trace = synthetic_trace(seed, 30);
  const std::vector<TraceTask> tasks = arrivals(trace, seed);
  std::mt19937_64 random(seed);
  Fleet fleet;
  add_machines(fleet, trace);
  std::vector<model::TaskId> live;
  for (std::size_t i = 0; i < 3 * tasks.size(); ++i) {
    Request request = request_of(tasks[i % tasks.size()], i);
    if (random() % 8 == 0) member_of(request, "attribute:gpu != lean");
    const Decision indexed = fleet.place(request);
    const Decision plain = place(fleet.machines(), request, fleet.outlook());
    ASSERT_EQ(indexed.index(), plain.index()) << request.task.str();
    if (const Plan* plan = plan_of(indexed)) {
      ASSERT_EQ(plan->instance, plan_of(plain)->instance) << request.task.str();
      ASSERT_EQ(plan->hold, plan_of(plain)->hold);
      ASSERT_TRUE(fleet.hold(*plan));
      fleet.commit(request.task);
      live.push_back(request.task);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      fleet.release(live.back());
      live.pop_back();
    }
    if (random() % 100 == 0) fleet.remove(fleet.machines().front()->instance().id);
    if (random() % 50 == 0) fleet.put(instance_of(trace.machines[random() % trace.machines.size()], random() % 40));
    std::erase_if(live, [&](const model::TaskId& task) { return !fleet.machine_of(task); });
  }
}

TEST(Packing, DecidesLikeAFullScanWhileTasksAndMachinesComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    churn_like_a_full_scan(seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace scheduler
