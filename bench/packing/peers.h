// SPDX-License-Identifier: Apache-2.0
// Other ways to choose a machine, on machines that are nothing but free resources.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scheduler/test_trace.h"

namespace packing {

using scheduler::test::Trace;
using scheduler::test::TraceTask;

struct Node {
  std::int64_t cpu = 0, memory_mib = 0;
  std::vector<std::int64_t> gpus;  // free part of each, in thousandths
  std::string model;

  std::int64_t idle() const;
  std::int64_t free_gpu() const;
};

bool fits(const Node& node, const TraceTask& task);
// A share goes to the fullest GPU that it fits on.
void take(Node& node, const TraceTask& task);

// Less is better.
using Score = std::function<double(const Node&, const TraceTask&)>;

// Fragmentation gradient descent: the growth of the GPU capacity that a task of the trace can't use, weighted by how
// often its shape occurs; a sigmoid of it in hundredths, as its authors compute it.
Score gradient_descent(const Trace& trace);
// The least CPU and GPU left, each relative to the largest machine's.
Score best_fit(const Trace& trace);
Score random_choice(std::uint64_t seed);

// Percent of the GPUs that are allocated when 100 % and 130 % of their capacity have arrived.
struct Allocated {
  double at_100 = 0, at_130 = 0;
};

// `cached`: the score of a node changes only when the node does.
Allocated replay(const Trace& trace, const std::vector<TraceTask>& arrivals, const Score& score, bool cached);

}  // namespace packing
