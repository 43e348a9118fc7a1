// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_create.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <cctype>

#include "agent/drivers/docker_gpus.h"
#include "agent/drivers/docker_ports.h"
#include "base/bytes.h"
#include "base/random.h"

namespace agent::drivers {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMinCpuShares = 2;  // Linux's minimum; ECS raises 0 and 1 to it
constexpr std::int64_t kMiB = 1024 * 1024;

base::Result<json::object> parse_object(const std::optional<std::string>& text, std::string_view what) {
  if (!text || text->empty()) return json::object();
  boost::system::error_code error;
  json::value value = json::parse(*text, error);
  if (error || !value.is_object()) return base::Error{"dockerConfig." + std::string(what) + " is not a JSON object"};
  return std::move(value.get_object());
}

json::array to_array(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

std::map<std::string, std::string> environment_of(const json::object& config, const ContainerSpec& spec) {
  std::map<std::string, std::string> environment;
  const json::value* base = config.if_contains("Env");
  if (base && base->is_array()) {
    for (const json::value& entry : base->get_array()) {
      if (!entry.is_string()) continue;
      const std::string text(entry.get_string());
      const std::size_t equals = text.find('=');
      environment[text.substr(0, equals)] = equals == text.npos ? "" : text.substr(equals + 1);
    }
  }
  for (const auto& [name, value] : spec.container.environment) environment[name] = value;
  return environment;
}

// The limits of a task apply to all its containers together by their parent cgroup, and to each of them, for an engine
// whose cgroups the agent can't reach.
void add_limits(const ContainerSpec& spec, const TaskParts& parts, const EngineFacts& facts, json::object& host) {
  if (!parts.cgroup_parent.empty()) host["CgroupParent"] = parts.cgroup_parent;
  host["CpuShares"] = std::max(spec.container.cpu, kMinCpuShares);
  const std::int64_t memory = spec.container.memory > 0 ? spec.container.memory : spec.task.memory.value_or(0);
  if (memory > 0) host["Memory"] = memory * kMiB;
  const double cpus = std::min(spec.task.cpu.value_or(0), double(facts.cpus));
  if (cpus > 0 && !host.contains("NanoCpus")) host["NanoCpus"] = std::int64_t(cpus * 1e9);
}

// The agent reads the output from the engine and keeps it. With "awslogs" the engine would send it
// to Amazon.
void add_log(json::object& host) {
  const json::value* given = host.if_contains("LogConfig");
  const json::value* type = given && given->is_object() ? given->get_object().if_contains("Type") : nullptr;
  const std::string driver = type && type->is_string() ? std::string(type->get_string()) : "";
  if (driver == "json-file") {
    json::value& settings = host["LogConfig"].get_object()["Config"];
    if (!settings.is_object()) settings = json::object();
    if (!settings.get_object().contains("max-size")) settings.get_object()["max-size"] = "10m";
  } else if (driver.empty() || driver == "awslogs") {
    json::object settings = {{"max-size", "10m"}, {"max-file", "2"}};
    host["LogConfig"] = json::object{{"Type", "json-file"}, {"Config", std::move(settings)}};
  }
}

// "db:alias" -> "<id>:alias"
base::Result<json::array> links_of(const ContainerSpec& spec, const TaskParts& parts) {
  json::array links;
  for (const std::string& link : spec.container.links) {
    const std::string name = link.substr(0, link.find(':'));
    const auto found = parts.containers.find(name);
    if (found == parts.containers.end()) return base::Error{"link to '" + name + "', which has not been created"};
    const std::string alias = name.size() < link.size() ? link.substr(name.size() + 1) : name;
    links.emplace_back(found->second + ":" + alias);
  }
  return links;
}

base::Result<Nothing> add_mounts(const ContainerSpec& spec, const TaskParts& parts, json::object& host) {
  json::value& binds = host["Binds"];
  if (!binds.is_array()) binds = json::array();
  for (const shapes::agent::MountPoint& mount : spec.container.mountPoints) {
    const auto found = parts.volumes.find(mount.sourceVolume);
    if (found == parts.volumes.end()) return base::Error{"unknown volume '" + mount.sourceVolume + "'"};
    const std::string mode = mount.readOnly.value_or(false) ? ":ro" : "";
    binds.get_array().emplace_back(found->second + ":" + mount.containerPath + mode);
  }
  json::array from;
  for (const shapes::agent::VolumeFrom& source : spec.container.volumesFrom) {
    const auto found = parts.containers.find(source.sourceContainer);
    if (found == parts.containers.end()) {
      return base::Error{"volumes from '" + source.sourceContainer + "', which has not been created"};
    }
    from.emplace_back(found->second + (source.readOnly.value_or(false) ? ":ro" : ":rw"));
  }
  if (!from.empty()) host["VolumesFrom"] = std::move(from);
  return Nothing{};
}

base::Result<Nothing> add_worker(const ContainerSpec& spec, const WorkerPrograms& programs,
                                 std::map<std::string, std::string>& environment, json::object& host) {
  if (!is_worker(spec.container.dockerConfig.config)) return Nothing{};
  if (programs.worker.empty()) {
    return base::Error{"the container has the label stoker.worker, and this machine has no stoker-work beside " +
                       programs.stoker};
  }
  host["Binds"].get_array().emplace_back(programs.worker + ":" + std::string(kWorkerPath) + ":ro");
  environment.try_emplace("STOKER_MACHINE", programs.machine);
  return Nothing{};
}

// Removes the network's settings: the holder has them.
void drop_network_settings(json::object& host) {
  for (std::string_view name : kNetworkSettings) host.erase(name);
  json::value* sysctls = host.if_contains("Sysctls");
  if (!sysctls || !sysctls->is_object()) return;
  json::object kept;
  for (auto& [name, value] : sysctls->get_object()) {
    if (!std::string_view(name).starts_with("net.")) kept[name] = value;
  }
  *sysctls = std::move(kept);
}

// Puts the container into the task's namespaces.
base::Result<Nothing> add_namespaces(const ContainerSpec& spec, const TaskParts& parts, json::object& config,
                                     json::object& host) {
  const std::string mode = spec.task.networkMode.value_or("bridge");
  const std::string shared = "container:" + parts.holder;
  if (spec.task.pidMode) host["PidMode"] = *spec.task.pidMode == "task" ? shared : *spec.task.pidMode;
  if (spec.task.ipcMode) host["IpcMode"] = *spec.task.ipcMode == "task" ? shared : *spec.task.ipcMode;
  host["NetworkMode"] = mode == "awsvpc" ? shared : mode;
  if (mode == "awsvpc") drop_network_settings(host);
  if (mode == "awsvpc" || mode == "none") return Nothing{};  // no port is bound on the host
  return add_ports(spec.container.portMappings, config, host);
}

void add_labels(const ContainerSpec& spec, const TaskParts& parts, const std::string& agent_name,
                json::object& config) {
  json::value& labels = config["Labels"];
  if (!labels.is_object()) labels = json::object();
  for (auto& [key, value] : task_labels(spec.task, agent_name)) labels.get_object()[key] = value;
  labels.get_object()[kContainerLabel] = spec.container.name;
  labels.get_object()[kLogFileLabel] = spec.log_file;
  if (!parts.holder.empty()) labels.get_object()[kHolderLabel] = parts.holder;
}

}  // namespace

std::string task_id(const std::string& task_arn) { return task_arn.substr(task_arn.rfind('/') + 1); }

std::string name_part(std::string text) {
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '-';
  }
  return text;
}

