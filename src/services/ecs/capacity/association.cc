// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/association.h"

#include <map>
#include <set>

#include "base/log.h"
#include "base/random.h"
#include "services/ecs/arn.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/capacity/scaling_group.h"
#include "services/ecs/capacity/strategy.h"
#include "services/ecs/errors.h"
#include "services/ecs/services/stored_service.h"
#include "services/shape_json.h"
#include "state/task.h"
#include "wire/error.h"

namespace services::ecs {
namespace {

constexpr std::int64_t kMaxServicesOfCluster = 5000;  // Amazon's

Association read_association(const store::Row& row) {
  return {.cluster = state::ClusterNumber(row.integer(0)),
          .provider = row.str(1),
          .position = row.integer(2),
          .policy = row.maybe_str(3),
          .policy_id = row.maybe_str(4),
          .hook_id = row.maybe_str(5)};
}

void write_association(store::Tx& tx, const Association& association) {
  tx.exec(
      "INSERT INTO ecs_cluster_providers (cluster, provider, position, policy, policy_id, hook_id)"
      " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (cluster, provider) DO UPDATE SET position = excluded.position,"
      " policy = excluded.policy, policy_id = excluded.policy_id, hook_id = excluded.hook_id",
      association.cluster, association.provider, association.position, association.policy, association.policy_id,
      association.hook_id);
}

// The group may be gone already, and with it all that was created there.
template <class Change>
void try_to_remove(const Provider& provider, const Change& change) {
  try {
    change();
  } catch (const wire::ApiError& error) {
    base::log_warn("capacity provider not cleaned up", {{"provider", provider.arn()}, {"error", error.message()}});
  }
}

// Creates and removes what its managed scaling and draining need.
void adapt(Call& call, const state::Cluster& cluster, const Provider& provider, Association& association) {
  try {
    if (provider.scales()) {
      if (!association.policy) {
        association.policy = "ECSManagedAutoScalingPolicy-" + base::random_uuid();
        association.policy_id = base::random_uuid();
      }
      put_scaling_policy(call, cluster, provider, *association.policy);
    }
    if (provider.drains()) {
      if (!association.hook_id) association.hook_id = base::random_uuid();
      put_draining_hook(call, provider);
    }
    if (provider.scales() || provider.drains()) add_managed_tag(call, provider);
  } catch (const wire::ApiError& error) {
    throw client_error("The capacity provider " + provider.name +
                       " can't use its Auto Scaling group: " + error.message());
  }
  if (!provider.scales() && association.policy) {
    try_to_remove(provider, [&] { delete_scaling_policy(call, provider, *association.policy); });
    association.policy.reset();
    association.policy_id.reset();
  }
  if (!provider.drains() && association.hook_id) {
    try_to_remove(provider, [&] { delete_draining_hook(call, provider); });
    association.hook_id.reset();
  }
}

void dissociate(Call& call, const state::Cluster& cluster, const Association& association) {
  call.tx.exec("DELETE FROM ecs_cluster_providers WHERE cluster = $1 AND provider = $2", association.cluster,
               association.provider);
  const auto provider = find_provider(call.tx, cluster.account, cluster.region, association.provider);
  if (!provider) return;
  if (association.policy) {
    try_to_remove(*provider, [&] { delete_scaling_policy(call, *provider, *association.policy); });
  }
  if (!list_clusters_of(call.tx, *provider).empty()) return;  // another cluster needs the hook
  if (association.hook_id) try_to_remove(*provider, [&] { delete_draining_hook(call, *provider); });
  if (association.policy || association.hook_id) try_to_remove(*provider, [&] { delete_managed_tag(call, *provider); });
}

bool is_in_use(Call& call, const state::Cluster& cluster, const std::string& provider) {
  if (state::has_tasks_of_provider(call.tx, cluster.number, provider)) return true;
  for (state::Service& row :
       state::list_services(call.tx, {.cluster = cluster.number, .most = kMaxServicesOfCluster})) {
    const auto body = from_json<ServiceBody>(row.body_json);
    if (names_provider(body.capacityProviderStrategy, provider)) return true;
  }
  return false;
}

shapes::ecs::Attachment attachment(const std::string& type, const std::string& id, const std::string& provider,
                                   const std::string& detail, const std::string& value) {
  return {
      .id = id, .type = type, .status = "CREATED", .details = {{{"capacityProviderName", provider}, {detail, value}}}};
}

}  // namespace

std::vector<Association> list_associations(store::Tx& tx, state::ClusterNumber cluster) {
  return tx
      .query(
          "SELECT cluster, provider, position, policy, policy_id, hook_id FROM ecs_cluster_providers"
          " WHERE cluster = $1 ORDER BY position, provider",
          cluster)
      .all(read_association);
}

std::vector<state::Cluster> list_clusters_of(store::Tx& tx, const Provider& provider) {
  const auto numbers = tx.query(
                             "SELECT p.cluster FROM ecs_cluster_providers p JOIN ecs_clusters c ON c.id = p.cluster"
                             " WHERE p.provider = $1 AND c.account = $2 AND c.region = $3 ORDER BY p.cluster",
                             provider.name, provider.account, provider.region)
                           .all([](const store::Row& row) { return state::ClusterNumber(row.integer(0)); });
  std::vector<state::Cluster> clusters;
  for (state::ClusterNumber number : numbers) clusters.push_back(*state::find_cluster(tx, number));
  return clusters;
}

void set_providers(Call& call, const state::Cluster& cluster, const std::vector<std::string>& names) {
  std::set<std::string> wanted;
  std::vector<Provider> providers;
  for (const std::string& name : names) {
    if (wanted.insert(name).second) providers.push_back(find_usable_provider(call, cluster, name));
  }
  std::map<std::string, Association> before;
  for (const Association& old : list_associations(call.tx, cluster.number)) {
    before[old.provider] = old;
    if (wanted.contains(old.provider)) continue;
    if (is_in_use(call, cluster, old.provider)) {
      throw wire::ApiError("ResourceInUseException",
                           "The specified capacity provider is in use and cannot be removed.");
    }
    dissociate(call, cluster, old);
  }
  for (std::size_t i = 0; i < providers.size(); ++i) {
    Association association{.cluster = cluster.number, .provider = providers[i].name};
    const auto known = before.find(association.provider);
    if (known != before.end()) association = known->second;
    association.position = static_cast<std::int64_t>(i);
    if (known == before.end()) adapt(call, cluster, providers[i], association);
    write_association(call.tx, association);
  }
  if (!providers.empty()) watch_capacity(call, cluster.number);
}

void adapt_associations(Call& call, const Provider& provider) {
  for (const state::Cluster& cluster : list_clusters_of(call.tx, provider)) {
    for (Association& association : list_associations(call.tx, cluster.number)) {
      if (association.provider != provider.name) continue;
      adapt(call, cluster, provider, association);
      write_association(call.tx, association);
      watch_capacity(call, cluster.number);
    }
  }
}

void show_providers(store::Tx& tx, const state::Cluster& cluster, bool attachments, shapes::ecs::Cluster& out) {
  out.capacityProviders.emplace();
  const auto associations = list_associations(tx, cluster.number);
  for (const Association& association : associations) out.capacityProviders->push_back(association.provider);
  if (!attachments) return;
  out.attachments.emplace();
  for (const Association& one : associations) {
    if (one.policy) {
      out.attachments->push_back(
          attachment("as_policy", *one.policy_id, one.provider, "scalingPolicyName", *one.policy));
    }
    if (one.hook_id) {
      out.attachments->push_back(attachment("managed_draining", *one.hook_id, one.provider,
                                            "autoScalingLifecycleHookName", std::string(kDrainingHook)));
    }
  }
  if (!associations.empty()) out.attachmentsStatus = "UPDATE_COMPLETE";
}

}  // namespace services::ecs
