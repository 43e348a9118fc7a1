// SPDX-License-Identifier: Apache-2.0
#include "cli/top_json.h"

#include "cli/json.h"

namespace cli {
namespace {

struct PrintedMachine {
  std::string name, state;
  std::int64_t runningTasks = 0, pendingTasks = 0, cpuUsed = 0, cpu = 0, memoryUsedMiB = 0, memoryMiB = 0, gpusUsed = 0, gpus = 0;
};
BOOST_DESCRIBE_STRUCT(PrintedMachine, (),
                      (name, state, runningTasks, pendingTasks, cpuUsed, cpu, memoryUsedMiB, memoryMiB, gpusUsed, gpus))

struct PrintedGpu {
  std::string machine;
  std::int32_t index = 0;
  std::string model;
  bool healthy = true;
  std::optional<std::int64_t> utilizationPercent, memoryUsedMiB;
  std::int64_t memoryMiB = 0;
  std::string heldBy;
};
BOOST_DESCRIBE_STRUCT(PrintedGpu, (), (machine, index, model, healthy, utilizationPercent, memoryUsedMiB, memoryMiB, heldBy))

struct PrintedQueue {
  std::string name;
  std::int64_t visible = 0, inFlight = 0, delayed = 0;
  std::optional<std::int64_t> oldestSeconds;
};
BOOST_DESCRIBE_STRUCT(PrintedQueue, (), (name, visible, inFlight, delayed, oldestSeconds))

struct PrintedPipeline {
  std::string name;
  bool paused = false;
  std::int64_t queued = 0, running = 0, succeeded = 0, failed = 0, workers = 0, max = 0;
  std::optional<double> itemsPerSecond;
};
BOOST_DESCRIBE_STRUCT(PrintedPipeline, (), (name, paused, queued, running, succeeded, failed, workers, max, itemsPerSecond))

struct PrintedSnapshot {
  base::Time time;
  std::string endpoint, cluster;
  std::vector<PrintedMachine> machines;
  std::vector<PrintedGpu> gpus;
  std::vector<PrintedQueue> queues;
  std::vector<PrintedPipeline> pipelines;
  std::optional<std::string> trouble;
};
BOOST_DESCRIBE_STRUCT(PrintedSnapshot, (), (time, endpoint, cluster, machines, gpus, queues, pipelines, trouble))

}  // namespace

void print_top_json(std::ostream& out, const TopSnapshot& snapshot) {
  PrintedSnapshot printed{snapshot.now, snapshot.endpoint, snapshot.cluster, {}, {}, {}, {}, std::nullopt};
  if (!snapshot.trouble.empty()) printed.trouble = snapshot.trouble;
  for (const TopMachine& one : snapshot.machines) {
    printed.machines.push_back({one.name, one.state, one.tasks, one.pending, one.cpu_used, one.cpu_total, one.memory_used_mib,
                                one.memory_total_mib, one.gpus_used, one.gpus_total});
  }
  for (const TopGpu& one : snapshot.gpus) {
    printed.gpus.push_back({one.machine, one.index, one.model, one.healthy, one.utilization_percent, one.memory_used_mib,
                            one.memory_total_mib, one.held_by});
  }
  for (const QueueCounts& one : snapshot.queues) {
    printed.queues.push_back({one.name, one.visible, one.in_flight, one.delayed, one.oldest_seconds});
  }
  for (const TopPipeline& one : snapshot.pipelines) {
    printed.pipelines.push_back({one.name, one.paused, one.queued, one.running, one.succeeded, one.failed, one.workers, one.max,
                                 one.items_per_second});
  }
  print_json(out, printed);
}

}  // namespace cli
