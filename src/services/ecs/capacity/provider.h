// SPDX-License-Identifier: Apache-2.0
// Capacity providers: each makes an Auto Scaling group the source of machines for clusters.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "services/call.h"
#include "shapes/ecs/capacity_provider.h"
#include "store/store.h"

namespace services::ecs {

struct ProviderBody {
  shapes::ecs::AutoScalingGroupProvider autoScalingGroupProvider = {};  // with all defaults
  std::vector<shapes::ecs::Tag> tags = {};
  std::string updateStatus = {};  // "CREATE_COMPLETE"
  std::optional<std::string> updateStatusReason = {};  // of DELETE_FAILED
};
BOOST_DESCRIBE_STRUCT(ProviderBody, (), (autoScalingGroupProvider, tags, updateStatus, updateStatusReason))

struct Provider {
  std::int64_t number = 0;
  std::string account, region, name;
  std::string group = {};  // the name of its Auto Scaling group
  ProviderBody body = {};
  base::Time created_at = {};
  std::optional<base::Time> inactive_at = {};  // deleted, and still described

  bool scales() const;    // managed scaling: its tasks may wait for capacity
  bool protects() const;  // managed termination protection
  bool drains() const;    // managed draining
  const shapes::ecs::ManagedScaling& scaling() const { return *body.autoScalingGroupProvider.managedScaling; }
  std::string arn() const;
};

std::optional<Provider> find_provider(store::Tx& tx, const std::string& account, const std::string& region,
                                      const std::string& name);
std::optional<Provider> find_provider_of_group(store::Tx& tx, const std::string& account, const std::string& region,
                                               const std::string& group);
// ACTIVE ones after the name `after`, at most so many, by name.
std::vector<Provider> list_providers(store::Tx& tx, const Caller& caller, const std::string& after, std::int64_t most);

void insert_provider(store::Tx& tx, const Provider& provider);  // replaces an INACTIVE one of its name
void update_provider(store::Tx& tx, const Provider& provider);
// Those that have been INACTIVE since `since` or longer.
void delete_inactive_providers(store::Tx& tx, base::Time since);

shapes::ecs::CapacityProvider shown(const Provider& provider, bool tags);

}  // namespace services::ecs
