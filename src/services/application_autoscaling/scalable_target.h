// SPDX-License-Identifier: Apache-2.0
// Scalable targets: ECS services whose desired count is scaled, between two bounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autoscaler/step.h"
#include "services/call.h"
#include "shapes/application_autoscaling/scalable_target.h"
#include "store/store.h"

namespace services::application_autoscaling {

inline constexpr char kNamespace[] = "ecs";
inline constexpr char kDimension[] = "ecs:service:DesiredCount";
inline constexpr char kPrincipal[] = "ecs.application-autoscaling.amazonaws.com";

// "service/<cluster>/<service>".
struct ResourceName {
  std::string cluster, service;
};
// Throws for another namespace, dimension or resource: "Unsupported service namespace, resource type or scalable dimension".
ResourceName check_resource(const std::string& space, const std::string& dimension, const std::string& resource);
// For the members of Describe operations, where all but the namespace are optional. False: the list is empty, since the
// namespace is another one of Amazon's. Throws for a dimension of another namespace.
bool lists_services(const std::string& space, const std::optional<std::string>& dimension);
std::optional<ResourceName> parse_resource(const std::string& resource);

struct StoredTarget {
  std::int64_t number = 0;
  std::string account, region;
  std::string resource;
  std::string name;  // the end of its ARN
  autoscaler::Bounds bounds = {};
  shapes::application_autoscaling::SuspendedState suspended = {};
  std::map<std::string, std::string> tags = {};
  base::Time created_at = {};
  // The last change by a policy, and the activity that made it.
  std::optional<autoscaler::Cooling> cooling = {};
  std::int64_t cooling_activity = 0;

  std::string arn() const;
};

store::Migrations migrations();

std::optional<StoredTarget> find_target(store::Tx& tx, std::int64_t number);
// In the caller's account and region.
std::optional<StoredTarget> find_target(Call& call, const std::string& resource);
std::optional<StoredTarget> find_target_by_arn(Call& call, const std::string& arn);
// Targets after row `after`, of these resources where there are any.
std::vector<StoredTarget> list_targets(Call& call, const std::vector<std::string>& resources, std::int64_t after,
                                       std::int64_t most);
std::int64_t count_targets(Call& call);
void insert_target(store::Tx& tx, StoredTarget& target);
void update_target(store::Tx& tx, const StoredTarget& target);
void delete_target(store::Tx& tx, std::int64_t number);

// The caller of other services on behalf of a target.
Caller principal_for(const Call& call, const StoredTarget& target);

}  // namespace services::application_autoscaling
