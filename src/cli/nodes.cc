// SPDX-License-Identifier: Apache-2.0
// stoker nodes, stoker nodes drain|activate|remove
#include <fmt/format.h>

#include <ostream>

#include "base/duration.h"
#include "cli/cluster_client.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/rows.h"
#include "cli/table.h"

namespace cli {
namespace {

using namespace shapes::ecs;

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

// "connected", "impaired for 5 s", "lost for 40 s"
std::string agent_of(const ContainerInstance& instance, base::Time now) {
  if (const auto trouble = trouble_of(instance)) {
    return "impaired for " + brief_duration(now - trouble->lastStatusChange.value_or(now));
  }
  if (instance.agentConnected.value_or(false)) return "connected";
  if (instance.healthStatus && instance.healthStatus->details && !instance.healthStatus->details->empty()) {
    const auto& since = instance.healthStatus->details->front().lastStatusChange;
    if (since) return "lost for " + brief_duration(now - *since);
  }
  return "lost";
}

std::string tasks_of(const ContainerInstance& instance) {
  const std::int32_t pending = instance.pendingTasksCount.value_or(0);
  const std::string running = std::to_string(instance.runningTasksCount.value_or(0));
  return pending > 0 ? running + " + " + std::to_string(pending) + " pending" : running;
}

std::string free_of_total(const ContainerInstance& instance, std::string_view name) {
  return std::to_string(resource_amount(instance.remainingResources, name)) + "/" +
         std::to_string(resource_amount(instance.registeredResources, name));
}

std::string machine_memory_text(const ContainerInstance& instance) {
  return fmt::format("{:.1f}/{:.1f} GiB", static_cast<double>(resource_amount(instance.remainingResources, "MEMORY")) / 1024,
                     static_cast<double>(resource_amount(instance.registeredResources, "MEMORY")) / 1024);
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
  std::string driver = attribute(instance, "stoker.driver");
  if (driver.empty() && instance.versionInfo) driver = instance.versionInfo->dockerVersion.value_or("");
  return {instance.ec2InstanceId.value_or(""),
          instance.status.value_or(""),
          agent_of(instance, now),
          tasks_of(instance),
          free_of_total(instance, "CPU"),
          machine_memory_text(instance),
          gpus ? free_of_total(instance, "GPU") : "-",
          gpus ? or_dash(attribute(instance, "stoker.gpu-model")) : "-",
          or_dash(driver),
          short_id(*instance.containerInstanceArn)};
}

int nodes(const Options& options, std::ostream& out) {
  ClusterClient client(options);
  PrintedNodes printed{client.instances()};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.containerInstances.empty()) {
    out << "no machines in cluster " << client.cluster() << ": see `stoker token` for how one joins\n";
    return 0;
  }
  const base::Time now = base::SystemClock().now();
  std::vector<std::vector<std::string>> rows{
      {"MACHINE", "STATUS", "AGENT", "TASKS", "CPU FREE", "MEMORY FREE", "GPUS FREE", "MODEL", "DRIVER", "ID"}};
  for (const ContainerInstance& instance : printed.containerInstances) rows.push_back(node_row(instance, now));
  print_table(out, rows);
  for (const ContainerInstance& instance : printed.containerInstances) {
    const auto trouble = trouble_of(instance);
    if (!trouble) continue;
    out << instance.ec2InstanceId.value_or("") << " accepts no tasks: " << trouble->statusReason.value_or("") << '\n';
  }
  return 0;
}

int change_node(const Options& options, NodeChange change, const std::string& machine, bool force, std::ostream& out) {
  ClusterClient client(options);
  const ContainerInstance before = client.find_instance(machine);
  const std::string name = before.ec2InstanceId.value_or(machine);
  ContainerInstance after;
  std::string message;
  if (change == NodeChange::Remove) {
    DeregisterContainerInstanceRequest request{client.cluster(), *before.containerInstanceArn, force};
    after = *client.call<DeregisterContainerInstanceResponse>("DeregisterContainerInstance", request).containerInstance;
    message = name + " was removed; its agent joins again when it is restarted";
  } else {
    const bool drain = change == NodeChange::Drain;
    after = set_status(client, before, drain ? "DRAINING" : "ACTIVE");
    message = drain ? name + " gets no new tasks; " + tasks_left(after) : name + " gets tasks again";
  }
  if (options.json) {
    print_json(out, after);
  } else {
    out << message << '\n';
  }
  return 0;
}

}  // namespace cli
