// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/services/explain_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "services/ecs/capacity/explain_waiting.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/services/stored_service.h"
#include "wire/timestamp.h"

namespace services::ecs {
namespace {

using shapes::stoker::StokerExplainResponse;
using ServiceSentences = std::vector<std::string>;

constexpr std::size_t kMaxNamedTasks = 5;

struct Counted {
  int running = 0, pending = 0, stopping = 0;
};

// Of one deployment, or of all.
Counted count(const scheduler::ServiceView& view, std::optional<std::int64_t> deployment = {}) {
  Counted counted;
  for (const scheduler::ServiceTask& task : view.tasks) {
    if (deployment && task.deployment != *deployment) continue;
    ++(task.stopping ? counted.stopping : task.running ? counted.running : counted.pending);
  }
  return counted;
}

std::string text_of(const Counted& counted) {
  std::string text = fmt::format("{} running, {} pending", counted.running, counted.pending);
  if (counted.stopping > 0) text += fmt::format(", {} stopping", counted.stopping);
  return text;
}

void explain_desired(const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan, ServiceSentences& out) {
  const std::string& name = snapshot.service.name;
  const Counted counted = count(snapshot.view);
  if (snapshot.service.status == state::ServiceStatus::Draining) {
    out.push_back(fmt::format("{} is being deleted: {}.", name, text_of(counted)));
  } else if (snapshot.service.daemon) {
    const auto suitable = std::ranges::count_if(snapshot.view.machines, &scheduler::DaemonMachine::suitable);
    out.push_back(fmt::format("{} is a DAEMON; {} of {} machines must run a task of it: {}.", name, suitable,
                              snapshot.view.machines.size(), text_of(counted)));
  } else {
    out.push_back(fmt::format("{} must run {}: {}.", name, count_tasks(snapshot.service.desired), text_of(counted)));
  }
  if (plan.steady) out.push_back("It is steady.");
}

void explain_deployments(const ServiceSnapshot& snapshot, base::Time now, ServiceSentences& out) {
  for (const state::Deployment& deployment : snapshot.deployments) {
    const Counted counted = count(snapshot.view, static_cast<std::int64_t>(deployment.number));
    const bool primary = deployment.role == state::DeploymentRole::Primary;
    std::string sentence = fmt::format("{} deployment {} of {}: {}", text(deployment.role), deployment_name(deployment),
                                       revision_name(snapshot, deployment.number), text_of(counted));
    if (!primary) {
      sentence += "; to be replaced";
    } else if (deployment.rollout == state::Rollout::InProgress) {
      sentence += fmt::format("; IN_PROGRESS for {}", base::duration_text(now - deployment.created_at));
    } else {
      sentence += fmt::format("; {}", text(deployment.rollout));
    }
    out.push_back(sentence + ".");
    if (primary && deployment.rollout == state::Rollout::Failed) {
      out.push_back(deployment.rollout_reason + " Nothing more is started until there is a new deployment.");
    }
  }
}

// What a rollout waits for when all its tasks run.
void explain_rollout(const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan, base::Time now,
                     ServiceSentences& out) {
  if (snapshot.deployments.empty() || snapshot.primary().rollout != state::Rollout::InProgress) return;
  for (const std::string& alarm : snapshot.alarms) {
    out.push_back(fmt::format("The alarm {}, which the deployment watches, is in ALARM.", alarm));
  }
  const bool all_run = std::ranges::all_of(snapshot.view.tasks, [&](const scheduler::ServiceTask& task) {
    return task.running && !task.stopping && task.deployment == snapshot.view.deployments.front().number;
  });
  const bool enough = std::ssize(snapshot.view.tasks) == snapshot.view.rules.desired;
  if (all_run && enough && plan.next && *plan.next > now && !plan.throttled) {
    out.push_back(fmt::format("All its tasks run; the deployment is complete in {} if they go on running.",
                              base::duration_text(*plan.next - now)));
  }
}

void explain_health(const ServiceSnapshot& snapshot, ServiceSentences& out) {
  std::size_t named = 0, unknown = 0;
  for (const scheduler::ServiceTask& task : snapshot.view.tasks) {
    if (task.stopping || !task.running) continue;
    unknown += task.health == scheduler::TaskHealth::Unknown ? 1 : 0;
    if (task.health != scheduler::TaskHealth::Unhealthy || ++named > kMaxNamedTasks) continue;
    out.push_back(
        fmt::format("Task {} is UNHEALTHY by its container health check and is to be replaced.", task.id.str()));
  }
  if (unknown > 0) {
    out.push_back(fmt::format("{} not yet healthy: a container health check has not passed.",
                              unknown == 1 ? "1 running task is" : fmt::format("{} running tasks are", unknown)));
  }
}

void explain_protection(const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan, base::Time now,
                        ServiceSentences& out) {
  if (plan.protected_tasks > 0) {
    out.push_back(fmt::format("{} protected and can't be stopped for this.",
                              plan.protected_tasks == 1
                                  ? "1 task that is to go is"
                                  : fmt::format("{} tasks that are to go are", plan.protected_tasks)));
  }
  std::size_t named = 0;
  for (const scheduler::ServiceTask& task : snapshot.view.tasks) {
    if (!task.protected_until || *task.protected_until <= now || ++named > kMaxNamedTasks) continue;
    out.push_back(fmt::format("Task {} is protected for another {}, until {}.", task.id.str(),
                              base::duration_text(*task.protected_until - now),
                              wire::to_iso8601(*task.protected_until)));
  }
}

// Machines that are down with tasks of the service on them.
void explain_machines(Call& call, const ServiceSnapshot& snapshot, ServiceSentences& out) {
  std::map<model::InstanceId, int> tasks;
  for (const scheduler::ServiceTask& task : snapshot.view.tasks) {
    if (!task.waiting) ++tasks[task.machine];
  }
  for (const auto& [id, number] : tasks) {
    const auto machine = load_instance(call.tx, id);
    if (!machine) continue;
    if (!machine->connected) {
      out.push_back(
          fmt::format("The agent of {} has been away for {}: {} there, replaced only when the machine is lost.",
                      machine->name, base::duration_text(call.now - machine->connected_at),
                      number == 1 ? "1 task is" : fmt::format("{} tasks are", number)));
    } else if (machine->status == model::InstanceStatus::Draining) {
      out.push_back(fmt::format("{} is DRAINING: {} there and moved to other machines.", machine->name,
                                number == 1 ? "1 task is" : fmt::format("{} tasks are", number)));
    } else if (!machine->trouble().empty()) {
      out.push_back(fmt::format("{} accepts no new tasks: {}.", machine->name, machine->trouble()));
    }
  }
}

}  // namespace

std::string count_tasks(std::int64_t count) { return fmt::format("{} task{}", count, count == 1 ? "" : "s"); }

std::string revision_name(const ServiceSnapshot& snapshot, state::DeploymentNumber deployment) {
  const StoredTaskDefinition* definition = snapshot.definition_of(static_cast<std::int64_t>(deployment));
  if (!definition) return "a deleted task definition";
  return definition->family + ":" + std::to_string(definition->revision);
}

StokerExplainResponse explain_service(Call& call, const state::Cluster& cluster, const std::string& service) {
  const StoredService found = find_service(call.tx, cluster, service);
  StokerExplainResponse response;
  auto rows = read_service(call.tx, found.number);
  if (!rows) {
    const base::Time since = found.inactive_at.value_or(call.now);
    response.sentences.push_back(
        fmt::format("{} was deleted {} ago.", found.name, base::duration_text(call.now - since)));
    return response;
  }
  const ServiceSnapshot snapshot = take_snapshot(call, std::move(*rows));
  const scheduler::ServicePlan plan = scheduler::reconcile(snapshot.view, call.now);
  response.serviceArn = snapshot.arn();
  ServiceSentences& out = response.sentences;
  explain_desired(snapshot, plan, out);
  explain_deployments(snapshot, call.now, out);
  explain_failures(call, snapshot, plan, out);
  explain_waits(call, snapshot, plan, response);
  explain_waiting_tasks(call, snapshot, out);
  explain_protection(snapshot, plan, call.now, out);
  explain_health(snapshot, out);
  explain_machines(call, snapshot, out);
  explain_rollout(snapshot, plan, call.now, out);
  return response;
}

}  // namespace services::ecs
