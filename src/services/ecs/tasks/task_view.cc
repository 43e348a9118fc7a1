// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/tasks/task_view.h"

#include <algorithm>

#include "base/check.h"
#include "model/container.h"
#include "services/ecs/arn.h"
#include "services/ecs/tasks/payload.h"
#include "services/ecs/tasks/report.h"

namespace services::ecs {
namespace {

using shapes::ecs::Attribute;
using shapes::ecs::Container;
using shapes::ecs::ContainerDefinition;
using shapes::ecs::ContainerOverride;
using shapes::ecs::ContainerStateChange;
using shapes::ecs::Task;
using shapes::ecs::TaskOverride;

const ContainerStateChange* find_reported(const Report& report, const std::string& container) {
  for (const ContainerStateChange& change : report.containers) {
    if (change.containerName == container) return &change;
  }
  return nullptr;
}

const ContainerOverride* find_override(const Launch& launch, const std::string& container) {
  if (!launch.overrides || !launch.overrides->containerOverrides) return nullptr;
  for (const ContainerOverride& change : *launch.overrides->containerOverrides) {
    if (change.name == container) return &change;
  }
  return nullptr;
}

std::optional<std::vector<std::string>> gpus_of(const state::Task& task, const std::string& container) {
  std::optional<std::vector<std::string>> ids;
  for (const model::GpuHold& gpu : task.hold.gpus) {
    if (gpu.container != container) continue;
    if (!ids) ids.emplace();
    ids->push_back(gpu.gpu.str());
  }
  return ids;
}

// "Present only for containers whose resource requirements include sharingStrategy."
std::optional<shapes::ecs::SharingStrategy> sharing_of(const ContainerDefinition& definition) {
  for (const auto& requirement : list_of(definition.resourceRequirements)) {
    if (requirement.sharingStrategy) return requirement.sharingStrategy;
  }
  return std::nullopt;
}

std::string health_of(const Report& report, const std::string& container) {
  auto found = report.health.find(container);
  return found == report.health.end() ? "UNKNOWN" : found->second;
}

template <class T>
std::optional<std::string> number_text(const std::optional<T>& changed, const std::optional<T>& defined) {
  if (changed) return std::to_string(*changed);
  if (defined) return std::to_string(*defined);
  return std::nullopt;
}

// A task with its report parsed.
struct ParsedTask {
  const state::Task& task;
  const Report report = report_of(task);
};

Container show_container(const state::Cluster& cluster, const ParsedTask& parsed, const Launch& launch,
                         const ContainerDefinition& definition) {
  const state::Task& task = parsed.task;
  const std::string& name = *definition.name;
  const ContainerOverride none;
  const ContainerOverride* found = find_override(launch, name);
  const ContainerOverride& change = found ? *found : none;
  Container out;
  out.containerArn = container_arn(cluster, task.id, name);
  out.taskArn = task_arn(cluster, task.id);
  out.name = name;
  out.image = definition.image;
  out.lastStatus = task.stopped_at ? "STOPPED" : "PENDING";
  out.networkBindings.emplace();
  out.networkInterfaces.emplace();
  out.healthStatus = health_of(parsed.report, name);
  out.cpu = number_text(change.cpu, definition.cpu).value_or("0");
  out.memory = number_text(change.memory, definition.memory);
  out.memoryReservation = number_text(change.memoryReservation, definition.memoryReservation);
  out.gpuIds = gpus_of(task, name);
  out.gpuSharingStrategy = sharing_of(definition);
  if (const ContainerStateChange* reported = find_reported(parsed.report, name)) {
    if (!task.stopped_at) out.lastStatus = reported->status;
    out.imageDigest = reported->imageDigest;
    out.runtimeId = reported->runtimeId;
    out.exitCode = reported->exitCode;
    out.reason = reported->reason;
    if (reported->networkBindings) out.networkBindings = reported->networkBindings;
  }
  return out;
}

// As its agent reports it, as long as the container runs.
shapes::ecs::ManagedAgent exec_agent(const Container& container, const ParsedTask& parsed, bool can_exec) {
  shapes::ecs::ManagedAgent agent{.name = std::string(kExecAgent), .lastStatus = "PENDING"};
  const std::string status = container.lastStatus.value_or("");
  if (status == "STOPPED") agent.lastStatus = "STOPPED";
  if (status != "RUNNING") return agent;
  agent.lastStartedAt = parsed.task.started_at;
  const auto reported = parsed.report.exec_agents.find(*container.name);
  if (reported != parsed.report.exec_agents.end()) {
    agent.lastStatus = reported->second.status;
    agent.reason = reported->second.reason;
  }
  if (!can_exec) {
    agent.lastStatus = "STOPPED";
    agent.reason = "The agent of the machine does not support ExecuteCommand.";
  }
  return agent;
}

// Every container is listed, including those without an override.
TaskOverride show_overrides(const Launch& launch, const std::vector<ContainerDefinition>& definitions) {
  TaskOverride out = launch.overrides.value_or(TaskOverride());
  if (!out.containerOverrides) out.containerOverrides.emplace();
  for (const ContainerDefinition& definition : definitions) {
    if (!find_override(launch, *definition.name)) out.containerOverrides->push_back({.name = definition.name});
  }
  out.inferenceAcceleratorOverrides.emplace();
  return out;
}

std::string task_health(const Report& report, const std::vector<ContainerDefinition>& definitions) {
  std::vector<model::ContainerState> states;
  for (const ContainerDefinition& definition : definitions) {
    model::ContainerState state{.essential = definition.essential.value_or(true)};
    if (definition.healthCheck) state.health = model::health(health_of(report, *definition.name));
    states.push_back(state);
  }
  return std::string(model::text(model::task_health(states)));
}

}  // namespace

const StoredLaunch& TaskView::launch_of(const state::TaskState& task) {
  const StoredLaunch*& known = launches_[task.launch()];
  if (known) return *known;
  auto launch = load_launch(call_.tx, task.launch());
  CHECK(launch) << "a task without its launch: " << task.id.str();
  known = &read_launches_.emplace_back(std::move(*launch));
  return *known;
}

const StoredTaskDefinition& TaskView::definition_of(const state::TaskState& task) {
  const state::DefinitionNumber number = launch_of(task).definition;
  const StoredTaskDefinition*& known = definitions_[number];
  if (known) return *known;
  auto definition = load_task_definition(call_.tx, number);
  CHECK(definition) << "a task without its definition: " << task.id.str();
  known = &read_definitions_.emplace_back(std::move(*definition));
  return *known;
}

bool TaskView::has_container(const state::TaskState& task, const std::string& name) {
  const auto& containers = *definition_of(task).body.containerDefinitions;
  return std::any_of(containers.begin(), containers.end(), [&](const auto& container) { return container.name == name; });
}

const TaskView::Home& TaskView::home_of(const state::Task& task) {
  auto found = homes_.find(task.machine_number);
  if (found != homes_.end()) return found->second;
  if (task.machine_number == 0) return homes_[0];  // it was never placed
  auto instance = load_instance(call_.tx, task.machine);
  if (!instance) return homes_[task.machine_number];
  add(instance->for_scheduler());
  Home& home = homes_[task.machine_number];
  home.connected_at = instance->connected_at;
  return home;
}

void TaskView::add(const model::Instance& instance) {
  if (homes_.contains(instance.number)) return;
  homes_[instance.number] = {
      .connected = instance.agent_connected,
      .connected_at = {},
      .zone = instance.zone,
      .architecture = instance.architecture,
      .can_exec = instance.attributes.contains(std::string(kExecAttribute)),
  };
}

Task TaskView::show(const state::Task& task, bool tags) {
  const StoredLaunch& launch = launch_of(task);
  const StoredTaskDefinition& definition = definition_of(task);
  const Home& home = home_of(task);
  const auto& containers = *definition.body.containerDefinitions;
  const ParsedTask parsed{task};
  Task out;
  out.attachments.emplace();
  out.attributes.emplace();
  if (!home.architecture.empty()) {
    out.attributes->push_back({.name = "ecs.cpu-architecture", .value = home.architecture});
  }
  if (!home.zone.empty()) out.availabilityZone = home.zone;
  out.clusterArn = cluster_arn_;
  if (task.delivered && !task.stopped_at) {
    out.connectivity = home.connected ? "CONNECTED" : "DISCONNECTED";
    out.connectivityAt = home.connected_at;
  }
  out.capacityProviderName = task.provider;
  if (task.machine_number != 0) out.containerInstanceArn = instance_arn(cluster_, task.machine);
  out.containers.emplace();
  for (const ContainerDefinition& container : containers) {
    out.containers->push_back(show_container(cluster_, parsed, launch.body, container));
    if (!launch.body.enableExecuteCommand) continue;
    Container& shown = out.containers->back();
    shown.managedAgents.emplace();
    shown.managedAgents->push_back(exec_agent(shown, parsed, home.can_exec));
  }
  out.cpu = std::to_string(task.hold.cpu);
  out.memory = std::to_string(task.hold.memory_mib);
  out.createdAt = task.created_at;
  out.desiredStatus = model::text(task.desired);
  out.enableExecuteCommand = launch.body.enableExecuteCommand;
  out.group = launch.group;
  out.healthStatus = task_health(parsed.report, containers);
  out.lastStatus = model::text(task.known);
  out.launchType = launch.external ? "EXTERNAL" : "EC2";
  out.overrides = show_overrides(launch.body, containers);
  out.pullStartedAt = parsed.report.pullStartedAt;
  out.pullStoppedAt = parsed.report.pullStoppedAt;
  out.executionStoppedAt = parsed.report.executionStoppedAt;
  out.startedAt = task.started_at;
  out.startedBy = launch.started_by;
  out.stopCode = task.stop_code;
  out.stoppedAt = task.stopped_at;
  out.stoppedReason = task.stopped_reason;
  out.stoppingAt = task.stopping_at;
  out.tags.emplace();
  if (tags) out.tags = own_tags(task).value_or(launch.body.tags);
  out.taskArn = task_arn(cluster_, task.id);
  out.taskDefinitionArn = definition.body.taskDefinitionArn;
  out.version = task.version;
  return out;
}

}  // namespace services::ecs
