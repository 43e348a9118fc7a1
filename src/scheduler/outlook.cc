// SPDX-License-Identifier: Apache-2.0
#include "scheduler/outlook.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>

namespace scheduler {
namespace {

constexpr int kRow = kMaxRatedGpus + 1 + kMaxSteps + 1;
constexpr int kRows = kMaxSteps + 1;
constexpr double kScale = 65536;

// Both chosen by replaying a production trace and its variants in a model of this class.
constexpr double kEnd = 0.01;             // the probability that arrivals end, relative to that of any next task
constexpr double kUnusableWeight = 0.3;  // of capacity that a shape can't use
// CPU-only shapes count as a quarter of a GPU when the most important shapes are chosen.
constexpr double kRankWithoutGpu = 0.25;

auto key_of(const OutlookShape& shape) { return std::tie(shape.gpus, shape.share, shape.cpu, shape.memory); }

// A matrix of expected wastes: rows are steps of a resource.
struct Wastes {
  explicit Wastes(int columns) : columns(columns), cells(static_cast<std::size_t>(kRows * columns)) {}
  double& at(int row, int column) { return cells[static_cast<std::size_t>(row * columns + column)]; }
  int columns;
  std::vector<double> cells;
};

using Resource = int OutlookShape::*;

// The rest of a shared GPU, by steps left.
Wastes waste_of_holes(const std::vector<OutlookShape>& shapes, Resource resource, const StepSizes& sizes) {
  std::vector<OutlookShape> shares;
  for (const OutlookShape& shape : shapes) {
    if (shape.gpus == 0 && shape.share > 0) shares.push_back(shape);
  }
  Wastes wastes(kMaxSteps + 1);
  for (int have = 0; have < kRows; ++have) {
    for (int hole = 1; hole <= sizes.steps_of_gpu; ++hole) {
      double sum = kEnd * hole / sizes.steps_of_gpu, weights = kEnd;
      for (const OutlookShape& next : shares) {
        if (next.share > hole || next.*resource > have) continue;
        sum += next.weight * wastes.at(have - next.*resource, hole - next.share);
        weights += next.weight;
      }
      wastes.at(have, hole) = sum / weights;
    }
  }
  return wastes;
}

Wastes waste_of_idle(const std::vector<OutlookShape>& shapes, Resource resource, const StepSizes& sizes,
                     Wastes& holes) {
  Wastes wastes(kMaxRatedGpus + 1);
  for (int have = 0; have < kRows; ++have) {
    for (int idle = 1; idle <= sizes.most_gpus; ++idle) {
      double sum = kEnd * idle, weights = kEnd;
      for (const OutlookShape& next : shapes) {
        const int taken = next.idle_needed(), left = have - next.*resource;
        const bool changes_nothing = taken == 0 && next.*resource == 0;
        if (taken > idle || left < 0 || changes_nothing) continue;
        const double hole = next.share > 0 ? holes.at(left, std::max(0, sizes.steps_of_gpu - next.share)) : 0;
        sum += next.weight * (wastes.at(left, idle - taken) + hole);
        weights += next.weight;
      }
      wastes.at(have, idle) = sum / weights;
    }
  }
  return wastes;
}

// By number of idle GPUs: the part of the GPU demand that can't use them.
std::array<double, kMaxRatedGpus + 1> unusable_parts(const std::vector<OutlookShape>& shapes, Resource resource,
                                                     const StepSizes& sizes, int have) {
  std::array<double, kMaxRatedGpus + 1> usable{};
  double all = 0;
  for (const OutlookShape& shape : shapes) {
    const double demand = shape.weight * shape.gpu_part(sizes);
    all += demand;
    const int needed = shape.idle_needed();
    if (shape.*resource <= have && needed <= kMaxRatedGpus) usable[static_cast<std::size_t>(needed)] += demand;
  }
  double sum = 0;
  for (double& part : usable) {
    sum += part;
    part = all > 0 ? 1 - sum / all : 0;
  }
  return usable;
}

}  // namespace

double OutlookShape::gpu_part(const StepSizes& sizes) const {
  return gpus + static_cast<double>(share) / sizes.steps_of_gpu;
}

std::vector<OutlookShape> popular_shapes(const std::map<TaskShape, std::int64_t>& counts, const StepSizes& sizes) {
  std::vector<OutlookShape> shapes;
  for (const auto& [shape, count] : counts) {
    shapes.push_back({.gpus = shape.gpus,
                      .share = steps_up(shape.share_mib, sizes.share_mib),
                      .cpu = steps_up(shape.cpu, sizes.cpu),
                      .memory = steps_up(shape.memory_mib, sizes.memory_mib),
                      .weight = static_cast<double>(count)});
  }
  auto by_key = [](const OutlookShape& a, const OutlookShape& b) { return key_of(a) < key_of(b); };
  std::ranges::sort(shapes, by_key);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < shapes.size(); ++i) {
    if (key_of(shapes[kept]) == key_of(shapes[i])) {
      shapes[kept].weight += shapes[i].weight;
    } else {
      shapes[++kept] = shapes[i];
    }
  }
  if (!shapes.empty()) shapes.resize(kept + 1);
  auto importance = [&](const OutlookShape& shape) {
    return shape.weight * (kRankWithoutGpu + shape.gpu_part(sizes));
  };
  std::ranges::stable_sort(shapes, std::greater<>(), importance);
  if (shapes.size() > kMaxOutlookShapes) shapes.resize(kMaxOutlookShapes);
  std::ranges::sort(shapes, by_key);
  double total = 0;
  for (const OutlookShape& shape : shapes) total += shape.weight;
  for (OutlookShape& shape : shapes) shape.weight /= total;
  return shapes;
}