std::string container_name(const ContainerSpec& spec) {
  return "ecs-" + name_part(spec.task.family) + "-" + name_part(spec.task.version) + "-" +
         name_part(spec.container.name) + "-" + base::to_hex(base::random_bytes(10));
}

std::string labelled(std::string_view label, const std::string& value) { return std::string(label) + "=" + value; }

json::object task_labels(const shapes::agent::Task& task, const std::string& agent_name) {
  return {{kClusterLabel, task_id(task.taskClusterArn)},
          {kTaskLabel, task.arn},
          {kFamilyLabel, task.family},
          {kVersionLabel, task.version},
          {kAgentLabel, agent_name}};
}

base::Result<json::object> create_body(const ContainerSpec& spec, const TaskParts& parts, const DockerOptions& options,
                                       const EngineFacts& facts) {
  auto config = parse_object(spec.container.dockerConfig.config, "config");
  if (!config) return config;
  auto host = parse_object(spec.container.dockerConfig.hostConfig, "hostConfig");
  if (!host) return host;

  (*config)["Image"] = spec.container.image;
  if (spec.container.command) (*config)["Cmd"] = to_array(*spec.container.command);
  if (spec.container.entryPoint) (*config)["Entrypoint"] = to_array(*spec.container.entryPoint);
  add_labels(spec, parts, options.agent_name, *config);

  // The agent restarts and removes containers. An engine that did so would run a container that is
  // reported as ended, or lose its exit code.
  host->erase("RestartPolicy");
  host->erase("AutoRemove");
  if (spec.container.privileged) (*host)["Privileged"] = *spec.container.privileged;
  add_limits(spec, parts, facts, *host);
  add_log(*host);
  auto links = links_of(spec, parts);
  if (!links) return base::Error{links.error()};
  if (!links->empty()) (*host)["Links"] = std::move(*links);
  if (auto done = add_mounts(spec, parts, *host); !done) return base::Error{done.error()};
  if (auto done = add_namespaces(spec, parts, *config, *host); !done) return base::Error{done.error()};

  auto environment = environment_of(*config, spec);
  if (auto done = add_worker(spec, options.programs, environment, *host); !done) return base::Error{done.error()};
  add_gpus(spec, options, facts, environment, *host);  // last, so that nothing overrides it
  json::array list;
  for (const auto& [name, value] : environment) list.emplace_back(name + "=" + value);
  (*config)["Env"] = std::move(list);
  (*config)["HostConfig"] = std::move(*host);
  return config;
}

}  // namespace agent::drivers
