// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reconcile.h"

#include <algorithm>

#include "scheduler/reconcile_board.h"

namespace scheduler {
namespace {

// The back-off reaches its longest after fewer doublings.
constexpr std::int32_t kMostDoublings = 16;

}  // namespace

std::int32_t breaker_threshold(std::int32_t desired, const FailureThreshold& threshold) {
  if (threshold.kind == FailureThreshold::Kind::Count) return std::max(threshold.value, 1);
  const std::int64_t share = (std::int64_t{desired} * threshold.value + 99) / 100;
  // Without bounds, too, it takes a failure.
  const bool bounded = threshold.kind == FailureThreshold::Kind::BoundedPercent;
  return static_cast<std::int32_t>(bounded ? std::clamp<std::int64_t>(share, 3, 200) : std::max<std::int64_t>(share, 1));
}

bool waits_for_first_task(const ServiceDeployment& deployment) {
  return deployment.resolving && deployment.failed_tasks < kResolveAttempts;
}

std::optional<base::Time> back_off_ends(const ServiceDeployment& deployment) {
  if (deployment.failed_tasks < kBackOffAfter || !deployment.last_failure) return std::nullopt;
  const std::int32_t doublings = std::min(deployment.failed_tasks - kBackOffAfter, kMostDoublings);
  return *deployment.last_failure + std::min(kFirstBackOff * (1 << doublings), kLongestBackOff);
}

ServicePlan reconcile(const ServiceView& view, base::Time now) {
  ServiceBoard board = lay_out(view, now);
  if (view.rules.daemon) set_aside_daemon_tasks(board);
  judge_failures(board);
  if (view.rules.daemon) {
    plan_daemon(board);
  } else {
    plan_replicas(board);
  }
  judge_success(board);
  return std::move(board.plan);
}

}  // namespace scheduler
