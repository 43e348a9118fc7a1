// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/capacity/strategy.h"

#include <algorithm>

#include "base/check.h"
#include "services/ecs/capacity/association.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/shape_json.h"

namespace services::ecs {
namespace {

using shapes::ecs::CapacityProviderStrategyItem;

constexpr std::int32_t kMaxWeight = 1000, kMaxBase = 100000;  // Amazon's

void check_shares(const Strategy& strategy) {
  const auto based = [](const CapacityProviderStrategyItem& item) { return item.base.value_or(0) > 0; };
  if (std::ranges::count_if(strategy, based) > 1) {
    throw invalid_parameter(
        "There are multiple capacity providers in the specified capacity provider strategy with a base value defined. "
        "Only one capacity provider in a capacity provider strategy can have a base value defined.");
  }
  const auto weighted = [](const CapacityProviderStrategyItem& item) { return item.weight.value_or(0) > 0; };
  // A single provider gets all tasks, whatever its weight.
  if (strategy.size() > 1 && std::ranges::none_of(strategy, weighted)) {
    throw invalid_parameter(
        "There are no capacity providers in the capacity provider strategy with a weight value greater than zero. "
        "Specify a weight value greater than zero for at least one capacity provider and try again.");
  }
}

}  // namespace

bool names_provider(const Strategy& strategy, const std::string& provider) {
  return std::ranges::any_of(
      strategy, [&](const CapacityProviderStrategyItem& item) { return item.capacityProvider == provider; });
}

Provider find_usable_provider(Call& call, const state::Cluster& cluster, const std::string& name) {
  if (name == "FARGATE" || name == "FARGATE_SPOT") {
    throw invalid_parameter("The capacity provider '" + name +
                            "' is not supported by Stoker: there is no Fargate. Tasks run on your own machines.");
  }
  auto provider = find_provider(call.tx, cluster.account, cluster.region, name);
  if (!provider || provider->inactive_at) {
    throw invalid_parameter("The specified capacity provider '" + name +
                            "' was not found. Specify a valid capacity provider and try again.");
  }
  return std::move(*provider);
}

Strategy check_strategy(Strategy strategy, const std::vector<std::string>& providers) {
  check_at_most(kMaxProviders, strategy.size(), "capacityProviderStrategy");
  for (CapacityProviderStrategyItem& item : strategy) {
    if (std::ranges::find(providers, item.capacityProvider) == providers.end()) {
      throw invalid_parameter(
          "The specified capacity provider strategy cannot contain a capacity provider that is not associated with the "
          "cluster. Associate the capacity provider with the cluster or specify a valid capacity provider and try again.");
    }
    item.weight = item.weight.value_or(0);
    item.base = item.base.value_or(0);
    if (*item.weight < 0 || *item.weight > kMaxWeight) throw invalid_parameter("weight should be between 0 and 1000.");
    if (*item.base < 0 || *item.base > kMaxBase) throw invalid_parameter("base should be between 0 and 100000.");
    const auto same = [&](const CapacityProviderStrategyItem& other) {
      return other.capacityProvider == item.capacityProvider;
    };
    if (std::ranges::count_if(strategy, same) > 1) {
      throw invalid_parameter("A capacity provider should not be given twice in a capacity provider strategy.");
    }
  }
  check_shares(strategy);
  return strategy;
}

Strategy choose_strategy(Call& call, const state::Cluster& cluster, const std::optional<Strategy>& requested,
                         const std::optional<std::string>& launch_type) {
  const bool given = requested && !requested->empty();
  if (given && launch_type) {
    throw invalid_parameter(
        "Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.");
  }
  if (given) {
    std::vector<std::string> providers;
    for (const Association& association : list_associations(call.tx, cluster.number)) {
      providers.push_back(association.provider);
    }
    return check_strategy(*requested, providers);
  }
  // Most clusters have no provider, and most requests are to be fast.
  if (launch_type || !call.local<CapacityIndex>().has(cluster.number)) return {};
  const auto body = from_json<shapes::ecs::Cluster>(state::cluster_body(call.tx, cluster.number));
  return body.defaultCapacityProviderStrategy.value_or(Strategy());
}

ProviderChoice::ProviderChoice(Call& call, const state::Cluster& cluster, const Strategy& strategy,
                               const std::map<std::string, std::int64_t>& assigned) {
  for (const CapacityProviderStrategyItem& item : strategy) {
    providers_.push_back(find_usable_provider(call, cluster, item.capacityProvider));
    const auto known = assigned.find(item.capacityProvider);
    shares_.push_back({.base = item.base.value_or(0),
                       .weight = strategy.size() == 1 ? 1 : item.weight.value_or(0),
                       .assigned = known == assigned.end() ? 0 : known->second});
  }
}

const Provider* ProviderChoice::next() const {
  const auto next = autoscaler::next_share(shares_);
  return next ? &providers_[*next] : nullptr;
}

void ProviderChoice::assign() {
  const auto next = autoscaler::next_share(shares_);
  CHECK(next) << "a task without a provider";
  ++shares_[*next].assigned;
}

}  // namespace services::ecs
