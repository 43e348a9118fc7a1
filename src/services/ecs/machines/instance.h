// SPDX-License-Identifier: Apache-2.0
// A container instance: its row, how requests name it, what the scheduler makes of it, and how it
// is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/instance.h"
#include "scheduler/machine.h"
#include "services/call.h"
#include "services/ecs/clusters/cluster.h"
#include "shapes/agent/extensions.h"
#include "shapes/ecs/container_instance.h"

namespace services::ecs {

inline constexpr std::size_t kMaxGpus = 256;

// Deregistered instances are described for so long.
inline constexpr base::Duration kInactiveFor = std::chrono::hours(1);

struct StoredInstance {
  std::string id;
  std::int64_t number = 0;  // what its tasks have
  std::int64_t cluster = 0;
  std::string machine;
  model::InstanceStatus status = model::InstanceStatus::Active;
  bool connected = false;
  base::Time connected_at;
  std::int64_t version = 1;
  std::optional<std::string> client_token;
  shapes::ecs::ContainerInstance body;  // versionInfo, registeredResources, attributes, tags
  shapes::agent::StokerGpus gpus;
  base::Time registered_at;
  std::optional<base::Time> inactive_at;

  model::Instance for_scheduler() const;
};

// The id that a request means by an id or an ARN; nullopt for another cluster's ARN.
std::optional<std::string> instance_id(const StoredCluster& cluster, std::string_view text);
std::string instance_arn(const StoredCluster& cluster, const std::string& id);

std::optional<StoredInstance> load_instance(store::Tx& tx, const std::string& id);
std::optional<StoredInstance> load_instance(store::Tx& tx, const StoredCluster& cluster, std::string_view text);
// Those of a cluster that are not INACTIVE, by id.
std::vector<StoredInstance> load_instances(store::Tx& tx, std::int64_t cluster);
// At most so many of them, from the first after `after` on.
std::vector<StoredInstance> load_instances(store::Tx& tx, std::int64_t cluster, const std::string& after,
                                           std::int64_t most);

// Gives it its number.
void insert_instance(store::Tx& tx, StoredInstance& instance);
// Its version counts up.
void update_instance(store::Tx& tx, StoredInstance& instance);

// With what its tasks hold at this moment, by the database.
scheduler::Machine machine_of(store::Tx& tx, const StoredInstance& instance);

struct InstanceFields {
  bool tags = false, health = false;
};
shapes::ecs::ContainerInstance shown(store::Tx& tx, const StoredCluster& cluster, const StoredInstance& instance,
                                     const InstanceFields& fields);

}  // namespace services::ecs
