// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/registry.h"

#include <boost/json/value.hpp>

#include "agent/metadata/credentials.h"
#include "agent/metadata/metadata_json.h"

namespace agent {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::string_view kCredentials = "/v2/credentials";

// Amazon's agent responds with a JSON string; with 404 in version 4 and 500 in version 3.
http::Response unknown_container(std::string_view version, std::string_view what, std::string_view id) {
  bool task = what != "container metadata";
  std::string text = version == "v4" ? "V4 " : "V3 ";
  text += what;
  text += task ? " handler: unable to get task arn from request: unable to get task Arn from v3 endpoint ID: "
               : " handler: unable to get container ID from request: unable to get docker ID from v3 endpoint ID: ";
  text += id;
  return json_response(version == "v4" ? 404 : 500, json::value(text));
}

}  // namespace

void MetadataRegistry::set_task(TaskMetadata task) {
  state_.with([&](State& state) {
    std::erase_if(state.owners, [&](const auto& owner) { return owner.second == task.arn; });
    for (const ContainerMetadata& container : task.containers) state.owners[container.endpoint_id] = task.arn;
    std::string arn = task.arn;
    state.tasks.insert_or_assign(std::move(arn), std::move(task));
  });
}

void MetadataRegistry::remove_task(const std::string& arn) {
  state_.with([&](State& state) {
    auto task = state.tasks.find(arn);
    if (task == state.tasks.end()) return;
    for (const ContainerMetadata& container : task->second.containers) {
      state.owners.erase(container.endpoint_id);
      state.stats.erase(container.endpoint_id);
    }
    state.tasks.erase(task);
  });
}

// The driver measures a rate; clients of Docker expect a total. It grows by the rate times the elapsed time.
void MetadataRegistry::set_usage(const std::string& endpoint_id, ContainerUsage usage) {
  state_.with([&](State& state) {
    if (!state.owners.contains(endpoint_id)) return;
    auto [found, first] = state.stats.try_emplace(endpoint_id);
    ContainerStats& stats = found->second;
    stats.before = first ? usage : stats.now;
    stats.cpu_before_ns = stats.cpu_now_ns;
    stats.now = usage;
    double elapsed_ns = static_cast<double>((stats.now.at - stats.before.at).count() * kNanosPerMilli);
    stats.cpu_now_ns += static_cast<std::int64_t>(elapsed_ns * usage.cpu_percent / 100);
  });
}

void MetadataRegistry::set_credentials(shapes::agent::Credentials credentials) {
  if (credentials.credentialsId.empty()) return;
  state_.with([&](State& state) {
    std::string id = credentials.credentialsId;
    state.credentials.insert_or_assign(std::move(id), std::move(credentials));
  });
}

void MetadataRegistry::remove_credentials(const std::string& credentials_id) {
  state_.with([&](State& state) { state.credentials.erase(credentials_id); });
}

std::optional<shapes::agent::Credentials> MetadataRegistry::credentials(const std::string& credentials_id) const {
  return state_.with([&](const State& state) -> std::optional<shapes::agent::Credentials> {
    auto found = state.credentials.find(credentials_id);
    if (found == state.credentials.end()) return std::nullopt;
    return found->second;
  });
}

http::Response MetadataRegistry::respond(const http::RequestHead& request) const {
  if (request.method != "GET") return http::text_response(405, "Method Not Allowed");
  std::string_view path = request.path();
  while (path.size() > 1 && path.ends_with('/') && path != "/v4/" && path != "/v3/") path.remove_suffix(1);
  if (path.starts_with(kCredentials)) {
    std::string_view id = path.substr(kCredentials.size());
    if (id.starts_with('/')) id.remove_prefix(1);
    std::optional<shapes::agent::Credentials> found = credentials(std::string(id));
    return found ? credentials_response(*found) : credentials_error(!id.empty());
  }
  if (!path.starts_with("/v4/") && !path.starts_with("/v3/")) return http::text_response(404, "404 page not found");
  std::string_view version = path.substr(1, 2);
  return state_.with([&](const State& state) { return metadata_response(state, version, path.substr(4)); });
}

// `rest`: "<id>", "<id>/task", "<id>/stats", "<id>/task/stats".
http::Response MetadataRegistry::metadata_response(const State& state, std::string_view version,
                                                   std::string_view rest) {
  std::string id(rest.substr(0, rest.find('/')));
  std::string_view what = rest.substr(id.size());
  auto owner = state.owners.find(id);
  bool known = owner != state.owners.end();
  if (what == "" && !known) return unknown_container(version, "container metadata", id);
  if (what == "/task" && !known) return unknown_container(version, "task metadata", id);
  if (what == "/stats" && !known) return unknown_container(version, "container", id);
  if (what == "/task/stats" && !known) return unknown_container(version, "task stats", id);
  if (!known) return http::text_response(404, "404 page not found");

  const TaskMetadata& task = state.tasks.at(owner->second);
  if (what == "/task") return json_response(200, task_json(task));
  json::object all;
  for (const ContainerMetadata& container : task.containers) {
    auto stats = state.stats.find(container.endpoint_id);
    // null before the first measurement, like Amazon's agent.
    json::value measured;
    if (stats != state.stats.end()) measured = stats_json(container, stats->second);
    if (what == "" && container.endpoint_id == id) return json_response(200, container_json(container));
    if (what == "/stats" && container.endpoint_id == id) return json_response(200, measured);
    all[container.docker_id] = std::move(measured);
  }
  if (what == "/task/stats") return json_response(200, all);
  return http::text_response(404, "404 page not found");
}

namespace {

asio::awaitable<http::Response> respond_from(const MetadataRegistry& registry, http::Exchange& exchange) {
  co_return registry.respond(exchange.head());
}

}  // namespace

http::Handler metadata_handler(const MetadataRegistry& registry) {
  return [&registry](http::Exchange& exchange) { return respond_from(registry, exchange); };
}

}  // namespace agent
