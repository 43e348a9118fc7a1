// SPDX-License-Identifier: Apache-2.0
// How much of a machine's free GPU capacity will probably stay unused, judging by the shapes of the tasks that the
// fleet holds. A task without a placement strategy goes where this grows least.
//
// The expected waste of a state is the sum of two parts, both tables over the state:
//  - Tasks like those of the fleet arrive at random; each takes its resources if it fits; the arrivals end after any of
//    them with a small probability. The expected capacity that is free at the end: a GPU without CPU for it, the rest
//    of a shared GPU that no share fits in.
//  - A fraction of the idle capacity that a single task of the fleet's shapes can't use, weighted by their GPUs:
//    eight idle GPUs on one machine are worth more than on eight machines. (The measure of "Beware of Fragmentation:
//    Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", ATC '23.)
//
// CPU and memory have tables of their own, and the larger waste counts.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/free_state.h"
#include "scheduler/shape_census.h"

namespace scheduler {

// The shapes that count, at most: those that hold the most GPUs.
inline constexpr std::size_t kMaxOutlookShapes = 48;

// A task shape in steps, rounded up, and its part of all tasks.
struct OutlookShape {
  int gpus = 0, share = 0, cpu = 0, memory = 0;
  double weight = 0;

  // Idle GPUs that it takes from a machine without shared ones.
  int idle_needed() const { return gpus + (share > 0 ? 1 : 0); }
  double gpu_part(const StepSizes& sizes) const;
};

// Ordered by shape. The weights add up to 1.
std::vector<OutlookShape> popular_shapes(const std::map<TaskShape, std::int64_t>& counts, const StepSizes& sizes);
// From 0 for the same to 2 for disjoint shapes.
double distance(const std::vector<OutlookShape>& a, const std::vector<OutlookShape>& b);

class Outlook {
 public:
  // Without shapes: no waste is expected anywhere.
  Outlook() = default;
  Outlook(const StepSizes& sizes, std::vector<OutlookShape> shapes);

  const StepSizes& sizes() const { return sizes_; }
  const std::vector<OutlookShape>& shapes() const { return shapes_; }

  // In 1/65536 GPU.
  std::int64_t waste(const FreeState& state) const;

  // What a placement costs: the growth of the expected waste, then gpu_waste() of the state, then its free CPU and
  // memory. Less is better.
  struct Cost {
    std::int64_t growth = 0, gpu_waste = 0;
    std::int64_t spare = 0;  // without it many states would be equal, and all of them had to be looked at
    auto operator<=>(const Cost&) const = default;
  };
  // `waste_before` is waste(state).
  Cost cost(const FreeState& state, std::int64_t waste_before, const StepNeed& need) const;

 private:
  // For each step of CPU or memory a row: the waste of 0 to kMaxRatedGpus idle GPUs, then of a shared GPU by memory left.
  using Table = std::vector<std::int32_t>;
  Table make_table(int OutlookShape::*resource) const;
  std::int64_t sum(const Table& table, int resource, const FreeState& state) const;

  StepSizes sizes_;
  std::vector<OutlookShape> shapes_;
  Table by_cpu_, by_memory_;  // empty without shapes
};

}  // namespace scheduler
