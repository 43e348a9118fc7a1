// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/machines/machine_access.h"

#include "services/ecs/machines/departure.h"
#include "services/shape_json.h"
#include "state/ec2_instance.h"
#include "state/keys.h"
#include "wire/error.h"

namespace services::ecs {
namespace {

wire::ApiError denied(const std::string& message) { return wire::ApiError("AccessDeniedException", message); }

// The key of the machine that calls, which may join this cluster.
state::Key joining_key(Call& call, const std::string& cluster) {
  auto key = state::find_key(call.tx, call.caller.access_key);
  // It may have ended since the request was authenticated.
  if (!key || key->expires_at) throw denied("The key of this machine does not exist any more.");
  if (key->cluster && *key->cluster != call.caller.region + "/" + cluster) {
    throw denied("The key of this machine is for the cluster " + *key->cluster + " only.");
  }
  return std::move(*key);
}

// The id of an EC2 instance is a name for that instance alone: with it come its capacity provider and its state. Its
// provider has made a key for that name.
void check_ec2_name(Call& call, const state::Cluster& cluster, const state::Key& key, const std::string& name) {
  if (key.machine) return;
  const auto instance = state::find_ec2_instance(call.tx, name);
  if (!instance || instance->account != cluster.account || instance->region != cluster.region) return;
  throw denied("The EC2 instance " + name + " has a key of its own: choose another name.");
}

}  // namespace

void check_own_machine(const Caller& caller, const std::optional<std::string>& machine_key) {
  if (machine_key && *machine_key != caller.access_key) {
    throw denied("The container instance belongs to a machine with a key of its own: only that key may act for it.");
  }
  if (!machine_key && caller.machine) throw denied("The key of a machine may act only for its own container instance.");
}

void bind_machine(Call& call, const state::Cluster& cluster, StoredInstance& instance) {
  if (!call.caller.machine) return;
  const state::Key key = joining_key(call, cluster.name);
  if (key.machine && *key.machine != instance.name) {
    throw denied("The key of this machine is for the machine " + *key.machine + " only.");
  }
  check_ec2_name(call, cluster, key, instance.name);
  if (auto machine = state::find_machine_by_key(call.tx, key.id)) {
    StoredInstance former = to_instance(std::move(*machine));
    if (former.connected) {
      throw denied("The key of this machine belongs to the container instance " + former.id.str() +
                   ", which is connected. Each machine needs a key of its own.");
    }
    deregister(call, former, "Host EC2 (instance " + former.name + ") was registered again.");
  }
  instance.machine_key = key.id;
  if (key.register_by) state::keep_machine_key(call.tx, key.id);
}

void check_machine_cluster(Call& call, const shapes::ecs::CreateClusterRequest& request, const std::string& name) {
  if (!call.caller.machine) return;
  const shapes::ecs::CreateClusterRequest plain{.clusterName = request.clusterName};
  if (name != kDefaultCluster || to_json(request) != to_json(plain)) {
    throw denied("The key of a machine may create no cluster but `default`, and no settings.");
  }
  joining_key(call, name);
}

void bind_to_cluster(Call& call, const std::string& name) {
  if (call.caller.machine) state::restrict_machine_key(call.tx, call.caller.access_key, call.caller.region + "/" + name);
}

}  // namespace services::ecs
