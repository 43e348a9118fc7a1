// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_abilities.h"

#include <boost/json/array.hpp>

#include "agent/drivers/docker_api.h"

namespace agent::drivers {
namespace {

namespace json = boost::json;

constexpr int kFirstMinor = 17;  // the first with an ECS attribute
constexpr std::string_view kCapability = "com.amazonaws.ecs.capability.";
constexpr std::string_view kFeature = "ecs.capability.";

// Implemented by the agent, for every engine.
constexpr std::string_view kAgentAttributes[] = {
    "com.amazonaws.ecs.capability.privileged-container",
    "com.amazonaws.ecs.capability.task-iam-role",
    "com.amazonaws.ecs.capability.task-iam-role-network-host",
    "ecs.capability.container-health-check",
    "ecs.capability.container-ordering",
    "ecs.capability.container-restart-policy",
    "ecs.capability.network.container-port-range",
    "ecs.capability.env-files.s3",
    "ecs.capability.execute-command",
    "ecs.capability.execution-role-awslogs",
    "stoker.exec",
};

void add_list(const json::value* list, std::string_view prefix, std::vector<std::string>& out) {
  if (!list || !list->is_array()) return;
  for (const json::value& name : list->get_array()) {
    if (name.is_string()) out.push_back(std::string(prefix) + std::string(name.get_string()));
  }
}

void add_logging(const json::value& info, std::vector<std::string>& out) {
  const std::string prefix = std::string(kCapability) + "logging-driver.";
  std::vector<std::string> drivers = {prefix + "none", prefix + "awslogs"};  // the agent implements awslogs
  add_list(find(info, {"Plugins", "Log"}), prefix, drivers);
  if (drivers.size() == 2) drivers.push_back(prefix + "json-file");  // Podman accepts it but does not list it
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    if (i < 2 || drivers[i] != prefix + "awslogs") out.push_back(drivers[i]);
  }
}

// "name=apparmor", "name=seccomp,profile=default"
void add_security(const json::value& info, std::vector<std::string>& out) {
  const json::value* options = find(info, {"SecurityOptions"});
  if (!options || !options->is_array()) return;
  for (const json::value& option : options->get_array()) {
    const std::string text = option.is_string() ? std::string(option.get_string()) : "";
    for (const std::string name : {"apparmor", "selinux"}) {
      if (text.starts_with("name=" + name)) out.push_back(std::string(kCapability) + name);
    }
  }
}

}  // namespace

EngineFacts facts_of(const json::value& version, const json::value& info) {
  EngineFacts facts;
  facts.api_minor = api_minor(text_at(version, {"ApiVersion"}));
  facts.architecture = text_at(version, {"Arch"});
  facts.cpus = number_at(info, {"NCPU"});
  facts.nvidia_runtime = find(info, {"Runtimes", "nvidia"}) != nullptr;
  facts.systemd_cgroups = text_at(info, {"CgroupDriver"}) == "systemd";
  return facts;
}

Abilities abilities_of(const json::value& version, const json::value& info) {
  Abilities abilities;
  abilities.name = "docker";
  abilities.version = text_at(version, {"Version"});
  abilities.storage_folder = text_at(info, {"DockerRootDir"});
  std::vector<std::string>& out = abilities.attributes;
  const EngineFacts facts = facts_of(version, info);
  for (int minor = kFirstMinor; minor <= facts.api_minor; ++minor) {
    out.push_back(std::string(kCapability) + "docker-remote-api.1." + std::to_string(minor));
  }
  add_logging(info, out);
  out.insert(out.end(), std::begin(kAgentAttributes), std::end(kAgentAttributes));
  add_security(info, out);
  add_list(find(info, {"Plugins", "Volume"}), std::string(kFeature) + "docker-plugin.", out);
  // Both need the holder of a task's namespaces, which is tested on amd64 only.
  if (facts.architecture == "amd64") {
    out.push_back(std::string(kFeature) + "task-eni");
    out.push_back(std::string(kFeature) + "pid-ipc-namespace-sharing");
  }
  return abilities;
}

}  // namespace agent::drivers
