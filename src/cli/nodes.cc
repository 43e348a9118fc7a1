// SPDX-License-Identifier: Apache-2.0
// stoker nodes, stoker nodes drain|activate|remove
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "base/duration.h"
#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/polling.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "cli/watch.h"

namespace cli {
namespace {

using namespace shapes::ecs;

constexpr auto kDrainInterval = std::chrono::seconds(1);

struct PrintedNodes {
  std::vector<ContainerInstance> containerInstances;
};
BOOST_DESCRIBE_STRUCT(PrintedNodes, (), (containerInstances))

std::string attribute(const ContainerInstance& instance, std::string_view name) {
  for (const Attribute& attribute : instance.attributes.value_or(std::vector<Attribute>())) {
    if (attribute.name == name) return attribute.value.value_or("");
  }
  return "";
}

// Why a connected machine accepts no tasks: its failed check of the container runtime.
std::optional<InstanceHealthCheckResult> trouble_of(const ContainerInstance& instance) {
  if (!instance.agentConnected.value_or(false) || !instance.healthStatus) return std::nullopt;
  const auto checks = instance.healthStatus->details.value_or(std::vector<InstanceHealthCheckResult>());
  for (const InstanceHealthCheckResult& check : checks) {
    if (check.type == "CONTAINER_RUNTIME" && check.status == "IMPAIRED") return check;
  }
  return std::nullopt;
}

// "ACTIVE", "DRAINING", "impaired for 5 s", "lost for 40 s"
std::string state_of(const ContainerInstance& instance, base::Time now) {
  if (const auto trouble = trouble_of(instance)) {
    return "impaired for " + brief_duration(now - trouble->lastStatusChange.value_or(now));
  }
  if (instance.agentConnected.value_or(false)) return instance.status.value_or("");
  if (instance.healthStatus && instance.healthStatus->details && !instance.healthStatus->details->empty()) {
    const auto& since = instance.healthStatus->details->front().lastStatusChange;
    if (since) return "lost for " + brief_duration(now - *since);
  }
  return "lost";
}

// "2", or "2+1" with a pending one.
std::string tasks_of(const ContainerInstance& instance) {
  const std::int32_t pending = instance.pendingTasksCount.value_or(0);
  const std::string running = std::to_string(instance.runningTasksCount.value_or(0));
  return pending > 0 ? running + "+" + std::to_string(pending) : running;
}

std::string free_of_total(const ContainerInstance& instance, std::string_view name) {
  return std::to_string(resource_amount(instance.remainingResources, name)) + "/" +
         std::to_string(resource_amount(instance.registeredResources, name));
}

// Of 1024: CPU units as cores, MiB as GiB.
std::string free_thousands(const ContainerInstance& instance, std::string_view name) {
  const auto thousands = [&](const auto& resources) { return static_cast<double>(resource_amount(resources, name)) / 1024; };
  const double free = thousands(instance.remainingResources), total = thousands(instance.registeredResources);
  constexpr double kLarge = 10;  // a fraction does not matter then
  return total < kLarge ? fmt::format("{:.1f}/{:.1f}", free, total)
                        : fmt::format("{:.0f}/{:.0f}", std::floor(free), std::floor(total));
}

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

std::string tasks_left(const ContainerInstance& instance) {
  const int count = instance.runningTasksCount.value_or(0) + instance.pendingTasksCount.value_or(0);
  if (count == 0) return "it has no tasks";
  return std::to_string(count) + (count == 1 ? " task is" : " tasks are") + " still on it";
}

ContainerInstance set_status(ClusterClient& client, const ContainerInstance& instance, const std::string& status) {
  UpdateContainerInstancesStateRequest request{client.cluster(), {*instance.containerInstanceArn}, status};
  auto response = client.call<UpdateContainerInstancesStateResponse>("UpdateContainerInstancesState", request);
  if (!response.failures->empty()) {
    throw std::runtime_error(*instance.ec2InstanceId + " remains " + instance.status.value_or("unchanged") + ": " +
                             response.failures->front().reason.value_or(""));
  }
  return response.containerInstances->front();
}

}  // namespace

std::int64_t resource_amount(const std::optional<std::vector<Resource>>& resources, std::string_view name) {
  for (const Resource& resource : resources.value_or(std::vector<Resource>())) {
    if (resource.name != name) continue;
    return resource.stringSetValue ? static_cast<std::int64_t>(resource.stringSetValue->size())
                                   : resource.integerValue.value_or(0);
  }
  return 0;
}

std::vector<std::string> node_row(const ContainerInstance& instance, base::Time now) {
  const bool gpus = resource_amount(instance.registeredResources, "GPU") > 0;
  return {instance.ec2InstanceId.value_or(""),
          machine_id(*instance.containerInstanceArn),
          state_of(instance, now),
          tasks_of(instance),
          free_thousands(instance, "CPU"),
          free_thousands(instance, "MEMORY"),
          gpus ? free_of_total(instance, "GPU") : "-",
          gpus ? or_dash(attribute(instance, "stoker.gpu-model")) : "-"};
}

namespace {

void print_nodes(ClusterClient& client, const Options& options, const Screen& screen) {
  std::ostream& out = screen.out;
  PrintedNodes printed{client.instances()};
  if (options.json) return print_json(out, printed);
  if (printed.containerInstances.empty()) {
    out << "no machines in cluster " << client.cluster() << ": see `stoker token` for how one joins"
        << client.clusters_with_machines() << '\n';
    return;
  }
  const base::Time now = base::SystemClock().now();
  Rows rows{{"MACHINE", "ID", "STATUS", "TASKS", "CPU FREE", "GiB FREE", "GPU FREE", "MODEL"}};
  for (const ContainerInstance& instance : printed.containerInstances) rows.push_back(node_row(instance, now));
  print_table(out, rows, screen.terminal);
  for (const ContainerInstance& instance : printed.containerInstances) {
    const auto trouble = trouble_of(instance);
    if (!trouble) continue;
    out << terminal_text(instance.ec2InstanceId.value_or("")) << " accepts no tasks: "
        << terminal_text(trouble->statusReason.value_or("")) << '\n';
  }
}

// Until the machine has no tasks.
ContainerInstance wait_until_empty(ClusterClient& client, ContainerInstance machine, std::ostream& err) {
  std::string shown;
  for (;;) {
    const std::string text = tasks_left(machine);
    if (text != shown) err << machine.ec2InstanceId.value_or("") << ": " << text << std::endl;
    shown = text;
    if (machine.runningTasksCount.value_or(0) + machine.pendingTasksCount.value_or(0) == 0) return machine;
    wait_before_next_look(kDrainInterval);
    machine = client.find_instance(*machine.containerInstanceArn);
  }
}

}  // namespace

int nodes(const Options& options, bool watch, std::ostream& out) {
  ClusterClient client(options);
  return show(out, watch, [&](const Screen& screen) { print_nodes(client, options, screen); });
}

int change_node(const Options& options, const NodeArguments& arguments, std::ostream& out, std::ostream& err) {
  ClusterClient client(options);
  const ContainerInstance before = client.find_instance(arguments.machine);
  const std::string name = before.ec2InstanceId.value_or(arguments.machine);
  ContainerInstance after;
  std::string message;
  if (arguments.change == NodeChange::Remove) {
    DeregisterContainerInstanceRequest request{client.cluster(), *before.containerInstanceArn, arguments.force};
    after = *client.call<DeregisterContainerInstanceResponse>("DeregisterContainerInstance", request).containerInstance;
    message = name + " was removed, with its key; to bring it back, start its agent with a new token (`stoker token`)";
  } else {
    const bool drain = arguments.change == NodeChange::Drain;
    after = set_status(client, before, drain ? "DRAINING" : "ACTIVE");
    if (drain && arguments.wait) after = wait_until_empty(client, client.find_instance(*before.containerInstanceArn), err);
    message = drain ? name + " gets no new tasks; " + tasks_left(after) : name + " gets tasks again";
  }
  if (options.json) {
    print_json(out, after);
  } else {
    out << terminal_text(message) << '\n';
  }
  return 0;
}

}  // namespace cli
