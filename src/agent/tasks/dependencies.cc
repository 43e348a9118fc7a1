// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/dependencies.h"

#include <algorithm>

namespace agent {
namespace {

using shapes::agent::Dependency;

bool has_ended(const ContainerRecord& container) { return container.status == kStopped; }

bool is_met(const std::string& condition, const ContainerRecord& other) {
  if (!other.startedAt) return false;
  if (condition == "COMPLETE") return has_ended(other);
  if (condition == "SUCCESS") return has_ended(other) && other.exitCode == 0;
  if (condition == "HEALTHY") return !has_ended(other) && other.health == "HEALTHY";
  return true;  // START
}

std::optional<std::size_t> find_container(const TaskRecord& record, const std::string& name) {
  auto found = std::ranges::find(record.containers, name, &ContainerRecord::name);
  if (found == record.containers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - record.containers.begin());
}

StartAnswer check_dependency(const TaskRecord& record, const Dependency& dependency, base::Time now) {
  const std::string what = "container " + dependency.containerName;
  std::optional<std::size_t> index = find_container(record, dependency.containerName);
  if (!index) return {Readiness::Never, "dependsOn names " + what + ", which is not in the task", {}};
  const ContainerRecord& other = record.containers[*index];
  if (is_met(dependency.condition, other)) return {};
  if (has_ended(other)) return {Readiness::Never, what + " ended before it reached " + dependency.condition, {}};
  const auto& timeout = record.task.containers[*index].startTimeout;
  if (!timeout || !other.startedAt) return {Readiness::Waiting, "", {}};
  const base::Time until = *other.startedAt + std::chrono::seconds(*timeout);
  if (now < until) return {Readiness::Waiting, "", until};
  return {Readiness::Never,
          what + " did not reach " + dependency.condition + " within its startTimeout of " + std::to_string(*timeout) +
              " s",
          {}};
}

}  // namespace

std::vector<Dependency> dependencies_of(const shapes::agent::Container& container) {
  std::vector<Dependency> all = container.dependsOn;
  for (const std::string& link : container.links) all.push_back({link.substr(0, link.find(':')), "START"});
  for (const auto& from : container.volumesFrom) all.push_back({from.sourceContainer, "START"});
  return all;
}

StartAnswer may_start(const TaskRecord& record, std::size_t container, base::Time now) {
  StartAnswer answer;
  for (const Dependency& dependency : dependencies_of(record.task.containers[container])) {
    StartAnswer one = check_dependency(record, dependency, now);
    if (one.readiness == Readiness::Never) return one;
    if (one.readiness == Readiness::Ready) continue;
    answer.readiness = Readiness::Waiting;
    if (one.until && (!answer.until || *one.until < *answer.until)) answer.until = one.until;
  }
  return answer;
}

bool may_stop(const TaskRecord& record, std::size_t container) {
  const std::string& name = record.containers[container].name;
  for (std::size_t i = 0; i < record.containers.size(); ++i) {
    if (i == container || has_ended(record.containers[i])) continue;
    for (const Dependency& dependency : dependencies_of(record.task.containers[i])) {
      if (dependency.containerName == name) return false;
    }
  }
  return true;
}

}  // namespace agent
