// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/metadata_json.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <thread>

#include "wire/timestamp.h"

namespace agent {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMib = 1024 * 1024;

void put(json::object& out, std::string_view name, const std::string& value) {
  if (!value.empty()) out[name] = value;
}

void put(json::object& out, std::string_view name, const std::optional<base::Time>& value) {
  if (value) out[name] = wire::to_iso8601(*value, true);
}

void put(json::object& out, std::string_view name, const std::map<std::string, std::string>& values) {
  if (values.empty()) return;
  json::object map;
  for (const auto& [key, value] : values) map[key] = value;
  out[name] = std::move(map);
}

json::array ports_json(const std::vector<ContainerMetadata::Port>& ports) {
  json::array out;
  for (const ContainerMetadata::Port& port : ports) {
    json::object one;
    one["ContainerPort"] = port.container_port;
    one["Protocol"] = port.protocol;
    if (port.host_port != 0) one["HostPort"] = port.host_port;
    put(one, "HostIp", port.host_ip);
    out.push_back(std::move(one));
  }
  return out;
}

json::object network_json(const ContainerMetadata& container) {
  json::object network;
  network["NetworkMode"] = container.network_mode;
  json::array addresses;
  for (const std::string& address : container.ipv4_addresses) addresses.emplace_back(address);
  network["IPv4Addresses"] = std::move(addresses);
  return network;
}

// The part of Docker's stats that appears twice: for this measurement and for the previous one.
json::object cpu_json(std::int64_t used_ns, base::Time at) {
  std::int64_t cpus = std::max(1u, std::thread::hardware_concurrency());
  json::object usage;
  usage["total_usage"] = used_ns;
  json::object cpu;
  cpu["cpu_usage"] = std::move(usage);
  // The time that all CPUs offered until then: only differences are meaningful.
  cpu["system_cpu_usage"] = base::to_millis(at) * kNanosPerMilli * cpus;
  cpu["online_cpus"] = cpus;
  return cpu;
}

}  // namespace

http::Response json_response(int status, const json::value& body) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = json::serialize(body)};
}

json::object container_json(const ContainerMetadata& container) {
  json::object out;
  out["DockerId"] = container.docker_id;
  out["Name"] = container.name;
  out["DockerName"] = container.docker_name;
  out["Image"] = container.image;
  out["ImageID"] = container.image_id;
  if (!container.ports.empty()) out["Ports"] = ports_json(container.ports);
  put(out, "Labels", container.labels);
  out["DesiredStatus"] = container.desired_status;
  out["KnownStatus"] = container.known_status;
  if (container.exit_code) out["ExitCode"] = *container.exit_code;
  json::object limits;
  limits["CPU"] = container.cpu_units;
  limits["Memory"] = container.memory_mib;
  out["Limits"] = std::move(limits);
  put(out, "CreatedAt", container.created_at);
  put(out, "StartedAt", container.started_at);
  put(out, "FinishedAt", container.finished_at);
  out["Type"] = "NORMAL";
  if (container.health) {
    json::object health;
    health["status"] = *container.health;
    out["Health"] = std::move(health);
  }
  put(out, "LogDriver", container.log_driver);
  put(out, "LogOptions", container.log_options);
  put(out, "ContainerARN", container.container_arn);
  if (!container.network_mode.empty()) {
    json::array networks;
    networks.push_back(network_json(container));
    out["Networks"] = std::move(networks);
  }
  return out;
}

json::object task_json(const TaskMetadata& task) {
  json::object out;
  out["Cluster"] = task.cluster;
  out["TaskARN"] = task.arn;
  out["Family"] = task.family;
  out["Revision"] = task.revision;
  put(out, "ServiceName", task.service_name);
  out["DesiredStatus"] = task.desired_status;
  out["KnownStatus"] = task.known_status;
  if (task.cpu || task.memory_mib) {
    json::object limits;
    if (task.cpu) limits["CPU"] = *task.cpu;
    if (task.memory_mib) limits["Memory"] = *task.memory_mib;
    out["Limits"] = std::move(limits);
  }
  put(out, "PullStartedAt", task.pull_started_at);
  put(out, "PullStoppedAt", task.pull_stopped_at);
  put(out, "ExecutionStoppedAt", task.execution_stopped_at);
  put(out, "AvailabilityZone", task.availability_zone);
  put(out, "LaunchType", task.launch_type);
  json::array containers;
  for (const ContainerMetadata& container : task.containers) containers.push_back(container_json(container));
  out["Containers"] = std::move(containers);
  return out;
}

json::object stats_json(const ContainerMetadata& container, const ContainerStats& stats) {
  json::object out;
  out["read"] = wire::to_iso8601(stats.now.at, true);
  out["preread"] = wire::to_iso8601(stats.before.at, true);
  out["name"] = "/" + container.docker_name;
  out["id"] = container.docker_id;
  out["cpu_stats"] = cpu_json(stats.cpu_now_ns, stats.now.at);
  out["precpu_stats"] = cpu_json(stats.cpu_before_ns, stats.before.at);
  json::object memory;
  memory["usage"] = stats.now.memory_bytes;
  if (container.memory_mib > 0) memory["limit"] = container.memory_mib * kMib;
  out["memory_stats"] = std::move(memory);
  return out;
}

}  // namespace agent
