// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/machines/instance.h"

#include <algorithm>
#include <charconv>

#include "services/ecs/arn.h"
#include "services/shape_json.h"
#include "state/task.h"

namespace services::ecs {
namespace {

using shapes::ecs::Attribute;
using shapes::ecs::ContainerInstance;
using shapes::ecs::GpuDevice;
using shapes::ecs::Resource;

void add_ports(std::set<std::uint16_t>& ports, const Resource& resource) {
  for (const std::string& text : resource.stringSetValue.value_or(std::vector<std::string>())) {
    std::uint16_t port = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), port).ec == std::errc()) ports.insert(port);
  }
}

model::Gpu gpu_of(const std::string& id, const shapes::agent::StokerGpus& known) {
  model::Gpu gpu{model::GpuId(id)};
  for (const shapes::agent::StokerGpu& reported : known.gpus) {
    if (reported.id != id) continue;
    gpu.model = reported.model;
    gpu.memory_mib = reported.memoryInMiB;
    gpu.healthy = reported.healthy;
  }
  return gpu;
}

model::Resources total_of(const StoredInstance& instance) {
  model::Resources total;
  for (const Resource& resource : instance.body.registeredResources.value_or(std::vector<Resource>())) {
    const std::string name = resource.name.value_or("");
    if (name == "CPU") total.cpu = resource.integerValue.value_or(0);
    if (name == "MEMORY") total.memory_mib = resource.integerValue.value_or(0);
    if (name == "PORTS") add_ports(total.reserved_ports.tcp, resource);
    if (name == "PORTS_UDP") add_ports(total.reserved_ports.udp, resource);
    if (name != "GPU") continue;
    for (const std::string& id : resource.stringSetValue.value_or(std::vector<std::string>())) {
      total.gpus.push_back(gpu_of(id, instance.gpus));
    }
  }
  return total;
}

// Amazon sends every kind of value, of which one counts.
Resource number(std::string name, std::int64_t value) {
  return {.name = std::move(name),
          .type = "INTEGER",
          .doubleValue = 0,
          .longValue = 0,
          .integerValue = static_cast<std::int32_t>(value)};
}
Resource set(std::string name, std::vector<std::string> values) {
  return {.name = std::move(name),
          .type = "STRINGSET",
          .doubleValue = 0,
          .longValue = 0,
          .integerValue = 0,
          .stringSetValue = std::move(values)};
}

std::vector<std::string> port_texts(const std::set<std::uint16_t>& ports) {
  std::vector<std::string> texts;
  for (std::uint16_t port : ports) texts.push_back(std::to_string(port));
  return texts;
}

// Of ports, Amazon lists those that are taken.
std::vector<Resource> remaining(const scheduler::Machine& machine) {
  model::Ports taken = machine.instance().total.reserved_ports;
  for (const model::TaskHold& task : machine.tasks()) {
    taken.tcp.insert(task.ports.tcp.begin(), task.ports.tcp.end());
    taken.udp.insert(task.ports.udp.begin(), task.ports.udp.end());
  }
  std::vector<Resource> resources{number("CPU", machine.free_cpu()), number("MEMORY", machine.free_memory_mib()),
                                  set("PORTS", port_texts(taken.tcp)), set("PORTS_UDP", port_texts(taken.udp))};
  const std::vector<model::Gpu>& gpus = machine.instance().total.gpus;
  if (gpus.empty()) return resources;
  std::vector<std::string> idle;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (machine.gpu_uses()[i].idle() && gpus[i].healthy) idle.push_back(gpus[i].id.str());
  }
  resources.push_back(set("GPU", std::move(idle)));
  return resources;
}

std::vector<GpuDevice> gpu_devices(const scheduler::Machine& machine) {
  std::vector<GpuDevice> devices;
  const std::vector<model::Gpu>& gpus = machine.instance().total.gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const scheduler::GpuUse& use = machine.gpu_uses()[i];
    const char* mode = use.whole_holders > 0 ? "DEDICATED" : use.shared_holders > 0 ? "NVIDIA_MPS" : "IDLE";
    const std::int64_t left = use.whole_holders > 0 ? 0 : gpus[i].memory_mib - use.shared_memory_mib;
    devices.push_back({.gpuId = gpus[i].id.str(),
                       .sharingMode = mode,
                       .totalMemoryInMiB = static_cast<std::int32_t>(gpus[i].memory_mib),
                       .remainingMemoryInMiB = static_cast<std::int32_t>(left),
                       .containerCount = use.whole_holders + use.shared_holders});
  }
  return devices;
}

shapes::ecs::ContainerInstanceHealthStatus health_of(const StoredInstance& instance) {
  shapes::ecs::InstanceHealthCheckResult check{.type = "CONTAINER_RUNTIME",
                                               .status = instance.connected ? "OK" : "INSUFFICIENT_DATA",
                                               .lastUpdated = instance.connected_at,
                                               .lastStatusChange = instance.connected_at};
  std::vector<shapes::ecs::InstanceHealthCheckResult> details{check};
  std::string overall = *check.status;
  if (instance.connected && !instance.health.troubles.empty()) {
    overall = "IMPAIRED";
    details.front().status = overall;
    details.front().statusReason = instance.trouble();
    details.front().lastStatusChange = instance.trouble_since();
  }
  if (!instance.gpus.gpus.empty()) {
    check.type = "ACCELERATED_COMPUTE";
    for (const shapes::agent::StokerGpu& gpu : instance.gpus.gpus) {
      if (gpu.healthy) continue;
      check.status = overall = "IMPAIRED";
      check.statusReason = gpu.id + ": " + gpu.trouble.value_or("not healthy");
    }
    details.push_back(check);
  }
  return {.overallStatus = overall, .details = details};
}

