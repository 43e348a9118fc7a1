// SPDX-License-Identifier: Apache-2.0
#include "packing/peers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace packing {
namespace {

using scheduler::test::kWholeGpu;

struct WeightedTask {
  TraceTask task;
  double weight = 0;
};

std::vector<WeightedTask> popularity(const Trace& trace) {
  std::map<TraceTask, double> counts;
  for (const TraceTask& task : trace.tasks) counts[task] += 1;
  std::vector<WeightedTask> shapes;
  for (const auto& [task, count] : counts) {
    if (task.gpu_demand() > 0) shapes.push_back({task, count / static_cast<double>(trace.tasks.size())});
  }
  return shapes;
}

bool allows(const TraceTask& task, const Node& node) {
  return task.models.empty() || std::ranges::count(task.models, node.model) > 0;
}

// The GPU capacity of a node that a task like this can't use.
std::int64_t unusable(const Node& node, const TraceTask& task) {
  const std::int64_t free = node.free_gpu();
  if (!fits(node, task)) return free;
  if (task.share == 0) return free - node.idle() * kWholeGpu;
  std::int64_t sum = 0;
  for (std::int64_t gpu : node.gpus) sum += gpu < task.share ? gpu : 0;
  return sum;
}

double fragmentation(const Node& node, const std::vector<WeightedTask>& shapes) {
  double sum = 0;
  for (const WeightedTask& shape : shapes) sum += shape.weight * static_cast<double>(unusable(node, shape.task));
  return sum;
}

std::vector<Node> nodes_of(const Trace& trace) {
  std::vector<Node> nodes;
  for (const auto& machine : trace.machines) {
    const std::vector<std::int64_t> gpus(static_cast<std::size_t>(machine.gpus), kWholeGpu);
    nodes.push_back({machine.cpu, machine.memory_mib, gpus, machine.model});
  }
  return nodes;
}

// Scores of all nodes for one shape of tasks; NaN where it does not fit.
struct Scores {
  std::vector<double> values;
  std::vector<std::uint32_t> versions;  // of the node, when the score was computed
};

}  // namespace

std::int64_t Node::idle() const { return std::ranges::count(gpus, kWholeGpu); }

std::int64_t Node::free_gpu() const {
  std::int64_t sum = 0;
  for (std::int64_t gpu : gpus) sum += gpu;
  return sum;
}

bool fits(const Node& node, const TraceTask& task) {
  if (node.cpu < task.cpu || node.memory_mib < task.memory_mib || !allows(task, node)) return false;
  if (task.share == 0) return node.idle() >= task.gpus;
  return std::ranges::any_of(node.gpus, [&](std::int64_t gpu) { return gpu >= task.share; });
}

void take(Node& node, const TraceTask& task) {
  node.cpu -= task.cpu;
  node.memory_mib -= task.memory_mib;
  if (task.share == 0) {
    int left = task.gpus;
    for (std::int64_t& gpu : node.gpus) {
      if (left > 0 && gpu == kWholeGpu) gpu = 0, --left;
    }
    return;
  }
  std::int64_t* fullest = nullptr;
  for (std::int64_t& gpu : node.gpus) {
    if (gpu >= task.share && (!fullest || gpu < *fullest)) fullest = &gpu;
  }
  *fullest -= task.share;
}

Score gradient_descent(const Trace& trace) {
  return [shapes = popularity(trace)](const Node& node, const TraceTask& task) {
    Node after = node;
    take(after, task);
    const double gain = fragmentation(node, shapes) - fragmentation(after, shapes);
    return -std::floor(100 / (1 + std::exp(-gain / kWholeGpu)));
  };
}

Score best_fit(const Trace& trace) {
  double cpu = 1, gpu = 1;
  for (const auto& machine : trace.machines) {
    cpu = std::max(cpu, static_cast<double>(machine.cpu));
    gpu = std::max(gpu, static_cast<double>(machine.gpus * kWholeGpu));
  }
  return [cpu, gpu](const Node& node, const TraceTask& task) {
    return static_cast<double>(node.cpu - task.cpu) / cpu +
           static_cast<double>(node.free_gpu() - task.gpu_demand()) / gpu;
  };
}

Score random_choice(std::uint64_t seed) {
  auto random = std::make_shared<std::mt19937_64>(seed);  // a Score is copied
  return [random](const Node&, const TraceTask&) { return static_cast<double>((*random)() >> 12); };
}

Allocated replay(const Trace& trace, const std::vector<TraceTask>& arrivals, const Score& score, bool cached) {
  std::vector<Node> nodes = nodes_of(trace);
  std::vector<std::uint32_t> versions(nodes.size(), 1);
  std::map<TraceTask, Scores> scores;
  const auto total = static_cast<double>(trace.gpu_total());
  std::int64_t demand = 0, held = 0;
  Allocated result;
  for (const TraceTask& task : arrivals) {
    Scores& known = scores[task];
    known.values.resize(nodes.size());
    known.versions.resize(nodes.size());
    std::size_t best = nodes.size();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!cached || known.versions[i] != versions[i]) {
        known.versions[i] = versions[i];
        known.values[i] = fits(nodes[i], task) ? score(nodes[i], task) : std::numeric_limits<double>::quiet_NaN();
      }
      if (std::isnan(known.values[i])) continue;
      if (best == nodes.size() || known.values[i] < known.values[best]) best = i;
    }
    if (best < nodes.size()) {
      take(nodes[best], task);
      ++versions[best];
      held += task.gpu_demand();
    }
    demand += task.gpu_demand();
    if (static_cast<double>(demand) < total) result.at_100 = 100 * static_cast<double>(held) / total;
  }
  result.at_130 = 100 * static_cast<double>(held) / total;
  return result;
}

}  // namespace packing
