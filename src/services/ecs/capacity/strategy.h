// SPDX-License-Identifier: Apache-2.0
// Capacity provider strategies: which provider each task of a launch gets.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/capacity_provider.h"
#include "services/ecs/capacity/provider.h"
#include "services/ecs/clusters/cluster.h"
#include "shapes/ecs/cluster.h"

namespace services::ecs {

using Strategy = std::vector<shapes::ecs::CapacityProviderStrategyItem>;

inline constexpr std::size_t kMaxProviders = 20;  // Amazon's, of a strategy and of a cluster

bool names_provider(const Strategy& strategy, const std::string& provider);

// An ACTIVE provider of the cluster's account. Throws InvalidParameterException.
Provider find_usable_provider(Call& call, const state::Cluster& cluster, const std::string& name);

// With weight and base of every item. Throws InvalidParameterException unless all of its providers are among those of
// the cluster, and the numbers make sense.
Strategy check_strategy(Strategy strategy, const std::vector<std::string>& providers);

// The strategy of a request: its own, else the cluster's default where it has no launch type either; empty: none.
Strategy choose_strategy(Call& call, const state::Cluster& cluster, const std::optional<Strategy>& requested,
                         const std::optional<std::string>& launch_type);

// Assigns tasks to the providers of a strategy, one after the other.
class ProviderChoice {
 public:
  ProviderChoice() = default;  // without a strategy
  // `assigned`: tasks that the providers have already. Throws where a provider was deleted.
  ProviderChoice(Call& call, const state::Cluster& cluster, const Strategy& strategy,
                 const std::map<std::string, std::int64_t>& assigned = {});

  bool has_strategy() const { return !providers_.empty(); }
  // The provider of the next task; nullptr: the task needs none.
  const Provider* next() const;
  // It has got the task.
  void assign();

 private:
  std::vector<Provider> providers_;
  std::vector<autoscaler::StrategyShare> shares_;
};

}  // namespace services::ecs
