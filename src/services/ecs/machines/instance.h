// SPDX-License-Identifier: Apache-2.0
// Container instances: what the scheduler needs of them, and how they are shown.
#pragma once

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
#include "state/machine.h"

namespace services::ecs {

inline constexpr std::size_t kMaxGpus = 256;

// Of machines whose agent runs commands in containers.
inline constexpr std::string_view kExecAttribute = "stoker.exec";

// Deregistered instances are described for so long.
inline constexpr base::Duration kInactiveFor = std::chrono::hours(1);

// With its JSON parsed.
struct StoredInstance : state::Machine {
  shapes::ecs::ContainerInstance body;  // versionInfo, registeredResources, attributes, tags
  shapes::agent::StokerGpus gpus;
  shapes::agent::StokerHealth health;

  // Stoker's agent, which states that itself; others are Amazon's.
  bool has_our_agent() const;
  // Its agent runs commands in containers.
  bool can_exec() const;
  model::Instance for_scheduler() const;
  // Why it accepts no tasks; "" for a healthy machine. And since when.
  std::string trouble() const;
  base::Time trouble_since() const;
};

std::optional<StoredInstance> load_instance(store::Tx& tx, const model::InstanceId& id);
StoredInstance to_instance(state::Machine machine);
// The instances of a cluster that are not INACTIVE, by id.
std::vector<StoredInstance> load_instances(store::Tx& tx, state::ClusterNumber cluster);

// Sets its number.
void insert_instance(store::Tx& tx, StoredInstance& instance);
// Increments its version.
void update_instance(store::Tx& tx, StoredInstance& instance);

// With what its tasks hold at this moment, according to the database.
scheduler::Machine machine_of(store::Tx& tx, const StoredInstance& instance);

struct InstanceFields {
  bool tags = false, health = false;
};
shapes::ecs::ContainerInstance shown(store::Tx& tx, const state::Cluster& cluster, const StoredInstance& instance,
                                     const InstanceFields& fields);

}  // namespace services::ecs
