// SPDX-License-Identifier: Apache-2.0
// A launch with its JSON parsed.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shapes/ecs/service_configuration.h"
#include "shapes/ecs/task.h"
#include "state/launch.h"

namespace services::ecs {

// What the tasks of one RunTask or StartTask have in common beside the columns.
struct Launch {
  std::optional<shapes::ecs::TaskOverride> overrides;
  std::optional<shapes::ecs::NetworkConfiguration> networkConfiguration;
  std::vector<shapes::ecs::Tag> tags;
  bool enableExecuteCommand = false;
  std::optional<std::string> referenceId;
  std::optional<std::vector<shapes::ecs::Failure>> failures;
  // Digests of image tags that the deployment of a service has resolved.
  std::optional<std::vector<shapes::ecs::ContainerImage>> containerImages;
  // Of tasks with a capacity provider: they may be placed later.
  std::optional<std::vector<shapes::ecs::PlacementConstraint>> placementConstraints;
  std::optional<std::vector<shapes::ecs::PlacementStrategy>> placementStrategy;
};
BOOST_DESCRIBE_STRUCT(Launch, (),
                      (overrides, networkConfiguration, tags, enableExecuteCommand, referenceId, failures,
                       containerImages, placementConstraints, placementStrategy))

struct StoredLaunch : state::Launch {
  ecs::Launch body;
};

// Sets its number.
void insert_launch(store::Tx& tx, StoredLaunch& launch);
// Only the body can change.
void update_launch(store::Tx& tx, StoredLaunch& launch);
std::optional<StoredLaunch> load_launch(store::Tx& tx, state::LaunchNumber number);
std::optional<StoredLaunch> load_launch(store::Tx& tx, state::ClusterNumber cluster, const std::string& client_token);

}  // namespace services::ecs
