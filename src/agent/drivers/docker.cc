// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker.h"

#include <boost/json/serialize.hpp>

#include "agent/drivers/docker_abilities.h"
#include "agent/drivers/docker_driver.h"
#include "agent/drivers/docker_holder.h"
#include "agent/drivers/docker_volumes.h"
#include "base/bytes.h"

namespace agent::drivers {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr base::Duration kRemovedLogTimeout = std::chrono::seconds(5);  // for the last output of a removed container

base::Result<std::unique_ptr<Driver>> open_docker(http::IoThreads& io, DockerOptions options) {
  if (options.socket.empty()) options.socket = default_socket();
  auto api = std::make_shared<DockerApi>(io, options.socket);
  auto connected = api->connect();
  if (!connected) return base::Error{connected.error()};
  return std::unique_ptr<Driver>(std::make_unique<DockerDriver>(std::move(api), std::move(options)));
}

DockerDriver::DockerDriver(std::shared_ptr<DockerApi> api, DockerOptions options)
    : api_(std::move(api)),
      options_(std::move(options)),
      facts_(facts_of(api_->version(), api_->info())),
      abilities_(abilities_of(api_->version(), api_->info())),
      logs_(api_),
      cgroups_(options_.agent_name, facts_.systemd_cgroups ? CgroupDriver::Systemd : CgroupDriver::Paths),
      pulled_(options_.pulled_images_file) {}

asio::awaitable<base::Result<std::vector<Found>>> DockerDriver::list_where(std::vector<std::string> labels) {
  labels.push_back(labelled(kAgentLabel, options_.agent_name));
  const std::string target = "/containers/json?all=1&" + label_query(labels);
  EngineReply reply = co_await api_->get(target);
  if (!reply.ok()) co_return base::Error{reply.message()};
  co_return found_in(reply.json());
}

asio::awaitable<base::Result<std::vector<Found>>> DockerDriver::list() {
  std::vector<std::string> any_task;
  any_task.emplace_back(kTaskLabel);
  base::Result<std::vector<Found>> found = co_await list_where(std::move(any_task));
  co_return found;
}

// Creates what the container needs from its task, where missing. Errors are complete ECS reasons.
asio::awaitable<base::Result<TaskParts>> DockerDriver::prepare(const ContainerSpec& spec) {
  TaskParts parts;
  if (!spec.container.links.empty() || !spec.container.volumesFrom.empty()) {
    std::vector<std::string> of_task;
    of_task.push_back(labelled(kTaskLabel, spec.task.arn));
    base::Result<std::vector<Found>> found = co_await list_where(std::move(of_task));
    if (!found) co_return base::Error{"CannotCreateContainerError: " + found.error()};
    for (const Found& one : *found) parts.containers[one.container] = one.id;
  }
  auto volumes = co_await ensure_volumes(*api_, spec, options_.agent_name);
  if (!volumes) co_return base::Error{volumes.error()};
  parts.volumes = std::move(*volumes);
  std::string cgroup_parent = co_await cgroups_.ensure(spec.task);
  parts.cgroup_parent = cgroup_parent;
  if (needs_holder(spec.task)) {
    HolderSettings settings;
    settings.agent_name = options_.agent_name;
    settings.architecture = facts_.architecture;
    settings.cgroup_parent = std::move(cgroup_parent);
    auto holder = co_await ensure_holder(*api_, spec.task, std::move(settings));
    if (!holder) co_return base::Error{"CannotCreateContainerError: " + holder.error()};
    parts.holder = std::move(*holder);
  }
  co_return parts;
}

asio::awaitable<base::Result<std::string>> DockerDriver::create(ContainerSpec spec) {
  base::Result<TaskParts> parts = co_await prepare(spec);
  if (!parts) co_return base::Error{parts.error()};
  base::Result<json::object> made = create_body(spec, *parts, options_, facts_);
  if (!made) co_return base::Error{"CannotCreateContainerError: " + made.error()};
  std::string body = json::serialize(*made);
  const std::string target = "/containers/create?name=" + container_name(spec);
  EngineReply reply = co_await api_->post(target, std::move(body));
  if (!reply.ok()) co_return base::Error{"CannotCreateContainerError: " + reply.message()};
  co_return text_at(reply.json(), {"Id"});
}

asio::awaitable<base::Result<Nothing>> DockerDriver::remove(std::string id) {
  const std::string target = "/containers/" + id + "?force=1&v=1";
  EngineReply reply = co_await api_->remove(target);
  // 409: it is already being removed.
  const bool gone = reply.ok() || reply.not_found() || reply.status == 409;
  if (!gone) co_return base::Error{reply.message()};
  co_await logs_.finish(id, kRemovedLogTimeout);
  logs_.forget(id);
  cpu_.erase(id);
  co_return Nothing{};
}

// A task with a holder keeps its cgroup until clean_up() removes the holder.
asio::awaitable<void> DockerDriver::end_task(std::string task_arn) { co_await cgroups_.remove(std::move(task_arn)); }

asio::awaitable<base::Result<Nothing>> DockerDriver::clean_up(std::string task_arn) {
  std::vector<std::string> labels;
  labels.push_back(labelled(kAgentLabel, options_.agent_name));
  labels.push_back(labelled(kTaskLabel, task_arn));
  labels.push_back(labelled(kContainerLabel, std::string(kHolderContainer)));
  const std::string target = "/containers/json?all=1&" + label_query(labels);
  EngineReply holders = co_await api_->get(target);
  if (!holders.ok()) co_return base::Error{holders.message()};
  for (const std::string& id : ids_in(holders.json())) {
    const std::string holder = "/containers/" + id + "?force=1&v=1";
    EngineReply removed = co_await api_->remove(holder);
    if (!removed.ok() && !removed.not_found()) co_return base::Error{removed.message()};
  }
  co_await cgroups_.remove(task_arn);
  base::Result<Nothing> volumes = co_await remove_volumes(*api_, std::move(task_arn), options_.agent_name);
  co_return volumes;
}

asio::awaitable<base::Result<Usage>> DockerDriver::usage(std::string id) {
  // Without an earlier sample, the engine takes two, a second apart.
  const bool known = cpu_.contains(id);
  const std::string target = "/containers/" + id + "/stats?stream=0&one-shot=" + (known ? "1" : "0");
  EngineReply reply = co_await api_->get(target);
  if (!reply.ok()) co_return base::Error{reply.message()};
  const json::value stats = reply.json();
  const CpuSample now = cpu_sample(stats);
  const CpuSample before = cpu_.contains(id) ? cpu_[id] : cpu_sample_before(stats);
  cpu_[id] = now;
  Usage usage;
  usage.cpu_percent = cpu_percent(before, now);
  usage.memory_bytes = memory_bytes(stats);
  co_return usage;
}

}  // namespace agent::drivers