double distance(const std::vector<OutlookShape>& a, const std::vector<OutlookShape>& b) {
  double sum = 0;
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    if (right == b.end() || (left != a.end() && key_of(*left) < key_of(*right))) {
      sum += (left++)->weight;
    } else if (left == a.end() || key_of(*right) < key_of(*left)) {
      sum += (right++)->weight;
    } else {
      sum += std::abs((left++)->weight - (right++)->weight);
    }
  }
  return sum;
}

Outlook::Outlook(const StepSizes& sizes, std::vector<OutlookShape> shapes) : sizes_(sizes), shapes_(std::move(shapes)) {
  if (shapes_.empty()) return;
  by_cpu_ = make_table(&OutlookShape::cpu);
  by_memory_ = make_table(&OutlookShape::memory);
}

Outlook::Table Outlook::make_table(int OutlookShape::*resource) const {
  Wastes holes = waste_of_holes(shapes_, resource, sizes_);
  Wastes idles = waste_of_idle(shapes_, resource, sizes_, holes);
  Table table(static_cast<std::size_t>(kRows * kRow));
  // From the last row: less of a resource never wastes less, or tasks without GPUs would be attracted.
  for (int have = kRows - 1; have >= 0; --have) {
    std::int32_t* row = table.data() + have * kRow;
    const std::int32_t* above = have + 1 < kRows ? row + kRow : row;
    const auto unusable_part = unusable_parts(shapes_, resource, sizes_, have);
    for (int idle = 0; idle <= sizes_.most_gpus; ++idle) {
      const double unusable = idle * unusable_part[static_cast<std::size_t>(idle)];
      row[idle] = static_cast<std::int32_t>(std::lround(kScale * (idles.at(have, idle) + kUnusableWeight * unusable)));
      row[idle] = std::max(row[idle], above[idle]);
    }
    for (int hole = 0; hole <= sizes_.steps_of_gpu; ++hole) {
      const int column = kMaxRatedGpus + 1 + hole;
      row[column] = static_cast<std::int32_t>(std::lround(kScale * holes.at(have, hole)));
      row[column] = std::max(row[column], above[column]);
    }
  }
  return table;
}

std::int64_t Outlook::sum(const Table& table, int resource, const FreeState& state) const {
  const std::int32_t* row = table.data() + resource * kRow;
  const int most = sizes_.most_gpus;
  std::int64_t sum = state.idle <= most ? row[state.idle] : std::int64_t{row[most]} * state.idle / most;
  const std::int32_t* holes = row + kMaxRatedGpus + 1;
  for (std::size_t i = 0; i < state.hole_count; ++i) {
    sum += holes[std::min<int>(state.holes[i], sizes_.steps_of_gpu)];
  }
  return sum;
}

std::int64_t Outlook::waste(const FreeState& state) const {
  if (by_cpu_.empty() || !state.has_gpus()) return 0;
  return std::max(sum(by_cpu_, state.cpu, state), sum(by_memory_, state.memory, state));
}

Outlook::Cost Outlook::cost(const FreeState& state, std::int64_t waste_before, const StepNeed& need) const {
  FreeState after = state;
  Cost cost{.gpu_waste = state.idle, .spare = state.cpu * (kMaxSteps + 1) + state.memory};
  after.idle = static_cast<std::uint8_t>(need.all ? 0 : std::max(0, state.idle - need.gpus));
  after.cpu = static_cast<std::uint8_t>(std::max(0, state.cpu - need.cpu));
  after.memory = static_cast<std::uint8_t>(std::max(0, state.memory - need.memory));
  if (need.share) {
    // The same choice as choose_gpus(), as far as rounded sizes show it.
    const auto end = state.holes.begin() + state.hole_count;
    auto hole = std::lower_bound(state.holes.begin(), end, need.share_size);
    if (hole == end) hole = std::lower_bound(state.holes.begin(), end, need.share_floor);
    if (hole != end) {
      if (need.gpus == 0) cost.gpu_waste = *hole;
      std::uint8_t& left = after.holes[static_cast<std::size_t>(hole - state.holes.begin())];
      left = static_cast<std::uint8_t>(std::max(0, left - need.share_size));
    } else {
      if (need.gpus == 0) cost.gpu_waste = kBreaksAnIdleGpu + state.idle;
      if (after.idle > 0) --after.idle;
      const int left = std::max(0, state.idle_size - need.share_size);
      if (after.hole_count < FreeState::kMaxHoles) after.holes[after.hole_count++] = static_cast<std::uint8_t>(left);
    }
  }
  cost.growth = waste(after) - waste_before;
  return cost;
}

}  // namespace scheduler
