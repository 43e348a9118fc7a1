// SPDX-License-Identifier: Apache-2.0
// Why a task of a service does not start: no machine has room, or the percentages leave no move. Names who holds what
// the task needs, and the setting that would help, which is found by reconciling with that setting.
#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "scheduler/reconcile.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/service_placement.h"
#include "services/ecs/services/explain_service.h"
#include "services/ecs/tasks/explain.h"
#include "services/ecs/tasks/stored_launch.h"

namespace services::ecs {
namespace {

using shapes::stoker::StokerExplainResponse;
using WaitSentences = std::vector<std::string>;

constexpr std::size_t kMaxOccupants = 8;
constexpr std::size_t kMaxVerdicts = 100;
constexpr std::int32_t kUsualStopTimeout = 30;  // seconds

// A task on the machine that is nearest to having room.
struct Occupant {
  state::Task task;
  StoredLaunch launch;
  std::optional<StoredTaskDefinition> definition;
};

std::vector<Occupant> occupants_on(Call& call, const model::InstanceId& machine, bool of_gpus) {
  std::vector<Occupant> occupants;
  for (state::Task& task : state::list_tasks_on(call.tx, machine)) {
    if (of_gpus && task.hold.gpus.empty()) continue;
    auto launch = load_launch(call.tx, task.launch());
    if (!launch) continue;
    auto definition = load_task_definition(call.tx, launch->definition);
    occupants.push_back({std::move(task), std::move(*launch), std::move(definition)});
  }
  return occupants;
}

// "task x of ocr:1, of this service's deployment ecs-svc/1", "task x of train:1, of no service"
std::string occupant_name(Call& call, const ServiceSnapshot& snapshot, const Occupant& occupant) {
  const std::string revision = occupant.definition
                                   ? fmt::format("{}:{}", occupant.definition->family, occupant.definition->revision)
                                   : "a deleted task definition";
  std::string owner = "no service";
  if (occupant.launch.service == snapshot.service.number) {
    owner = "this service's deployment " + occupant.launch.started_by.value_or("");
  } else if (occupant.launch.service) {
    const auto other = state::find_service(call.tx, *occupant.launch.service);
    owner = "the service " + (other ? other->name : "that was deleted");
  }
  return fmt::format("task {} of {}, of {}", occupant.task.id.str(), revision, owner);
}

std::int32_t stop_seconds(const Occupant& occupant) {
  std::int32_t longest = 0;
  if (!occupant.definition || !occupant.definition->body.containerDefinitions) return kUsualStopTimeout;
  for (const auto& container : *occupant.definition->body.containerDefinitions) {
    longest = std::max(longest, container.stopTimeout.value_or(kUsualStopTimeout));
  }
  return longest;
}

std::string occupant_state(const Occupant& occupant, base::Time now) {
  const state::Task& task = occupant.task;
  if (task.desired == model::DesiredStatus::Stopped) {
    return fmt::format("; it has been stopping for {} and is killed when its stopTimeout of {} s ends",
                       base::duration_text(now - task.stopping_at.value_or(now)), stop_seconds(occupant));
  }
  if (task.protected_until && *task.protected_until > now) {
    return fmt::format("; it is protected for another {}", base::duration_text(*task.protected_until - now));
  }
  return task.known == model::TaskStatus::Running ? "; it is RUNNING" : "; it is PENDING";
}

void name_occupants(Call& call, const ServiceSnapshot& snapshot, const std::string& machine,
                    const std::vector<Occupant>& occupants, bool of_gpus, WaitSentences& out) {
  for (std::size_t i = 0; i < std::min(occupants.size(), kMaxOccupants); ++i) {
    const Occupant& occupant = occupants[i];
    std::string what = "Resources";
    if (of_gpus) {
      what.clear();
      for (const model::GpuHold& hold : occupant.task.hold.gpus) what += (what.empty() ? "" : ", ") + hold.gpu.str();
    }
    out.push_back(fmt::format("{} on {} {} held by {}{}.", what, machine,
                              !of_gpus || occupant.task.hold.gpus.size() > 1 ? "are" : "is",
                              occupant_name(call, snapshot, occupant), occupant_state(occupant, call.now)));
  }
  if (occupants.size() > kMaxOccupants)
    out.push_back(fmt::format("{} more hold the rest.",
                              count_tasks(static_cast<std::int64_t>(occupants.size() - kMaxOccupants))));
}

// Whether reconciling stops a task under these rules.
bool stops_a_task(scheduler::ServiceView view, const scheduler::ServiceRules& rules, base::Time now) {
  view.rules = rules;
  return !scheduler::reconcile(view, now).stops.empty();
}

// More than all tasks can't be required.
std::int64_t lower_bound(const scheduler::ServiceRules& rules) {
  return (std::int64_t{rules.desired} * std::min(rules.minimum_percent, 100) + 99) / 100;
}
std::int64_t upper_bound(const scheduler::ServiceRules& rules) {
  return std::int64_t{rules.desired} * rules.maximum_percent / 100;
}

// The old task that holds what the new one needs stays because of the minimum: which one would let it go?
void suggest_minimum(const ServiceSnapshot& snapshot, scheduler::ServiceView view, base::Time now, WaitSentences& out) {
  const scheduler::ServiceRules& rules = view.rules;
  if (rules.minimum_percent == 0 || rules.desired == 0) return;
  scheduler::ServiceRules lower = rules;
  // The largest value at which one task fewer is enough, else none at all.
  for (const std::int32_t minimum : {(rules.desired - 1) * 100 / rules.desired, 0}) {
    lower.minimum_percent = minimum;
    if (minimum >= rules.minimum_percent || !stops_a_task(view, lower, now)) continue;
    out.push_back(fmt::format("minimumHealthyPercent {} keeps {} of {} running, so the old task is not stopped first.",
                              rules.minimum_percent, lower_bound(rules), count_tasks(rules.desired)));
    out.push_back(
        fmt::format("minimumHealthyPercent {} lets it stop first: `stoker service update {} --min {}`. More "
                    "machines, or room on them, help as well.",
                    minimum, snapshot.service.name, minimum));
    return;
  }
}

// Fills in which machines do not fit, and the nearest of them.
const scheduler::Failure* add_verdicts(Call& call, const ServiceSnapshot& snapshot, const scheduler::Refusal& refusal,
                                       StokerExplainResponse& response) {
  response.machines.emplace();
  for (const scheduler::Failure& failure : refusal.failures) {
    response.machines->push_back(explain_failure(call, snapshot.cluster, failure));
  }
  const scheduler::Failure* nearest = scheduler::closest(refusal);
  if (nearest) response.nearest = explain_failure(call, snapshot.cluster, *nearest);
  return nearest;
}

void explain_placement_wait(Call& call, const ServiceSnapshot& snapshot, const Trial& trial,
                            StokerExplainResponse& response) {
  WaitSentences& out = response.sentences;
  // With machines that are not ACTIVE, which the trial's own refusal leaves out.
  const scheduler::Refusal refusal{call.local<Fleets>().with(
      snapshot.service.cluster, [&](scheduler::Fleet& fleet) { return fleet.explain(*trial.request, kMaxVerdicts); })};
  const std::string waiting =
      fmt::format("{} of {} {} for a machine", count_tasks(trial.blocked),
                  revision_name(snapshot, snapshot.primary().number), trial.blocked == 1 ? "waits" : "wait");
  const scheduler::Failure* nearest = add_verdicts(call, snapshot, refusal, response);
  if (!nearest) {
    out.push_back(fmt::format("{}: the cluster {} has none. `stoker token` shows how to add one.", waiting,
                              snapshot.cluster.name));
    return;
  }
  out.push_back(fmt::format("{}. The nearest is {}.", waiting, response.nearest->detail.value_or("")));
  const bool of_gpus = nearest->reason == scheduler::Reason::Gpu;
  const bool resources = of_gpus || nearest->reason == scheduler::Reason::Cpu ||
                         nearest->reason == scheduler::Reason::Memory || nearest->reason == scheduler::Reason::Ports;
  if (!resources) return;
  const std::vector<Occupant> occupants = occupants_on(call, nearest->instance, of_gpus);
  name_occupants(call, snapshot, response.nearest->machine, occupants, of_gpus, out);
  const bool own = std::ranges::any_of(occupants, [&](const Occupant& occupant) {
    return occupant.launch.service == snapshot.service.number && occupant.task.desired == model::DesiredStatus::Running;
  });
  if (!own || !stops_may_help(call, snapshot, trial)) return;
  scheduler::ServiceView view = snapshot.view;
  view.blocked = trial.blocked;
  if (!stops_a_task(view, view.rules, call.now)) suggest_minimum(snapshot, view, call.now, out);
}

// Neither a start nor a stop is within the percentages.
void explain_stuck(const ServiceSnapshot& snapshot, WaitSentences& out) {
  const scheduler::ServiceRules& rules = snapshot.view.rules;
  out.push_back(
      fmt::format("The percentages leave no move. minimumHealthyPercent {}: ceil({} x {} / 100) = {} must run. "
                  "maximumPercent {}: floor({} x {} / 100) = {} may run.",
                  rules.minimum_percent, rules.desired, rules.minimum_percent, lower_bound(rules),
                  rules.maximum_percent, rules.desired, rules.maximum_percent, upper_bound(rules)));
  if (rules.desired == 0) return;
  const std::int32_t minimum = (rules.desired - 1) * 100 / rules.desired;
  const std::int32_t maximum = (100 * (rules.desired + 1) + rules.desired - 1) / rules.desired;
  out.push_back(
      fmt::format("`stoker service update {} --max {}` lets a new task start first, `--min {}` an old one stop "
                  "first.",
                  snapshot.service.name, maximum, minimum));
}

}  // namespace

void explain_waits(Call& call, const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan,
                   StokerExplainResponse& response) {
  if (plan.stuck) explain_stuck(snapshot, response.sentences);
  if (plan.starts.empty()) return;
  const Trial trial = try_starts(call, snapshot, plan.starts, true);
  if (trial.blocked > 0 && trial.request) explain_placement_wait(call, snapshot, trial, response);
}

}  // namespace services::ecs
