// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_volumes.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>

#include "agent/drivers/docker_create.h"
#include "base/bytes.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using shapes::agent::DockerVolume;
using shapes::agent::Volume;
using Volumes = std::map<std::string, std::string>;

json::object text_object(const std::optional<std::map<std::string, std::string>>& map) {
  json::object object;
  if (map) {
    for (const auto& [key, value] : *map) object[key] = value;
  }
  return object;
}

const Volume* find_volume(const shapes::agent::Task& task, const std::string& name) {
  for (const Volume& volume : task.volumes) {
    if (volume.name == name) return &volume;
  }
  return nullptr;
}

// A folder for this task only: mode 0755, owned by root, as on Fargate.
base::Result<std::string> create_volume_folder(const ContainerSpec& spec, const std::string& volume) {
  const std::filesystem::path folder = std::filesystem::path(spec.work_folder) / "volumes" / name_part(volume);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return base::Error{"CannotCreateVolumeError: " + folder.string() + ": " + error.message()};
  return folder.string();
}

std::string task_volume_name(const shapes::agent::Task& task, const std::string& volume) {
  return "ecs-" + task.family + "-" + task.version + "-" + volume + "-" + task_id(task.arn);
}

json::object volume_body(const shapes::agent::Task& task, const DockerVolume& docker, const std::string& name,
                         const std::string& agent_name) {
  json::object labels = text_object(docker.labels);
  // A shared volume has no labels, so that it is not removed with the task.
  if (docker.scope.value_or("task") == "task") {
    for (auto& [key, value] : task_labels(task, agent_name)) labels[key] = value;
  }
  return {{"Name", name},
          {"Driver", docker.driver.value_or("local")},
          {"DriverOpts", text_object(docker.driverOpts)},
          {"Labels", std::move(labels)}};
}

std::vector<std::string> names_in(const json::value& reply) {
  std::vector<std::string> names;
  const json::value* list = find(reply, {"Volumes"});
  if (!list || !list->is_array()) return names;
  for (const json::value& volume : list->get_array()) names.push_back(text_at(volume, {"Name"}));
  return names;
}

asio::awaitable<base::Result<std::string>> ensure_docker_volume(DockerApi& api, const ContainerSpec& spec,
                                                                const Volume& volume, std::string agent_name) {
  const DockerVolume docker = volume.dockerVolumeConfiguration.value_or(DockerVolume());
  const bool shared = docker.scope.value_or("task") == "shared";
  const std::string name = shared ? volume.name : task_volume_name(spec.task, volume.name);
  if (shared) {
    const std::string target = "/volumes/" + base::percent_encode(name);
    EngineReply existing = co_await api.get(target);
    if (existing.ok()) co_return name;
    const bool create = existing.not_found() && docker.autoprovision.value_or(false);
    if (!create) co_return base::Error{"CannotCreateVolumeError: " + existing.message()};
  }
  std::string body = json::serialize(volume_body(spec.task, docker, name, agent_name));
  EngineReply made = co_await api.post("/volumes/create", std::move(body));
  if (!made.ok()) co_return base::Error{"CannotCreateVolumeError: " + made.message()};
  co_return name;
}

asio::awaitable<base::Result<std::string>> ensure_volume(DockerApi& api, const ContainerSpec& spec,
                                                         const Volume& volume, std::string agent_name) {
  if (volume.dockerVolumeConfiguration || volume.type.value_or("host") == "docker") {
    base::Result<std::string> name = co_await ensure_docker_volume(api, spec, volume, std::move(agent_name));
    co_return name;
  }
  if (volume.host && volume.host->sourcePath) co_return *volume.host->sourcePath;
  co_return create_volume_folder(spec, volume.name);
}

}  // namespace

asio::awaitable<base::Result<Volumes>> ensure_volumes(DockerApi& api, ContainerSpec spec, std::string agent_name) {
  Volumes volumes;
  for (const shapes::agent::MountPoint& mount : spec.container.mountPoints) {
    const Volume* volume = find_volume(spec.task, mount.sourceVolume);
    if (!volume || volumes.contains(mount.sourceVolume)) continue;
    base::Result<std::string> source = co_await ensure_volume(api, spec, *volume, agent_name);
    if (!source) co_return base::Error{source.error()};
    volumes[mount.sourceVolume] = std::move(*source);
  }
  co_return volumes;
}

asio::awaitable<base::Result<Nothing>> remove_volumes(DockerApi& api, std::string task_arn, std::string agent_name) {
  std::vector<std::string> labels;
  labels.push_back(labelled(kAgentLabel, agent_name));
  labels.push_back(labelled(kTaskLabel, task_arn));
  const std::string target = "/volumes?" + label_query(labels);
  EngineReply listed = co_await api.get(target);
  if (!listed.ok()) co_return base::Error{listed.message()};
  std::string error;
  for (const std::string& name : names_in(listed.json())) {
    const std::string volume = "/volumes/" + base::percent_encode(name);
    EngineReply removed = co_await api.remove(volume);
    if (!removed.ok() && !removed.not_found()) error = removed.message();
  }
  if (!error.empty()) co_return base::Error{error};
  co_return Nothing{};
}

}  // namespace agent::drivers
