// SPDX-License-Identifier: Apache-2.0
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "services/ecs/tasks/payload.h"

namespace services::ecs {
namespace {

namespace json = boost::json;
using shapes::ecs::ContainerDefinition;
using shapes::ecs::Device;
using shapes::ecs::HealthCheck;
using shapes::ecs::HostEntry;
using shapes::ecs::LinuxParameters;
using shapes::ecs::SystemControl;
using shapes::ecs::Tmpfs;
using shapes::ecs::Ulimit;

constexpr std::int64_t kMiB = 1024 * 1024;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr const char* kDefaultLogBuffer = "10m";  // Amazon's since June 2025

json::array texts(const std::vector<std::string>& list) {
  json::array out;
  for (const std::string& text : list) out.emplace_back(text);
  return out;
}

json::object pairs(const std::map<std::string, std::string>& map) {
  json::object out;
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

json::object health_check(const HealthCheck& check) {
  auto nanoseconds = [](const std::optional<std::int32_t>& seconds, std::int32_t otherwise) {
    return seconds.value_or(otherwise) * kNanosecondsPerSecond;
  };
  // Amazon's defaults.
  return {{"Test", texts(check.command)},
          {"Interval", nanoseconds(check.interval, 30)},
          {"Timeout", nanoseconds(check.timeout, 5)},
          {"Retries", check.retries.value_or(3)},
          {"StartPeriod", nanoseconds(check.startPeriod, 0)}};
}

json::object config_of(const ContainerDefinition& container) {
  json::object out;
  if (container.user) out["User"] = *container.user;
  if (container.workingDirectory) out["WorkingDir"] = *container.workingDirectory;
  if (container.hostname) out["Hostname"] = *container.hostname;
  if (container.healthCheck) out["Healthcheck"] = health_check(*container.healthCheck);
  if (container.dockerLabels) out["Labels"] = pairs(*container.dockerLabels);
  if (container.pseudoTerminal) out["Tty"] = *container.pseudoTerminal;
  if (container.interactive) out["OpenStdin"] = *container.interactive;
  // So that the command of `echo x | stoker run -i` reads an end of input. On a terminal, that is a key.
  if (container.interactive.value_or(false) && !container.pseudoTerminal.value_or(false)) out["StdinOnce"] = true;
  if (container.disableNetworking) out["NetworkDisabled"] = *container.disableNetworking;
  return out;
}

json::object device_of(const Device& device) {
  std::string permissions;
  for (const std::string& permission : list_of(device.permissions)) permissions += permission.front();
  return {{"PathOnHost", device.hostPath},
          {"PathInContainer", device.containerPath.value_or(device.hostPath)},
          {"CgroupPermissions", permissions.empty() ? "rwm" : permissions}};
}

std::string tmpfs_options(const Tmpfs& tmpfs) {
  std::string options = "size=" + std::to_string(tmpfs.size) + "m";
  for (const std::string& option : list_of(tmpfs.mountOptions)) options += "," + option;
  return options;
}

void add_linux(json::object& out, const LinuxParameters& linux, std::int64_t memory_mib) {
  if (linux.capabilities) {
    out["CapAdd"] = texts(list_of(linux.capabilities->add));
    out["CapDrop"] = texts(list_of(linux.capabilities->drop));
  }
  json::array devices;
  for (const Device& device : list_of(linux.devices)) devices.push_back(device_of(device));
  if (!devices.empty()) out["Devices"] = std::move(devices);
  if (linux.initProcessEnabled) out["Init"] = *linux.initProcessEnabled;
  if (linux.sharedMemorySize) out["ShmSize"] = *linux.sharedMemorySize * kMiB;
  json::object tmpfs;
  for (const Tmpfs& one : list_of(linux.tmpfs)) tmpfs[one.containerPath] = tmpfs_options(one);
  if (!tmpfs.empty()) out["Tmpfs"] = std::move(tmpfs);
  // Docker's MemorySwap is memory and swap together.
  if (linux.maxSwap) out["MemorySwap"] = (*linux.maxSwap + memory_mib) * kMiB;
  if (linux.swappiness) out["MemorySwappiness"] = *linux.swappiness;
}

// The agent gets Docker's options: a stream in place of its prefix, and the mode that applies.
json::object log_config(const ContainerDefinition& container, const PayloadDefaults& defaults) {
  std::map<std::string, std::string> options = list_of(container.logConfiguration->options);
  if (container.logConfiguration->logDriver == "awslogs") {
    if (const auto prefix = options.extract("awslogs-stream-prefix")) {
      options["awslogs-stream"] = prefix.mapped() + "/" + *container.name + "/" + defaults.task_id;
    }
    const bool buffered = options.emplace("mode", defaults.log_mode).first->second == "non-blocking";
    if (buffered) options.emplace("max-buffer-size", kDefaultLogBuffer);
    if (!buffered) options.erase("max-buffer-size");
    if (defaults.endpoint) options["awslogs-endpoint"] = *defaults.endpoint;
  }
  return {{"Type", container.logConfiguration->logDriver}, {"Config", pairs(options)}};
}

json::object host_config_of(const ContainerDefinition& container, const PayloadDefaults& defaults) {
  json::object out;
  if (container.logConfiguration) out["LogConfig"] = log_config(container, defaults);
  json::array ulimits;
  for (const Ulimit& limit : list_of(container.ulimits)) {
    ulimits.push_back(json::object{{"Name", limit.name}, {"Soft", limit.softLimit}, {"Hard", limit.hardLimit}});
  }
  if (!ulimits.empty()) out["Ulimits"] = std::move(ulimits);
  if (container.readonlyRootFilesystem) out["ReadonlyRootfs"] = *container.readonlyRootFilesystem;
  if (container.dnsServers) out["Dns"] = texts(*container.dnsServers);
  if (container.dnsSearchDomains) out["DnsSearch"] = texts(*container.dnsSearchDomains);
  json::array hosts;
  for (const HostEntry& host : list_of(container.extraHosts)) {
    hosts.emplace_back(host.hostname + ":" + host.ipAddress);
  }
  if (!hosts.empty()) out["ExtraHosts"] = std::move(hosts);
  if (container.dockerSecurityOptions) out["SecurityOpt"] = texts(*container.dockerSecurityOptions);
  json::object sysctls;
  for (const SystemControl& control : list_of(container.systemControls)) {
    sysctls[control.namespace_.value_or("")] = control.value.value_or("");
  }
  if (!sysctls.empty()) out["Sysctls"] = std::move(sysctls);
  if (container.linuxParameters) add_linux(out, *container.linuxParameters, container.memory.value_or(0));
  return out;
}

}  // namespace

shapes::agent::DockerConfig docker_config(const ContainerDefinition& container,
                                          const std::optional<std::int32_t>& memory_reservation,
                                          const PayloadDefaults& defaults, const std::string& network_mode) {
  json::object host_config = host_config_of(container, defaults);
  // Amazon's agent reads these two only here.
  if (network_mode == "host" || network_mode == "none") host_config["NetworkMode"] = network_mode;
  if (container.privileged) host_config["Privileged"] = *container.privileged;
  if (memory_reservation) host_config["MemoryReservation"] = *memory_reservation * kMiB;
  shapes::agent::DockerConfig out;
  out.version = "1.24";
  out.config = json::serialize(config_of(container));
  out.hostConfig = json::serialize(host_config);
  return out;
}

}  // namespace services::ecs