bool has_attribute(const ContainerInstance& body, std::string_view name) {
  return body.attributes && std::ranges::count(*body.attributes, name, &Attribute::name) > 0;
}

}  // namespace

bool StoredInstance::has_our_agent() const { return has_attribute(body, "stoker.agent"); }

bool StoredInstance::can_exec() const { return has_attribute(body, kExecAttribute); }

std::string StoredInstance::trouble() const {
  std::string text;
  for (const shapes::agent::StokerTrouble& trouble : health.troubles) text += (text.empty() ? "" : "; ") + trouble.reason;
  return text;
}

base::Time StoredInstance::trouble_since() const {
  std::int64_t since = base::to_millis(connected_at);
  if (!health.troubles.empty()) since = std::ranges::min_element(health.troubles, {}, &shapes::agent::StokerTrouble::since)->since;
  return base::from_millis(since);
}

model::Instance StoredInstance::for_scheduler() const {
  model::Instance instance;
  instance.id = id;
  instance.number = number;
  instance.ec2_instance_id = name;
  instance.status = status;
  instance.agent_connected = connected;
  instance.trouble = trouble();
  if (body.versionInfo) instance.agent_version = body.versionInfo->agentVersion.value_or("");
  instance.registered_at = registered_at;
  for (const Attribute& attribute : body.attributes.value_or(std::vector<Attribute>())) {
    instance.attributes[attribute.name] = attribute.value;
    if (attribute.name == "ecs.availability-zone") instance.zone = attribute.value.value_or("");
    if (attribute.name == "ecs.cpu-architecture") instance.architecture = attribute.value.value_or("");
  }
  instance.capacity_provider = body.capacityProviderName.value_or("");
  instance.total = total_of(*this);
  return instance;
}

StoredInstance to_instance(state::Machine machine) {
  StoredInstance instance;
  instance.body = from_json<ContainerInstance>(machine.body_json);
  instance.gpus = from_json<shapes::agent::StokerGpus>(machine.gpus_json);
  if (machine.troubles_json) instance.health = from_json<shapes::agent::StokerHealth>(*machine.troubles_json);
  static_cast<state::Machine&>(instance) = std::move(machine);
  return instance;
}

std::optional<StoredInstance> load_instance(store::Tx& tx, const model::InstanceId& id) {
  auto machine = state::find_machine(tx, id);
  if (!machine) return std::nullopt;
  return to_instance(std::move(*machine));
}

std::vector<StoredInstance> load_instances(store::Tx& tx, state::ClusterNumber cluster) {
  std::vector<StoredInstance> instances;
  for (state::Machine& machine : state::list_machines(tx, cluster)) {
    instances.push_back(to_instance(std::move(machine)));
  }
  return instances;
}

void insert_instance(store::Tx& tx, StoredInstance& instance) {
  instance.body_json = to_json(instance.body);
  instance.gpus_json = to_json(instance.gpus);
  state::insert_machine(tx, instance);
}

void update_instance(store::Tx& tx, StoredInstance& instance) {
  instance.body_json = to_json(instance.body);
  instance.gpus_json = to_json(instance.gpus);
  instance.troubles_json.reset();
  if (!instance.health.troubles.empty()) instance.troubles_json = to_json(instance.health);
  state::update_machine(tx, instance);
}

scheduler::Machine machine_of(store::Tx& tx, const StoredInstance& instance) {
  scheduler::Machine machine(instance.for_scheduler());
  for (model::TaskHold& hold : state::list_holds(tx, instance.id)) machine.add(std::move(hold));
  return machine;
}

ContainerInstance shown(store::Tx& tx, const state::Cluster& cluster, const StoredInstance& instance,
                        const InstanceFields& fields) {
  const scheduler::Machine machine = machine_of(tx, instance);
  ContainerInstance out = instance.body;
  out.containerInstanceArn = instance_arn(cluster, instance.id);
  out.ec2InstanceId = instance.name;
  out.version = instance.version;
  out.status = model::text(instance.status);
  out.agentConnected = instance.connected;
  out.registeredAt = instance.registered_at;
  out.remainingResources = remaining(machine);
  out.runningTasksCount = static_cast<std::int32_t>(
      std::count_if(machine.tasks().begin(), machine.tasks().end(), [](const auto& task) { return task.running; }));
  out.pendingTasksCount = static_cast<std::int32_t>(machine.tasks().size()) - *out.runningTasksCount;
  out.attachments.emplace();
  if (!machine.instance().total.gpus.empty()) out.gpuDevices = gpu_devices(machine);
  if (!fields.tags) out.tags.emplace();
  if (fields.health) out.healthStatus = health_of(instance);
  return out;
}

}  // namespace services::ecs
