// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/provider.h"

#include "services/ecs/arn.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

const std::string kSelectProvider =
    "SELECT id, account, region, name, group_name, body, created_at, inactive_at FROM ecs_capacity_providers";

Provider read_provider(const store::Row& row) {
  Provider provider;
  provider.number = row.integer(0);
  provider.account = row.str(1);
  provider.region = row.str(2);
  provider.name = row.str(3);
  provider.group = row.str(4);
  provider.body = from_json<ProviderBody>(row.text(5));
  provider.created_at = row.time(6);
  provider.inactive_at = row.maybe_time(7);
  return provider;
}

}  // namespace

bool Provider::scales() const { return scaling().status == "ENABLED"; }
bool Provider::protects() const { return body.autoScalingGroupProvider.managedTerminationProtection == "ENABLED"; }
bool Provider::drains() const { return body.autoScalingGroupProvider.managedDraining == "ENABLED"; }

std::string Provider::arn() const { return arn_text({region, account, "capacity-provider", name}); }

std::optional<Provider> find_provider(store::Tx& tx, const std::string& account, const std::string& region,
                                      const std::string& name) {
  return tx.query(kSelectProvider + " WHERE account = $1 AND region = $2 AND name = $3", account, region, name)
      .one(read_provider);
}

std::optional<Provider> find_provider_of_group(store::Tx& tx, const std::string& account, const std::string& region,
                                               const std::string& group) {
  return tx
      .query(kSelectProvider +
                 " WHERE account = $1 AND region = $2 AND group_name = $3 AND inactive_at IS NULL"
                 " ORDER BY id LIMIT 1",
             account, region, group)
      .one(read_provider);
}

std::vector<Provider> list_providers(store::Tx& tx, const Caller& caller, const std::string& after, std::int64_t most) {
  return tx
      .query(kSelectProvider +
                 " WHERE account = $1 AND region = $2 AND name > $3 AND inactive_at IS NULL"
                 " ORDER BY name LIMIT $4",
             caller.account, caller.region, after, most)
      .all(read_provider);
}

void insert_provider(store::Tx& tx, const Provider& provider) {
  tx.exec("DELETE FROM ecs_capacity_providers WHERE account = $1 AND region = $2 AND name = $3", provider.account,
          provider.region, provider.name);
  tx.exec(
      "INSERT INTO ecs_capacity_providers (account, region, name, group_name, body, created_at)"
      " VALUES ($1, $2, $3, $4, $5, $6)",
      provider.account, provider.region, provider.name, provider.group, to_json(provider.body), provider.created_at);
}

void update_provider(store::Tx& tx, const Provider& provider) {
  tx.exec("UPDATE ecs_capacity_providers SET body = $2, inactive_at = $3 WHERE id = $1", provider.number,
          to_json(provider.body), provider.inactive_at);
}

void delete_inactive_providers(store::Tx& tx, base::Time since) {
  tx.exec("DELETE FROM ecs_capacity_providers WHERE inactive_at <= $1", since);
}

shapes::ecs::CapacityProvider shown(const Provider& provider, bool tags) {
  shapes::ecs::CapacityProvider out;
  out.capacityProviderArn = provider.arn();
  out.name = provider.name;
  out.status = provider.inactive_at ? "INACTIVE" : "ACTIVE";
  out.autoScalingGroupProvider = provider.body.autoScalingGroupProvider;
  out.updateStatus = provider.body.updateStatus;
  out.updateStatusReason = provider.body.updateStatusReason;
  out.tags.emplace();
  if (tags) out.tags = provider.body.tags;
  out.type = "EC2_AUTOSCALING";
  return out;
}

}  // namespace services::ecs
