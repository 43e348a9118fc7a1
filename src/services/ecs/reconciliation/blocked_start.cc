// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/blocked_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/ecs/machines/fleets.h"
#include "state/launch.h"

namespace services::ecs {
namespace {

constexpr std::int32_t kDefaultStopTimeout = 30;  // Amazon's

// A task that holds a GPU which the service could use. The lower its rank, the more detailed its explanation.
struct Holder {
  enum class Rank { OwnStopping, OwnOther, OwnSame, Foreign };

  Rank rank = Rank::Foreign;
  model::TaskId task = {};
  std::string gpu = {}, machine = {};
  model::InstanceId instance = {};

  auto order() const { return std::tie(rank, instance, gpu, task); }
};

std::string machine_name(const model::Instance& instance) {
  return instance.ec2_instance_id.empty() ? instance.id.str() : instance.ec2_instance_id;
}

Holder::Rank rank_of(const model::TaskHold& hold, const scheduler::Request& request) {
  if (hold.group != request.group) return Holder::Rank::Foreign;
  if (hold.stopping) return Holder::Rank::OwnStopping;
  return hold.started_by == request.started_by ? Holder::Rank::OwnSame : Holder::Rank::OwnOther;
}

// Among the machines that lack only GPUs, and would have enough of them.
std::optional<Holder> best_holder(Call& call, const ServiceSnapshot& snapshot, const Trial& trial) {
  return call.local<Fleets>().with(snapshot.service.cluster, [&](scheduler::Fleet& fleet) {
    std::optional<Holder> best;
    for (const scheduler::Failure& failure : trial.refusal->failures) {
      if (failure.reason != scheduler::Reason::Gpu) continue;
      const scheduler::Machine* machine = fleet.find(failure.instance);
      if (!machine || !meets_constraints(*machine, *trial.request)) continue;
      for (const model::TaskHold& hold : machine->tasks()) {
        if (hold.gpus.empty()) continue;
        Holder holder{.rank = rank_of(hold, *trial.request),
                      .task = hold.task,
                      .gpu = hold.gpus.front().gpu.str(),
                      .machine = machine_name(machine->instance()),
                      .instance = failure.instance};
        if (!best || holder.order() < best->order()) best = std::move(holder);
      }
    }
    return best;
  });
}

// "web:3" and, for a task of a service, its deployment.
std::string revision_of(Call& call, const model::TaskId& id) {
  const auto task = state::find_task_state(call.tx, id);
  const auto launch = task ? state::find_launch(call.tx, task->launch()) : std::nullopt;
  const auto definition = launch ? load_task_definition(call.tx, launch->definition) : std::nullopt;
  if (!definition) return "an unknown revision";
  const std::string revision = fmt::format("{}:{}", definition->family, definition->revision);
  if (!launch->deployment) return revision;
  return fmt::format("{} (deployment {})", revision, launch->started_by.value_or(""));
}

// The largest minimumHealthyPercent that allows one more stop, where so many tasks run.
std::int32_t unblocking_percent(const ServiceSnapshot& snapshot, std::int64_t tasks) {
  const std::int32_t desired = std::max(snapshot.service.desired, 1);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(100 * (tasks - 1) / desired, 0, 100));
}

std::int64_t count_running(const ServiceSnapshot& snapshot) {
  return std::ranges::count_if(snapshot.view.tasks,
                               [](const scheduler::ServiceTask& task) { return task.running && !task.stopping; });
}

bool is_protected_holder(const ServiceSnapshot& snapshot, const Holder& holder) {
  return std::ranges::any_of(snapshot.view.tasks, [&](const scheduler::ServiceTask& task) {
    return task.id == holder.task && task.protected_until;
  });
}

// Tasks of the PRIMARY deployment that are not healthy yet, oldest first.
std::vector<const scheduler::ServiceTask*> coming_tasks(const ServiceSnapshot& snapshot) {
  const auto primary = static_cast<std::int64_t>(snapshot.primary().number);
  std::vector<const scheduler::ServiceTask*> coming;
  for (const scheduler::ServiceTask& task : snapshot.view.tasks) {
    const bool unknown = !task.running || task.health == scheduler::TaskHealth::Unknown;
    if (unknown && !task.stopping && !task.waiting && task.deployment == primary) coming.push_back(&task);
  }
  return coming;
}

// nullopt: the holder does not stop either when the new tasks that start now, or have started, are healthy.
std::optional<BlockedStart> waits_for_health(Call& call, const ServiceSnapshot& snapshot, const Trial& trial,
                                             const Holder& holder) {
  if (holder.rank != Holder::Rank::OwnOther || is_protected_holder(snapshot, holder)) return std::nullopt;
  const auto coming = coming_tasks(snapshot);
  std::int64_t tasks = count_running(snapshot), starting = 0;
  for (const scheduler::ServiceTask* task : coming) tasks += task->running ? 0 : 1;
  for (const scheduler::ServiceStart& start : trial.starts) {
    if (start.deployment == static_cast<std::int64_t>(snapshot.primary().number)) starting += start.count;
  }
  if (coming.empty() && starting == 0) return std::nullopt;
  if (unblocking_percent(snapshot, tasks + starting) < snapshot.view.rules.minimum_percent) return std::nullopt;
  BlockedStart blocked{.progresses = true};
  if (coming.empty()) return blocked;  // the next look sees them
  blocked.text = fmt::format(
      "(deployment {}) waits for (task {}) to be healthy. Then it stops (task {}) of {}, which holds {} on {}.",
      deployment_name(snapshot.primary()), coming.front()->id.str(), holder.task.str(), revision_of(call, holder.task),
      holder.gpu, holder.machine);
  return blocked;
}

std::string advice(const ServiceSnapshot& snapshot, const Holder& holder) {
  if (is_protected_holder(snapshot, holder))
    return "That task is protected from being scaled in. It continues once the protection ends, or with another GPU.";
  switch (holder.rank) {
    case Holder::Rank::OwnOther:
      return fmt::format(
          "minimumHealthyPercent {} keeps that task until its replacement runs. It continues with "
          "minimumHealthyPercent {} at most, or with another GPU.",
          snapshot.view.rules.minimum_percent, unblocking_percent(snapshot, count_running(snapshot)));
    case Holder::Rank::OwnSame: return "It continues with another GPU, or with a lower desiredCount.";
    case Holder::Rank::OwnStopping:
    case Holder::Rank::Foreign: break;
  }
  return "It continues when that task stops, or with another GPU.";
}

std::int32_t stop_timeout(const StoredTaskDefinition& definition) {
  std::int32_t longest = 0;
  for (const auto& container : *definition.body.containerDefinitions) {
    longest = std::max(longest, container.stopTimeout.value_or(kDefaultStopTimeout));
  }
  return longest;
}

// The first task of the service that stops and whose resources the blocked one may get.
const scheduler::ServiceTask* stopping_task(const ServiceSnapshot& snapshot, const Trial& trial) {
  for (const scheduler::ServiceTask& task : snapshot.view.tasks) {
    const bool there = std::ranges::any_of(
        trial.refusal->failures, [&](const scheduler::Failure& failure) { return failure.instance == task.machine; });
    if (task.stopping && there) return &task;
  }
  return nullptr;
}

BlockedStart waits_for(Call& call, const ServiceSnapshot& snapshot, const scheduler::ServiceTask& task) {
  std::string machine = task.machine.str(), gpus;
  call.local<Fleets>().with(snapshot.service.cluster, [&](scheduler::Fleet& fleet) {
    const scheduler::Machine* found = fleet.find(task.machine);
    if (!found) return;
    machine = machine_name(found->instance());
    const model::TaskHold* hold = found->find(task.id);
    if (!hold) return;
    for (const model::GpuHold& gpu : hold->gpus) gpus += (gpus.empty() ? "" : ", ") + gpu.gpu.str();
  });
  const StoredTaskDefinition* definition = snapshot.definition_of(task.deployment);
  const std::string timeout =
      definition ? fmt::format(" It has {} seconds for that (stopTimeout).", stop_timeout(*definition)) : "";
  return {.progresses = true,
          .text = fmt::format("(deployment {}) waits for (task {}) of {} to stop, which holds {} on {}.{}",
                              deployment_name(snapshot.primary()), task.id.str(), revision_of(call, task.id),
                              gpus.empty() ? "resources" : gpus, machine, timeout)};
}

}  // namespace

BlockedStart explain_blocked(Call& call, const ServiceSnapshot& snapshot, const Trial& trial) {
  if (const scheduler::ServiceTask* task = stopping_task(snapshot, trial)) return waits_for(call, snapshot, *task);
  const std::string waiting = fmt::format("(deployment {})", deployment_name(snapshot.primary()));
  if (const auto holder = best_holder(call, snapshot, trial)) {
    if (auto blocked = waits_for_health(call, snapshot, trial, *holder)) return std::move(*blocked);
    return {.text = fmt::format("{} waits for a GPU: {} on {} is held by (task {}) of {}. {}", waiting, holder->gpu,
                                holder->machine, holder->task.str(), revision_of(call, holder->task),
                                advice(snapshot, *holder))};
  }
  const scheduler::Failure* closest = scheduler::closest(*trial.refusal);
  if (!closest) return {};
  return {.text = fmt::format("{} waits for a machine. The closest is {}.", waiting, closest->detail)};
}

}  // namespace services::ecs
