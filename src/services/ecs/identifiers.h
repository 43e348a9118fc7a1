// SPDX-License-Identifier: Apache-2.0
// Tasks and container instances as users name them, by id or by ARN, held to Amazon's rules. What
// agents say goes by task_id and instance_id, which refuse nothing.
#pragma once

#include <optional>
#include <string>

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/machines/instance.h"
#include "services/ecs/tasks/task_row.h"

namespace services::ecs {

// The id that is meant; nullopt for an ARN of another account, region or kind, which nothing here
// has. Throws InvalidParameterException for what can't be an id, and for another cluster's ARN.
std::optional<std::string> asked_task_id(const StoredCluster& cluster, const std::string& text);
std::optional<std::string> asked_instance_id(const StoredCluster& cluster, const std::string& text);

std::optional<StoredTask> asked_task(store::Tx& tx, const StoredCluster& cluster, const std::string& text);
std::optional<StoredInstance> asked_instance(store::Tx& tx, const StoredCluster& cluster, const std::string& text);

// Throws "Referenced container instance X not found."
StoredInstance find_instance(store::Tx& tx, const StoredCluster& cluster, const std::string& text);

// What stands in `failures` for one that is not there.
shapes::ecs::Failure missing_task(const StoredCluster& cluster, const std::string& text);
shapes::ecs::Failure missing_instance(const StoredCluster& cluster, const std::string& text);

// Throws "taskIds can have at most 100 items."
void check_at_most(std::size_t most, std::size_t count, std::string_view what);

}  // namespace services::ecs
