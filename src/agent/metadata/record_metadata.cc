// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/record_metadata.h"

#include <boost/json/parse.hpp>

#include "wire/json.h"

namespace agent {
namespace json = boost::json;
namespace {

// Parses one of a container's engine settings, which arrive as JSON in strings. Empty where absent or
// invalid.
json::object engine_settings(const std::optional<std::string>& text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = wire::kMaxJsonDepth;
  json::value value = json::parse(text.value_or("{}"), error, {}, options);
  return error || !value.is_object() ? json::object() : value.as_object();
}

std::map<std::string, std::string> strings_of(const json::value* value) {
  std::map<std::string, std::string> strings;
  if (!value || !value->is_object()) return strings;
  for (const auto& [name, text] : value->as_object()) {
    if (text.is_string()) strings[std::string(name)] = std::string(text.as_string());
  }
  return strings;
}

void add_log_settings(const shapes::agent::Container& container, ContainerMetadata& metadata) {
  const json::object host = engine_settings(container.dockerConfig.hostConfig);
  const json::value* log = host.if_contains("LogConfig");
  if (!log || !log->is_object()) return;
  const json::value* type = log->as_object().if_contains("Type");
  if (type && type->is_string()) metadata.log_driver = std::string(type->as_string());
  metadata.log_options = strings_of(log->as_object().if_contains("Config"));
}

ContainerMetadata container_metadata(const TaskRecord& task, std::size_t index) {
  const shapes::agent::Container& container = task.task.containers[index];
  const ContainerRecord& record = task.containers[index];
  ContainerMetadata metadata;
  metadata.endpoint_id = record.endpointId;
  metadata.docker_id = record.id;
  metadata.name = container.name;
  metadata.docker_name = "ecs-" + task.task.family + "-" + task.task.version + "-" + container.name;
  metadata.image = container.image;
  metadata.image_id = record.imageId.value_or(record.imageDigest.value_or(""));
  metadata.labels = strings_of(engine_settings(container.dockerConfig.config).if_contains("Labels"));
  metadata.desired_status = task.desired;
  metadata.known_status = record.status;
  metadata.cpu_units = container.cpu;
  metadata.memory_mib = container.memory;
  metadata.created_at = record.createdAt;
  metadata.started_at = record.startedAt;
  metadata.finished_at = record.finishedAt;
  metadata.exit_code = record.exitCode;
  metadata.health = record.health;
  metadata.container_arn = container.containerArn;
  add_log_settings(container, metadata);
  metadata.network_mode = task.task.networkMode.value_or("bridge");
  if (!record.address.empty()) metadata.ipv4_addresses = {record.address};
  for (const auto& binding : record.bindings) {
    metadata.ports.push_back({.container_port = binding.containerPort.value_or(0),
                              .host_port = binding.hostPort.value_or(0),
                              .protocol = binding.protocol.value_or("tcp"),
                              .host_ip = binding.bindIP.value_or("")});
  }
  return metadata;
}

}  // namespace

TaskMetadata metadata_of(const TaskRecord& record, const std::string& availability_zone) {
  TaskMetadata metadata;
  metadata.cluster = record.task.taskClusterArn;
  metadata.arn = record.task.arn;
  metadata.family = record.task.family;
  metadata.revision = record.task.version;
  metadata.service_name = record.task.serviceName.value_or("");
  metadata.desired_status = record.desired;
  metadata.known_status = known_status(record);
  metadata.cpu = record.task.cpu;
  metadata.memory_mib = record.task.memory;
  metadata.pull_started_at = record.pullStartedAt;
  metadata.pull_stopped_at = record.pullStoppedAt;
  metadata.execution_stopped_at = record.executionStoppedAt;
  metadata.availability_zone = availability_zone;
  metadata.launch_type = record.task.launchType;
  for (std::size_t i = 0; i < record.containers.size(); ++i)
    metadata.containers.push_back(container_metadata(record, i));
  return metadata;
}

std::string network_mode_of(const TaskRecord& record, bool processes) {
  return processes ? "host" : record.task.networkMode.value_or("bridge");
}

}  // namespace agent
