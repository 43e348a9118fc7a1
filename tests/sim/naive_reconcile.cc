// SPDX-License-Identifier: Apache-2.0
#include "naive_reconcile.h"

#include <algorithm>
#include <functional>

namespace scheduler::sim {
namespace {

using Filter = std::function<bool(const ServiceTask&)>;

class Naive {
 public:
  Naive(const ServiceView& view, base::Time now) : view_(view), now_(now), tasks_(view.tasks) {
    for (const ServiceDeployment& one : view.deployments) {
      if (one.primary) primary_ = one;
    }
    // The circuit breaker, the alarms and the end of failures are not this reference's matter: the simulator has them
    // applied before it compares.
  }

  ServicePlan plan() {
    while (act()) {
    }
    return plan_;
  }

 private:
  // Facts.
  bool live(const ServiceTask& t) const { return !t.stopping; }
  bool is_new(const ServiceTask& t) const { return t.id.str() == "started"; }
  bool pending(const ServiceTask& t) const { return live(t) && !t.running; }
  bool healthy(const ServiceTask& t) const {
    return live(t) && t.running && t.health != TaskHealth::Unknown && t.health != TaskHealth::Unhealthy;
  }
  bool unhealthy(const ServiceTask& t) const {
    return live(t) && t.running && t.health == TaskHealth::Unhealthy && now_ - *t.started_at >= view_.rules.grace;
  }
  bool good(const ServiceTask& t) const {
    return live(t) && t.deployment == primary_.number && !t.leaving && !unhealthy(t);
  }
  bool old(const ServiceTask& t) const { return live(t) && !good(t); }
  bool untouchable(const ServiceTask& t) const {
    return t.protected_until && *t.protected_until > now_ && !unhealthy(t);
  }
  bool trusted(const ServiceTask& t) const {
    if (primary_.completed || t.deployment == primary_.number) return false;
    return std::ranges::any_of(view_.deployments, [&](const ServiceDeployment& one) {
      return one.number == t.deployment && one.completed && !one.failed;
    });
  }
  bool coming(const ServiceTask& t) const {
    return live(t) && trusted(t) && !t.leaving && !healthy(t) && !unhealthy(t);
  }
  int count(bool (Naive::*is)(const ServiceTask&) const) const {
    return static_cast<int>(std::ranges::count_if(tasks_, [&](const ServiceTask& t) { return (this->*is)(t); }));
  }
  bool counts_for_minimum(const ServiceTask& t) const { return healthy(t) || coming(t); }
  bool enough(int healthy_tasks) const {
    return healthy_tasks * 100 >= view_.rules.desired * view_.rules.minimum_percent;
  }
  bool has_room() const { return (count(&Naive::live) + 1) * 100 <= view_.rules.desired * view_.rules.maximum_percent; }
  bool waits(const ServiceDeployment& one) const {
    if (one.failed) return true;
    const auto end = back_off_ends(one);
    return end && *end > now_;
  }

  // Actions.
  bool stop_one(const Filter& matches) {
    for (ServiceTask& t : tasks_) {
      if (!live(t) || untouchable(t) || is_new(t) || !matches(t)) continue;
      plan_.stops.push_back({t.id, unhealthy(t) ? StopCause::Unhealthy : StopCause::ScaleIn});
      t.stopping = true;
      return true;
    }
    return false;
  }
  bool start_one(std::int64_t deployment) {
    tasks_.push_back({.id = model::TaskId("started"), .deployment = deployment, .created_at = now_});
    for (ServiceStart& start : plan_.starts) {
      if (start.deployment == deployment) return ++start.count > 0;
    }
    plan_.starts.push_back({.deployment = deployment, .count = 1});
    return true;
  }
  // `first`: for the first task of the PRIMARY deployment, which takes precedence over tasks that are coming.
  bool stop_an_old_one(bool first) {
    const auto useless = [&](const ServiceTask& t) { return old(t) && t.running && !healthy(t) && !coming(t); };
    const auto spare = [&](const ServiceTask& t) { return coming(t) && t.running; };
    return stop_one(useless) || (enough(count(&Naive::counts_for_minimum) - 1) && stop_one(spare)) ||
           (enough(count(&Naive::healthy) - 1) &&
            stop_one([&](const ServiceTask& t) { return old(t) && healthy(t); })) ||
           (first && stop_one([&](const ServiceTask& t) { return coming(t) && !t.running; })) ||
           (first && stop_one(spare));
  }

