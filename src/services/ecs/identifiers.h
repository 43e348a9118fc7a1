// SPDX-License-Identifier: Apache-2.0
// Tasks, container instances and services as requests name them: by id or name, or by ARN.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "services/ecs/clusters/cluster.h"
#include "services/ecs/machines/instance.h"
#include "shapes/ecs/failure.h"
#include "state/task.h"

namespace services::ecs {

// As agents name them: nullopt for anything that does not exist in the cluster.
std::optional<state::Task> load_task(store::Tx& tx, const state::Cluster& cluster, std::string_view text);
std::optional<state::TaskState> load_task_state(store::Tx& tx, const state::Cluster& cluster, std::string_view text);
std::optional<StoredInstance> load_instance(store::Tx& tx, const state::Cluster& cluster, std::string_view text);

// As users name them, by Amazon's rules. nullopt for an ARN of another account or region, and for what does not
// exist. Throw InvalidParameterException for an invalid id, and for the ARN of another cluster or another kind.
std::optional<model::InstanceId> requested_instance_id(const state::Cluster& cluster, const std::string& text);
std::optional<state::Task> find_requested_task(store::Tx& tx, const state::Cluster& cluster, const std::string& text);
std::optional<StoredInstance> find_requested_instance(store::Tx& tx, const state::Cluster& cluster,
                                                      const std::string& text);

// The name of a service; nullopt for an ARN of another account or region.
std::optional<std::string> requested_service_name(const state::Cluster& cluster, const std::string& text);

// Throws "Referenced container instance X not found."
StoredInstance find_instance(store::Tx& tx, const state::Cluster& cluster, const std::string& text);

// The member of `failures` for one that does not exist.
shapes::ecs::Failure missing_task(const state::Cluster& cluster, const std::string& text);
shapes::ecs::Failure missing_instance(const state::Cluster& cluster, const std::string& text);

// Throws "taskIds can have at most 100 items."
void check_at_most(std::size_t most, std::size_t count, std::string_view what);

}  // namespace services::ecs
