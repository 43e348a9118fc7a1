// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/protection.h"

#include <algorithm>
#include <map>

#include "base/log.h"
#include "services/ecs/capacity/association.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/reconciliation/service_placement.h"
#include "wire/error.h"

namespace services::ecs {
namespace {

constexpr std::int64_t kMaxDaemonServices = 5000;  // Amazon's limit of services in a cluster

std::map<std::string, bool> read_protections(store::Tx& tx) {
  std::map<std::string, bool> protections;
  tx.query("SELECT instance, protected FROM ecs_protections").each([&](const store::Row& row) {
    protections[row.str(0)] = row.boolean(1);
  });
  return protections;
}

// By name: whether an instance of the provider has a task that is not a daemon's.
std::map<std::string, bool> busy_instances(Call& call, state::ClusterNumber cluster, const std::string& provider) {
  const std::set<std::string> daemons = groups_of_daemons(call, cluster);
  return call.local<Fleets>().with(cluster, [&](const scheduler::Fleet& fleet) {
    std::map<std::string, bool> busy;
    for (const scheduler::Machine* machine : fleet.machines()) {
      const model::Instance& instance = machine->instance();
      if (instance.capacity_provider != provider) continue;
      busy[instance.ec2_instance_id] = std::ranges::any_of(
          machine->tasks(), [&](const model::TaskHold& task) { return !daemons.contains(task.group); });
    }
    return busy;
  });
}

}  // namespace

std::set<std::string> groups_of_daemons(Call& call, state::ClusterNumber cluster) {
  std::set<std::string> groups;
  for (const state::Service& service :
       state::list_services(call.tx, {.cluster = cluster, .daemon = true, .most = kMaxDaemonServices})) {
    groups.insert(service_group(service));
  }
  return groups;
}

std::vector<ProtectionChange> find_protection_changes(Call& call, const state::Cluster& cluster) {
  std::vector<ProtectionChange> changes;
  for (const Association& association : list_associations(call.tx, cluster.number)) {
    const auto provider = find_provider(call.tx, cluster.account, cluster.region, association.provider);
    if (!provider || !provider->protects()) continue;
    const auto known = read_protections(call.tx);
    for (const auto& [instance, busy] : busy_instances(call, cluster.number, provider->name)) {
      const auto before = known.find(instance);
      if (before != known.end() && before->second == busy) continue;
      changes.push_back({group_of(*provider), instance, busy});
    }
  }
  return changes;
}

void apply_protection_changes(Call& call, const std::vector<ProtectionChange>& changes) {
  for (const ProtectionChange& change : changes) {
    call.tx.exec(
        "INSERT INTO ecs_protections (instance, protected) VALUES ($1, $2)"
        " ON CONFLICT (instance) DO UPDATE SET protected = excluded.protected",
        change.instance, change.is_protected);
    try {
      set_protection(call, change.group, {change.instance}, change.is_protected);
    } catch (const wire::ApiError& error) {
      // It leaves its group.
      base::log_warn("instance protection not set", {{"instance", change.instance}, {"error", error.message()}});
    }
  }
}

void forget_protection(store::Tx& tx, const std::string& instance) {
  tx.exec("DELETE FROM ecs_protections WHERE instance = $1", instance);
}

}  // namespace services::ecs