  // Rules, the most urgent first. True: something was done, and all of them are checked again.
  bool act() {
    if (stop_one([&](const ServiceTask& t) { return pending(t) && pointless(t); })) return true;
    if (scale_in()) return true;
    if (enough(count(&Naive::counts_for_minimum) - 1) &&
        stop_one([&](const ServiceTask& t) { return pending(t) && coming(t); })) {
      return true;
    }
    return replace();
  }
  bool pointless(const ServiceTask& t) const {
    if (t.leaving) return true;
    return t.deployment == primary_.number ? primary_.failed : !coming(t);
  }
  bool scale_in() {
    if (count(&Naive::good) <= view_.rules.desired) return false;
    if (stop_one([&](const ServiceTask& t) { return good(t) && !t.running; })) return true;
    if (stop_one([&](const ServiceTask& t) { return good(t) && !healthy(t); })) return true;
    return enough(count(&Naive::healthy) - 1) && stop_one([&](const ServiceTask& t) { return good(t); });
  }
  bool replace() {
    const auto running_old = [&](const ServiceTask& t) { return old(t) && t.running; };
    const auto replaced = [&](const ServiceTask& t) { return good(t) && healthy(t); };
    const auto missing = view_.rules.desired - std::ranges::count_if(tasks_, replaced);
    if (std::ranges::count_if(tasks_, running_old) > std::max<std::ptrdiff_t>(missing, 0) && stop_an_old_one(false)) {
      return true;
    }
    const bool lacks = count(&Naive::good) < view_.rules.desired && !waits(primary_);
    const ServiceDeployment* older = enough(count(&Naive::counts_for_minimum)) ? nullptr : find_older();
    if (!missing_) missing_ = lacks ? view_.rules.desired - count(&Naive::good) : 0;
    if ((lacks || older) && has_room()) {
      const bool primary_first = count(&Naive::good) == 0 || std::ranges::any_of(tasks_, replaced);
      if (older && !(lacks && primary_first)) return start_one(older->number);
      return start_one(primary_.number);
    }
    if (!started_) {
      started_ = std::ranges::count_if(
          tasks_, [&](const ServiceTask& t) { return is_new(t) && t.deployment == primary_.number; });
    }
    if ((lacks || older) && stop_an_old_one(lacks && count(&Naive::good) == 0)) return true;
    return unblock();
  }
  const ServiceDeployment* find_older() const {
    const ServiceDeployment* newest = nullptr;
    for (const ServiceDeployment& one : view_.deployments) {
      const bool runs = std::ranges::any_of(
          view_.tasks, [&](const ServiceTask& t) { return live(t) && trusted(t) && t.deployment == one.number; });
      if (runs && (!newest || newest->number < one.number)) newest = &one;
    }
    const bool fails = primary_.failed || primary_.failed_tasks > 0;
    if (!newest && fails && !primary_.completed) {
      for (const ServiceDeployment& one : view_.deployments) {
        if (one.primary || !one.completed || one.failed) continue;
        if (!newest || newest->number < one.number) newest = &one;
      }
    }
    return newest && !waits(*newest) ? newest : nullptr;
  }
  bool unblock() {
    const auto stopping = std::ranges::count_if(tasks_, &ServiceTask::stopping);
    if (stopping >= std::min(view_.blocked, *missing_)) return false;
    // Half of the service works.
    const auto starting = std::max<std::ptrdiff_t>(*started_ - view_.blocked, 0);
    const auto size = std::min<std::ptrdiff_t>(view_.rules.desired, std::ssize(view_.tasks) + starting);
    const auto works = [&](const ServiceTask& t) { return healthy(t) || (old(t) && !is_new(t)); };
    if (std::ranges::count_if(tasks_, works) <= size - std::max<std::ptrdiff_t>(size / 2, 1)) return false;
    const auto before = [&](const ServiceTask& t) { return good(t) && !is_new(t); };
    return stop_an_old_one(stopping == 0 && std::ranges::none_of(tasks_, before));
  }

  const ServiceView& view_;
  base::Time now_;
  ServiceDeployment primary_;
  std::vector<ServiceTask> tasks_;
  std::optional<std::int32_t> missing_;    // tasks that were missing before any was started
  std::optional<std::ptrdiff_t> started_;  // of the PRIMARY deployment, before any stopped for them
  ServicePlan plan_;
};

}  // namespace

ServicePlan naive_reconcile(const ServiceView& view, base::Time now) { return Naive(view, now).plan(); }

}  // namespace scheduler::sim
