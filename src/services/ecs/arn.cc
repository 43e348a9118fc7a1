// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/arn.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "services/arn.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxNameLength = 255;

// The part of the name after its cluster. ARNs in the format of before 2018 have no cluster in them.
std::optional<std::string> name_in(const state::Cluster& cluster, std::string_view text, std::string_view type) {
  if (!text.starts_with("arn:")) return std::string(text);
  const auto arn = split_arn(text);
  if (!arn || arn->type != type || arn->account != cluster.account || arn->region != cluster.region) {
    return std::nullopt;
  }
  const std::size_t slash = arn->name.find('/');
  if (slash == std::string::npos) return std::string(arn->name);
  if (arn->name.substr(0, slash) != cluster.name) return std::nullopt;
  return std::string(arn->name.substr(slash + 1));
}

std::string arn_in(const state::Cluster& cluster, std::string_view type, const std::string& name) {
  return arn_text({cluster.region, cluster.account, type, cluster.name + "/" + name});
}

}  // namespace

std::string Arn::str() const { return arn_text({region, account, type, name}); }

std::string arn_text(const ArnParts& parts) {
  std::string resource;
  resource.reserve(parts.type.size() + 1 + parts.name.size());
  resource.append(parts.type).append("/").append(parts.name);
  return services::Arn{"ecs", parts.region, parts.account, resource}.str();
}

std::optional<ArnParts> split_arn(std::string_view text) {
  const auto arn = services::parse_arn(text, "ecs");
  const std::size_t slash = arn ? arn->resource.find('/') : text.npos;
  if (slash == text.npos) return std::nullopt;
  return ArnParts{arn->region, arn->account, arn->resource.substr(0, slash), arn->resource.substr(slash + 1)};
}

std::optional<Arn> parse_arn(std::string_view text) {
  const auto parts = split_arn(text);
  if (!parts) return std::nullopt;
  return Arn{std::string(parts->region), std::string(parts->account), std::string(parts->type),
             std::string(parts->name)};
}

Arn own_arn(const Caller& caller, std::string_view type, std::string_view name) {
  return {caller.region, caller.account, std::string(type), std::string(name)};
}

std::string cluster_arn(const state::Cluster& cluster) {
  return arn_text({cluster.region, cluster.account, "cluster", cluster.name});
}

std::string instance_arn(const state::Cluster& cluster, const model::InstanceId& id) {
  return arn_in(cluster, "container-instance", id.str());
}

std::string task_arn(const state::Cluster& cluster, const model::TaskId& id) {
  return arn_in(cluster, "task", id.str());
}

std::string container_arn(const state::Cluster& cluster, const model::TaskId& task, const std::string& container) {
  const std::string digits = base::to_hex(std::string_view(base::sha256(task.str() + "/" + container)).substr(0, 16));
  std::string uuid;
  uuid.reserve(digits.size() + 4);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) uuid += '-';
    uuid += digits[i];
  }
  return arn_in(cluster, "container", task.str() + "/" + uuid);
}

std::string service_arn(const state::Cluster& cluster, const std::string& service) {
  return arn_in(cluster, "service", service);
}

std::string service_deployment_arn(const state::Cluster& cluster, const std::string& service, const std::string& id) {
  return arn_in(cluster, "service-deployment", service + "/" + id);
}

std::string service_revision_arn(const state::Cluster& cluster, const std::string& service, const std::string& id) {
  return arn_in(cluster, "service-revision", service + "/" + id);
}

std::optional<model::InstanceId> instance_id(const state::Cluster& cluster, std::string_view text) {
  auto name = name_in(cluster, text, "container-instance");
  return name ? std::optional(model::InstanceId(std::move(*name))) : std::nullopt;
}

std::optional<model::TaskId> task_id(const state::Cluster& cluster, std::string_view text) {
  auto name = name_in(cluster, text, "task");
  return name ? std::optional(model::TaskId(std::move(*name))) : std::nullopt;
}

bool plain_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace services::ecs
