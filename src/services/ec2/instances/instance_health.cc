// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/instances/instance_health.h"

#include "services/shape_json.h"
#include "shapes/stoker/machine.h"
#include "state/cluster.h"
#include "state/machine.h"

namespace services::ec2 {

HealthCheck check_health(const state::Ec2Instance& running, std::optional<base::Time> disconnected_at, base::Time now) {
  if (!running.joined_at) {
    const base::Time latest = running.changed_at + kJoinTime;
    if (now < latest) return {};
    return {Health::Impaired, latest};
  }
  if (disconnected_at && now >= *disconnected_at + kReconnectTime) return {Health::Impaired, *disconnected_at};
  return {Health::Ok, std::nullopt};
}

std::optional<base::Time> find_disconnection(store::Tx& tx, const state::Ec2Instance& instance) {
  if (!instance.joined_at || instance.agent_json.empty()) return std::nullopt;
  const auto settings = from_json<shapes::stoker::AgentSettings>(instance.agent_json);
  const auto cluster = state::find_cluster(tx, {instance.account, instance.region, settings.cluster});
  if (!cluster) return std::nullopt;
  const auto away = state::list_disconnected(tx, cluster->number, instance.id);
  return away.empty() ? std::nullopt : std::optional(away.front().connected_at);
}

}  // namespace services::ec2
