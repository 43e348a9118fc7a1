// SPDX-License-Identifier: Apache-2.0
// Rows of launch configurations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/call.h"
#include "shapes/autoscaling/launch_configuration.h"
#include "store/store.h"

namespace services::autoscaling {

using shapes::autoscaling::LaunchConfiguration;

struct LaunchConfigurationKey {
  const std::string &account, &region, &name;
};
std::optional<LaunchConfiguration> load_launch_configuration(store::Tx& tx, const LaunchConfigurationKey& key);
// Of the caller's account and region; throws ValidationError.
LaunchConfiguration find_launch_configuration(Call& call, const std::string& name);
// A new one, with what the instance was launched with.
void create_configuration_of(Call& call, const std::string& name, const std::string& instance);
std::int64_t count_launch_configurations(Call& call);

}  // namespace services::autoscaling
