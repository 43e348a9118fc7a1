// SPDX-License-Identifier: Apache-2.0
// How much of a cluster's GPUs is allocated when tasks arrive until nothing fits: the scheduler's own Fleet without a
// strategy, beside other methods on the same arrivals; and what a decision costs on a large fleet.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "packing/peers.h"
#include "packing/trace_file.h"

namespace {

using namespace packing;
using scheduler::test::arrivals;
using scheduler::test::kWholeGpu;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string machines;
  std::vector<std::string> tasks;
  int seeds = 1;
  std::size_t fleet = 10000;
  bool quick = false, no_peers = false;
};

struct Times {
  std::vector<double> placed_us, refused_us;
  std::vector<double> cpu_us;  // of all: CPU time, which a busy machine changes less
};

double thread_cpu_us() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) * 1e-3;
}

double at(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  const auto index = static_cast<std::ptrdiff_t>(static_cast<double>(values.size() - 1) * part);
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

Allocated replay_fleet(const Trace& trace, const std::vector<TraceTask>& tasks, Times* times) {
  scheduler::Fleet fleet;
  for (std::size_t i = 0; i < trace.machines.size(); ++i) {
    fleet.put(scheduler::test::instance_of(trace.machines[i], i));
  }
  const auto total = static_cast<double>(trace.gpu_total());
  std::int64_t demand = 0, held = 0;
  Allocated result;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const scheduler::Request request = scheduler::test::request_of(tasks[i], i);
    const double cpu_before = times ? thread_cpu_us() : 0;
    const auto began = Clock::now();
    const scheduler::Decision decision = fleet.place(request);
    const scheduler::Plan* plan = scheduler::test::plan_of(decision);
    const bool held_now = plan && fleet.hold(*plan);
    CHECK(!plan || held_now) << "a new plan is already stale";
    const double took = std::chrono::duration<double, std::micro>(Clock::now() - began).count();
    if (times) (plan ? times->placed_us : times->refused_us).push_back(took);
    if (times) times->cpu_us.push_back(thread_cpu_us() - cpu_before);
    demand += tasks[i].gpu_demand();
    if (plan) held += tasks[i].gpu_demand();
    if (static_cast<double>(demand) < total) result.at_100 = 100 * static_cast<double>(held) / total;
  }
  result.at_130 = 100 * static_cast<double>(held) / total;
  return result;
}

void print_allocated(const char* name, const Allocated& sum, int seeds) {
  std::printf("  %-10s %8.2f %8.2f\n", name, sum.at_100 / seeds, sum.at_130 / seeds);
  std::fflush(stdout);
}

template <class Replay>
Allocated sum_of_seeds(const Trace& trace, int seeds, const Replay& replay) {
  Allocated sum;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Allocated one = replay(arrivals(trace, static_cast<std::uint64_t>(seed)), static_cast<std::uint64_t>(seed));
    sum.at_100 += one.at_100;
    sum.at_130 += one.at_130;
  }
  return sum;
}

void compare(const Trace& trace, const Options& options) {
  std::printf("  GPUs allocated, %%, when 100 %% and 130 %% have arrived; mean of %d orders\n", options.seeds);
  auto show = [&](const char* name, const auto& one) {
    const Allocated sum = sum_of_seeds(trace, options.seeds, one);
    print_allocated(name, sum, options.seeds);
    return sum.at_130 / options.seeds;
  };
  const double ours = show("stoker", [&](const auto& tasks, auto) { return replay_fleet(trace, tasks, nullptr); });
  if (options.no_peers) return;
  const Score gradient = gradient_descent(trace), fit = best_fit(trace);
  const double descent = show("fgd", [&](const auto& tasks, auto) { return replay(trace, tasks, gradient, true); });
  const double best = show("best fit", [&](const auto& tasks, auto) { return replay(trace, tasks, fit, true); });
  show("random", [&](const auto& tasks, auto seed) { return replay(trace, tasks, random_choice(seed), false); });
  std::printf("  at least the better of fgd and best fit: %s\n", ours >= std::max(descent, best) ? "pass" : "MISS");
}

// The list of machines repeated, and as many tasks for each machine.
Trace enlarged(const Trace& trace, std::size_t machines) {
  Trace large;
  for (std::size_t i = 0; i < machines; ++i) large.machines.push_back(trace.machines[i % trace.machines.size()]);
  const std::size_t tasks = trace.tasks.size() * machines / trace.machines.size();
  for (std::size_t i = 0; i < tasks; ++i) large.tasks.push_back(trace.tasks[i % trace.tasks.size()]);
  return large;
}

void time_decisions(const Trace& trace, const Options& options) {
  const Trace large = enlarged(trace, options.fleet);
  Times times;
  const Allocated result = replay_fleet(large, arrivals(large, 1), &times);
  std::vector<double> all = times.placed_us;
  all.insert(all.end(), times.refused_us.begin(), times.refused_us.end());
  std::printf("  %zu machines, %.2f %% allocated. A decision, us:    p50      p99    p99.9\n", options.fleet,
              result.at_130);
  auto line = [](const char* name, std::vector<double>& values) {
    std::printf("  %-10s %28zu  %8.1f %8.1f %8.1f\n", name, values.size(), at(values, 0.5), at(values, 0.99),
                at(values, 0.999));
  };
  line("placed", times.placed_us);
  line("refused", times.refused_us);
  line("all", all);
  line("all, CPU", times.cpu_us);
  std::printf("  p99 under 100 us: %s\n", at(all, 0.99) < 100 ? "pass" : "MISS");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Share of a cluster's GPUs that the default placement allocates, beside other methods.");
  app.add_option("machines", options.machines, "CSV of machines; without files: a synthetic workload");
  app.add_option("tasks", options.tasks, "CSV of tasks, one or more");
  app.add_option("--seeds", options.seeds, "Orders of arrival, averaged")->capture_default_str();
  app.add_option("--fleet", options.fleet, "Machines for timing decisions; 0: none")->capture_default_str();
  app.add_flag("--no-peers", options.no_peers, "Only Stoker's placement");
  app.add_flag("--quick", options.quick, "Some seconds: checks that the benchmark works");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.seeds = 1, options.fleet = std::min<std::size_t>(options.fleet, 500);
  try {
    if (options.tasks.empty()) {
      std::printf("synthetic\n");
      const Trace trace = scheduler::test::synthetic_trace(1, options.quick ? 60 : 600);
      compare(trace, options);
      if (options.fleet > 0) time_decisions(trace, options);
    }
    for (const std::string& path : options.tasks) {
      std::printf("%s\n", std::filesystem::path(path).filename().c_str());
      const Trace trace = read_trace(options.machines, path);
      compare(trace, options);
      if (options.fleet > 0) time_decisions(trace, options);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "packing_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
