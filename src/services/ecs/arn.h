// SPDX-License-Identifier: Apache-2.0
// ECS's ARNs: "arn:aws:ecs:us-east-1:111111111111:cluster/web".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "services/call.h"
#include "state/cluster.h"

namespace services::ecs {

struct Arn {
  std::string region, account, type, name;  // type "cluster", name "web"

  std::string str() const;
  bool belongs_to(const Caller& caller) const { return region == caller.region && account == caller.account; }
};

// nullopt unless it is an ARN of ECS.
std::optional<Arn> parse_arn(std::string_view text);

// The same as views of the text.
struct ArnParts {
  std::string_view region, account, type, name;
};
std::optional<ArnParts> split_arn(std::string_view text);
std::string arn_text(const ArnParts& parts);
Arn own_arn(const Caller& caller, std::string_view type, std::string_view name);

std::string cluster_arn(const state::Cluster& cluster);
std::string instance_arn(const state::Cluster& cluster, const model::InstanceId& id);
std::string task_arn(const state::Cluster& cluster, const model::TaskId& id);
// Made of the task's id and the container's name, so that it never changes.
std::string container_arn(const state::Cluster& cluster, const model::TaskId& task, const std::string& container);

std::string service_arn(const state::Cluster& cluster, const std::string& service);
// Of a service deployment with this id, and of the service revision with the number of a deployment.
std::string service_deployment_arn(const state::Cluster& cluster, const std::string& service, const std::string& id);
std::string service_revision_arn(const state::Cluster& cluster, const std::string& service, const std::string& id);

// The id that an id or an ARN names; nullopt for an ARN of another cluster.
std::optional<model::InstanceId> instance_id(const state::Cluster& cluster, std::string_view text);
std::optional<model::TaskId> task_id(const state::Cluster& cluster, std::string_view text);

// Letters, digits, '-' and '_', 1 to 255 of them: clusters, families, containers, volumes.
bool plain_name(std::string_view name);

}  // namespace services::ecs
