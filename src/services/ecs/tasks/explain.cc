// SPDX-License-Identifier: Apache-2.0
// StokerExplain, and its answer for a task definition: the scheduler's reasons, machine by machine.
#include "services/ecs/tasks/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "scheduler/filter.h"
#include "services/ecs/arn.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/operations.h"
#include "services/ecs/services/explain_service.h"
#include "services/ecs/tasks/launch.h"
#include "services/ecs/tasks/task_operations.h"

namespace services::ecs {
namespace {

using shapes::stoker::StokerExplainRequest;
using shapes::stoker::StokerExplainResponse;
using shapes::stoker::StokerMachineVerdict;
using shapes::stoker::StokerPlacement;

constexpr std::size_t kMaxMachines = 100;
constexpr std::int32_t kMaxWaitSeconds = 20;

// A copy of the fleet's answer: names are added when its lock is no longer held.
struct Verdicts {
  scheduler::Decision decision;
  std::vector<std::pair<model::InstanceId, std::string>> fitting;  // and their names
  std::vector<scheduler::Failure> failures;
};

Verdicts verdicts_of(Fleets& fleets, state::ClusterNumber cluster, const scheduler::Request& request) {
  return fleets.with(cluster, [&](scheduler::Fleet& fleet) {
    const std::vector<const scheduler::Machine*> machines = fleet.machines();
    Verdicts verdicts{fleet.place(request), {}, fleet.explain(request, machines.size())};
    std::size_t next = 0;  // failures are in the order of machines
    for (const scheduler::Machine* machine : machines) {
      const model::Instance& instance = machine->instance();
      if (next < verdicts.failures.size() && verdicts.failures[next].instance == instance.id) {
        ++next;
      } else {
        verdicts.fitting.emplace_back(instance.id, instance.ec2_instance_id);
      }
    }
    return verdicts;
  });
}

scheduler::Request to_request(Call& call, const state::Cluster& cluster, const StoredTaskDefinition& definition,
                         const StokerExplainRequest& request) {
  LaunchRequest launch;
  launch.overrides = request.overrides;
  if (definition.body.networkMode == "awsvpc") {
    launch.networkConfiguration.emplace().awsvpcConfiguration.emplace().subnets = {"any"};  // nothing to placement
  }
  scheduler::Request wanted = scheduler_request(definition, make_launch(call, cluster, definition, launch));
  add_constraints(wanted, request.placementConstraints.value_or(std::vector<PlacementConstraint>()));
  add_strategies(wanted, request.placementStrategy.value_or(std::vector<PlacementStrategy>()));
  wanted.task = model::TaskId(state::to_text(state::new_task_name({}, 0)));
  return wanted;
}

// The setting that requires an attribute whose name does not show it.
std::string attribute_hint(const std::string& detail) {
  if (!detail.ends_with("docker-remote-api.1.21")) return "";
  return " (memoryReservation: the machine's driver can't reserve memory; use the limit memory instead)";
}

// Machines that were deregistered and did not come back under the same name.
std::vector<StokerMachineVerdict> departed(Call& call, const state::Cluster& cluster) {
  std::vector<StokerMachineVerdict> verdicts;
  for (const state::Machine& machine : state::list_departed(call.tx, cluster.number, kMaxMachines)) {
    StokerMachineVerdict verdict{machine.name, instance_arn(cluster, machine.id), false, "INACTIVE"};
    const base::Time since = machine.inactive_at.value_or(call.now);
    verdict.detail = machine.name + ": was deregistered " + base::duration_text(call.now - since) + " ago";
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

StokerPlacement placement_of(Call& call, const state::Cluster& cluster, const scheduler::Plan& plan) {
  StokerPlacement placement{.containerInstanceArn = instance_arn(cluster, plan.instance)};
  if (const auto instance = load_instance(call.tx, plan.instance)) placement.machine = instance->name;
  for (const model::GpuHold& hold : plan.hold.gpus) {
    const bool named = std::ranges::find(placement.gpuIds, hold.gpu.str()) != placement.gpuIds.end();
    if (!named) placement.gpuIds.push_back(hold.gpu.str());
  }
  return placement;
}

void word(StokerExplainResponse& response, const state::Cluster& cluster, const std::string& name) {
  if (response.placement) {
    const std::string gpus = list(response.placement->gpuIds);
    response.sentences.push_back(fmt::format("{} could be placed now, on {}{}.", name, response.placement->machine,
                                             gpus.empty() ? "" : " with " + gpus));
  } else if (response.machines->empty()) {
    response.sentences.push_back(fmt::format(
        "{} can't be placed: the cluster {} has no machine. `stoker token` shows how to add one.", name, cluster.name));
  } else {
    const std::size_t count = response.machines->size();
    response.sentences.push_back(fmt::format("{} can't be placed now on {}.", name,
                                             count == 1 ? "the only machine" : fmt::format("any of {} machines", count)));
    if (response.nearest) response.sentences.push_back("The nearest is " + *response.nearest->detail + ".");
  }
}

}  // namespace

StokerMachineVerdict explain_failure(Call& call, const state::Cluster& cluster, const scheduler::Failure& failure) {
  StokerMachineVerdict verdict{.containerInstanceArn = instance_arn(cluster, failure.instance),
                               .reason = std::string(scheduler::text(failure.reason)),
                               .detail = failure.detail};
  const auto instance = load_instance(call.tx, failure.instance);
  if (!instance) return verdict;
  verdict.machine = instance->name;
  if (failure.reason == scheduler::Reason::Attribute) *verdict.detail += attribute_hint(failure.detail);
  if (failure.reason == scheduler::Reason::Agent && instance->connected) {
    *verdict.detail += " (for " + base::duration_text(call.now - instance->trouble_since()) + ")";
  } else if (failure.reason == scheduler::Reason::Agent) {
    verdict.detail = instance->name + ": its agent has been away for " +
                     base::duration_text(call.now - instance->connected_at);
  } else if (instance->status == model::InstanceStatus::Draining) {
    verdict.detail = instance->name + ": is DRAINING and gets no new tasks";
  }
  return verdict;
}

StokerExplainResponse explain_placement(Call& call, const state::Cluster& cluster, const StokerExplainRequest& request) {
  const StoredTaskDefinition definition = launchable(call, *request.taskDefinition);
  const Verdicts verdicts = verdicts_of(call.local<Fleets>(), cluster.number, to_request(call, cluster, definition, request));
  StokerExplainResponse response;
  response.taskDefinitionArn = definition.body.taskDefinitionArn;
  response.machines.emplace();
  for (const auto& [id, machine] : verdicts.fitting) {
    response.machines->push_back({machine, instance_arn(cluster, id), true});
  }
  for (const scheduler::Failure& failure : verdicts.failures) {
    if (response.machines->size() > kMaxMachines) break;
    response.machines->push_back(explain_failure(call, cluster, failure));
  }
  for (StokerMachineVerdict& verdict : departed(call, cluster)) response.machines->push_back(std::move(verdict));

  // The decision's own refusal leaves out the machines that are not ACTIVE.
  const scheduler::Refusal refusal{verdicts.failures};
  if (const auto* plan = std::get_if<scheduler::Plan>(&verdicts.decision)) {
    response.placement = placement_of(call, cluster, *plan);
  } else if (const scheduler::Failure* closest = scheduler::closest(refusal)) {
    response.nearest = explain_failure(call, cluster, *closest);
  }
  word(response, cluster, definition.family + ":" + std::to_string(definition.revision));
  response.more = response.machines->size() > kMaxMachines;
  if (response.more) response.machines->resize(kMaxMachines);
  return response;
}

StokerExplainResponse stoker_explain(Call& call, const StokerExplainRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const int named = request.task.has_value() + request.taskDefinition.has_value() + request.service.has_value();
  if (named != 1) throw invalid_parameter("Specify either a task, a task definition or a service.");
  if (!request.task && (request.knownVersion || request.waitSeconds)) {
    throw invalid_parameter("knownVersion and waitSeconds need a task.");
  }
  if (request.waitSeconds.value_or(0) < 0 || request.waitSeconds.value_or(0) > kMaxWaitSeconds) {
    throw invalid_parameter(fmt::format("waitSeconds must be between 0 and {}.", kMaxWaitSeconds));
  }
  if (request.service) return explain_service(call, cluster, *request.service);
  if (request.taskDefinition) return explain_placement(call, cluster, request);
  const auto task = load_task(call.tx, cluster, *request.task);
  if (!task) throw invalid_parameter("The referenced task was not found.");
  StokerExplainResponse response = explain_task(call, cluster, *task);
  const base::Time until = call.started + std::chrono::seconds(request.waitSeconds.value_or(0));
  if (response.state->version == request.knownVersion && call.now < until) {
    call.wait = Wait{state::task_topic(task->id), until, std::nullopt};
  }
  return response;
}

std::vector<Operation> explain_operations() {
  return {
      operation<&stoker_explain>("StokerExplain", Access::Read),
  };
}

}  // namespace services::ecs
