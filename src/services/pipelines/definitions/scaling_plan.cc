// SPDX-License-Identifier: Apache-2.0
#include "services/pipelines/definitions/scaling_plan.h"

#include <algorithm>
#include <cmath>

namespace services::pipelines {
namespace {

constexpr int kMaxSteps = 20;  // Amazon's limit for a policy
// High-resolution alarms up to this; a longer one would read too many slots every second.
constexpr std::int64_t kFineIdleSeconds = 600;

// Numbers of workers from `first` to `last`: each one if they are few, else about equal factors apart.
std::vector<int> step_workers(int first, int last) {
  std::vector<int> all;
  if (last - first < kMaxSteps) {
    for (int workers = first; workers <= last; ++workers) all.push_back(workers);
    return all;
  }
  const double factor = std::pow(static_cast<double>(last) / first, 1.0 / (kMaxSteps - 1));
  double exact = first;
  for (int i = 0; i < kMaxSteps; ++i, exact *= factor) {
    const int workers = i == kMaxSteps - 1 ? last : static_cast<int>(std::lround(exact));
    if (all.empty() || workers > all.back()) all.push_back(workers);
  }
  return all;
}

}  // namespace

ScalingPlan plan_scaling(const ScalingSettings& settings) {
  ScalingPlan plan;
  const auto idle_s = std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(settings.idle).count(), 1);
  plan.idle_period_s = idle_s <= kFineIdleSeconds ? 10 : 60;
  // The first of these slots may have begun just before the last item ended.
  plan.idle_periods = static_cast<int>((idle_s + plan.idle_period_s - 1) / plan.idle_period_s) + 1;
  if (settings.min == settings.max) return plan;
  const std::vector<int> workers = step_workers(std::max(settings.min, 1), settings.max);
  std::int64_t from = 0;
  int last_trigger = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    plan.steps.push_back({from, workers[i]});
    const bool doubled = workers[i] >= 2 * last_trigger || i + 1 == workers.size();
    if (workers[i] > settings.min && doubled) {
      plan.triggers.push_back({std::max<std::int64_t>(from - 1, 0), workers[i]});
      last_trigger = workers[i];
    }
    from = std::int64_t{workers[i]} * settings.items_per_task + 1;
  }
  return plan;
}

int workers_for(const ScalingPlan& plan, std::int64_t backlog, int min) {
  int workers = min;
  if (backlog == 0) return workers;
  for (const ScalingStep& step : plan.steps) {
    if (backlog >= step.from) workers = step.workers;
  }
  return workers;
}

}  // namespace services::pipelines
