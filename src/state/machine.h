// SPDX-License-Identifier: Apache-2.0
// Machines: ECS's container instances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/instance.h"
#include "state/row_number.h"
#include "store/store.h"

namespace state {

struct Machine {
  model::InstanceId id;
  std::int64_t number = 0;  // how its tasks refer to it
  ClusterNumber cluster{};
  std::string name;  // to people: ec2InstanceId
  model::InstanceStatus status = model::InstanceStatus::Active;
  bool connected = false;   // its agent has a session, and agrees on its tasks
  base::Time connected_at;  // when that last changed
  std::int64_t version = 1;
  std::optional<std::string> client_token;
  std::string body_json;  // resources, attributes, tags: only its writer interprets it
  std::string gpus_json;  // as its agent reports them
  std::optional<std::string> troubles_json;  // why it accepts no tasks, as its agent reports; none: it is healthy
  base::Time registered_at;
  std::optional<base::Time> inactive_at;
  // The machine's key that registered it: only that key acts for it. Absent where an ordinary key registered it.
  std::optional<std::string> machine_key;
};

// Its agent has something to fetch.
std::string instance_topic(const model::InstanceId& machine);

std::optional<Machine> find_machine(store::Tx& tx, const model::InstanceId& id);
// Of the machines that are not INACTIVE, the one that was registered with this token.
std::optional<Machine> find_machine_by_token(store::Tx& tx, ClusterNumber cluster, const std::string& client_token);
// Of the machines that are not INACTIVE, the one of this machine's key.
std::optional<Machine> find_machine_by_key(store::Tx& tx, const std::string& machine_key);
// Whether this key has registered a machine, INACTIVE ones included.
bool has_registered(store::Tx& tx, const std::string& machine_key);
// The key of a machine; nothing where an ordinary key registered it.
std::optional<std::string> find_machine_key(store::Tx& tx, std::int64_t machine_number);

// The machines of a cluster that are not INACTIVE, by id.
std::vector<Machine> list_machines(store::Tx& tx, ClusterNumber cluster);
// The same after `after`, at most so many.
std::vector<Machine> list_machines(store::Tx& tx, ClusterNumber cluster, const std::string& after, std::int64_t most);
// Of these, the ones of this name whose agent is away.
std::vector<Machine> list_disconnected(store::Tx& tx, ClusterNumber cluster, const std::string& name);
// Of an account and region, all of this name that are not INACTIVE, in any cluster.
std::vector<Machine> list_machines_named(store::Tx& tx, const std::string& account, const std::string& region,
                                         const std::string& name);
// INACTIVE machines whose name no other machine of the cluster has taken over.
std::vector<Machine> list_departed(store::Tx& tx, ClusterNumber cluster, std::int64_t most);
// Machines with tasks whose agent has been away since `since` or longer.
std::vector<Machine> list_lost(store::Tx& tx, base::Time since, std::int64_t most);
// Clusters that have or had machines.
std::vector<ClusterNumber> list_clusters_with_machines(store::Tx& tx);

// Sets its number.
void insert_machine(store::Tx& tx, Machine& machine);
// Increments its version.
void update_machine(store::Tx& tx, Machine& machine);
// Except INACTIVE ones.
void disconnect_all_machines(store::Tx& tx, base::Time now);
// Deletes machines that have been INACTIVE since `since` or longer and have no task left.
void delete_departed(store::Tx& tx, base::Time since);

// Since when the first machine with tasks is disconnected; since when the first INACTIVE one is that.
std::optional<base::Time> first_disconnected(store::Tx& tx);
std::optional<base::Time> first_departed(store::Tx& tx);

// The number of a new manifest for its agent: the time in milliseconds, and more than the last one where the clock
// was set back.
std::int64_t next_manifest(store::Tx& tx, const model::InstanceId& machine, base::Time now);

// Within an account, a GPU is registered by one machine at a time.
std::optional<model::InstanceId> gpu_owner(store::Tx& tx, const std::string& account, const std::string& gpu);
void insert_gpu(store::Tx& tx, const std::string& account, const std::string& gpu, const model::InstanceId& machine);
void delete_gpus(store::Tx& tx, const model::InstanceId& machine);

}  // namespace state
