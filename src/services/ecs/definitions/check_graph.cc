// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "services/ecs/definitions/check_task.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

using namespace shapes::ecs;

// Container -> the containers that it needs.
using Graph = std::map<std::string, std::vector<std::string>>;

const ContainerDefinition* find(const RegisterTaskDefinitionRequest& request, std::string_view name) {
  for (const ContainerDefinition& container : request.containerDefinitions) {
    if (*container.name == name) return &container;
  }
  return nullptr;
}

// Removes, round by round, the containers that need none of the others; what remains is a cycle.
bool has_cycle(Graph graph) {
  for (bool changed = true; changed;) {
    changed = std::erase_if(graph, [&](const auto& entry) {
                return std::none_of(entry.second.begin(), entry.second.end(),
                                    [&](const std::string& needed) { return graph.contains(needed); });
              }) > 0;
  }
  return !graph.empty();
}

void check_links(const RegisterTaskDefinitionRequest& request) {
  Graph graph;
  for (const ContainerDefinition& container : request.containerDefinitions) {
    auto& needed = graph[*container.name];
    if (!container.links || container.links->empty()) continue;
    const std::string mode = network_mode(request);
    if (mode != "bridge") throw client_error(fmt::format("Links are not supported when networkMode={}.", mode));
    for (const std::string& link : *container.links) {
      const std::string name = link.substr(0, link.find(':'));  // "name:alias"
      if (!find(request, name)) {
        throw client_error(fmt::format("Unknown container '{}' in links of container '{}'.", name, *container.name));
      }
      needed.push_back(name);
    }
  }
  if (has_cycle(std::move(graph))) throw client_error("Container links should not have a cycle");
}

void check_dependency(const RegisterTaskDefinitionRequest& request, const ContainerDependency& dependency) {
  const ContainerDefinition* needed = find(request, dependency.containerName);
  if (!needed) {
    // The plus sign is Amazon's.
    throw client_error(
        fmt::format("Cannot depend on container + '{}' because it does not exist.", dependency.containerName));
  }
  const bool ends = dependency.condition == "COMPLETE" || dependency.condition == "SUCCESS";
  if (ends && needed->essential.value_or(true)) {
    throw client_error("A dependency container with SUCCESS or COMPLETE condition cannot be an essential container.");
  }
  if (dependency.condition == "HEALTHY" && !needed->healthCheck) {
    throw client_error("A dependency container with HEALTHY condition must have health check configured.");
  }
}

void check_dependencies(const RegisterTaskDefinitionRequest& request) {
  Graph graph;
  for (const ContainerDefinition& container : request.containerDefinitions) {
    auto& needed = graph[*container.name];
    if (!container.dependsOn) continue;
    for (const ContainerDependency& dependency : *container.dependsOn) {
      check_dependency(request, dependency);
      needed.push_back(dependency.containerName);
    }
  }
  if (has_cycle(std::move(graph))) throw client_error("Container dependencies should not have a cycle");
}

void check_volumes_from(const RegisterTaskDefinitionRequest& request) {
  Graph graph;
  for (const ContainerDefinition& container : request.containerDefinitions) {
    auto& needed = graph[*container.name];
    if (!container.volumesFrom) continue;
    for (const VolumeFrom& from : *container.volumesFrom) {
      const std::string name = from.sourceContainer.value_or("");
      if (!find(request, name)) {
        throw client_error(
            fmt::format("Unknown container '{}' in volumesFrom of container '{}'.", name, *container.name));
      }
      needed.push_back(name);
    }
  }
  if (has_cycle(std::move(graph))) throw client_error("Container volumesFrom should not have a cycle");
}

}  // namespace

void check_graph(const RegisterTaskDefinitionRequest& request) {
  check_links(request);
  check_dependencies(request);
  check_volumes_from(request);
}

}  // namespace services::ecs
