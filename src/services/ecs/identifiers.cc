// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/identifiers.h"

#include <fmt/format.h>

#include "services/ecs/arn.h"
#include "services/ecs/errors.h"

namespace services::ecs {
namespace {

// Ids are 32 hexadecimal digits; until 2018 they were UUIDs with their hyphens.
constexpr std::size_t kIdLength = 32, kOldIdLength = 36;

// How ARNs and ECS's texts name it.
struct Kind {
  std::string_view type, noun, member;
};
constexpr Kind kTask{"task", "Task", "taskId"};
constexpr Kind kInstance{"container-instance", "Container Instance", "instanceId"};
constexpr Kind kService{"service", "Service", "service"};

// The texts are ECS's own; "Identifier is invalid" was observed for tasks, task sets and services.
std::optional<std::string> requested_name(const state::Cluster& cluster, const std::string& text, const Kind& kind) {
  if (!text.starts_with("arn:")) return text;
  const auto arn = parse_arn(text);
  if (!arn && text.starts_with("arn:aws:ecs:")) {
    throw invalid_parameter("Invalid identifier: Unexpected number of separators");
  }
  if (!arn || arn->type != kind.type) throw invalid_parameter(fmt::format("{} Identifier is invalid", kind.noun));
  if (arn->account != cluster.account || arn->region != cluster.region) return std::nullopt;
  // The old format has no cluster in it.
  const std::size_t slash = arn->name.find('/');
  if (slash != std::string::npos && arn->name.substr(0, slash) != cluster.name) {
    throw invalid_parameter(fmt::format("Invalid identifier: Identifier is for cluster {}. Your cluster is {}",
                                        arn->name.substr(0, slash), cluster.name));
  }
  return slash == std::string::npos ? arn->name : arn->name.substr(slash + 1);
}

std::optional<std::string> requested_id(const state::Cluster& cluster, const std::string& text, const Kind& kind) {
  auto id = requested_name(cluster, text, kind);
  if (id && id->size() != kIdLength && id->size() != kOldIdLength) {
    throw invalid_parameter(fmt::format("{} length should be one of [32,36]", kind.member));
  }
  return id;
}

}  // namespace

std::optional<state::Task> load_task(store::Tx& tx, const state::Cluster& cluster, std::string_view text) {
  const auto id = task_id(cluster, text);
  auto task = id ? state::find_task(tx, *id) : std::nullopt;
  if (task && task->cluster != cluster.number) return std::nullopt;
  return task;
}

std::optional<state::TaskState> load_task_state(store::Tx& tx, const state::Cluster& cluster, std::string_view text) {
  const auto id = task_id(cluster, text);
  auto task = id ? state::find_task_state(tx, *id) : std::nullopt;
  if (task && task->cluster != cluster.number) return std::nullopt;
  return task;
}

std::optional<StoredInstance> load_instance(store::Tx& tx, const state::Cluster& cluster, std::string_view text) {
  const auto id = instance_id(cluster, text);
  auto instance = id ? load_instance(tx, *id) : std::nullopt;
  if (instance && instance->cluster != cluster.number) return std::nullopt;
  return instance;
}

std::optional<model::InstanceId> requested_instance_id(const state::Cluster& cluster, const std::string& text) {
  if (text.empty()) throw invalid_parameter("Container instance can not be blank.");
  auto id = requested_id(cluster, text, kInstance);
  return id ? std::optional(model::InstanceId(std::move(*id))) : std::nullopt;
}

std::optional<state::Task> find_requested_task(store::Tx& tx, const state::Cluster& cluster, const std::string& text) {
  const auto id = requested_id(cluster, text, kTask);
  return id ? load_task(tx, cluster, *id) : std::nullopt;
}

std::optional<StoredInstance> find_requested_instance(store::Tx& tx, const state::Cluster& cluster,
                                                      const std::string& text) {
  const auto id = requested_instance_id(cluster, text);
  return id ? load_instance(tx, cluster, id->str()) : std::nullopt;
}

std::optional<std::string> requested_service_name(const state::Cluster& cluster, const std::string& text) {
  if (text.empty()) throw invalid_parameter("Service can not be blank.");
  return requested_name(cluster, text, kService);
}

StoredInstance find_instance(store::Tx& tx, const state::Cluster& cluster, const std::string& text) {
  auto instance = find_requested_instance(tx, cluster, text);
  if (!instance) throw invalid_parameter(fmt::format("Referenced container instance {} not found.", text));
  return std::move(*instance);
}

shapes::ecs::Failure missing_task(const state::Cluster& cluster, const std::string& text) {
  return {.arn = text.starts_with("arn:") ? text : task_arn(cluster, model::TaskId(text)), .reason = "MISSING"};
}

shapes::ecs::Failure missing_instance(const state::Cluster& cluster, const std::string& text) {
  return {.arn = text.starts_with("arn:") ? text : instance_arn(cluster, model::InstanceId(text)), .reason = "MISSING"};
}

void check_at_most(std::size_t most, std::size_t count, std::string_view what) {
  if (count > most) throw invalid_parameter(fmt::format("{} can have at most {} items.", what, most));
}

}  // namespace services::ecs
