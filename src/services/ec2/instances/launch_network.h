// SPDX-License-Identifier: Apache-2.0
// Where a launch puts its instances: zone, subnet and security groups, which are records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/call.h"
#include "shapes/ec2/instance.h"

namespace services::ec2 {

struct LaunchNetwork {
  std::string zone, subnet, vpc;
  std::vector<shapes::ec2::GroupIdentifier> groups;
};

// By the subnet, else by the zone, else the default subnet of the first zone.
LaunchNetwork choose_network(Call& call, const shapes::ec2::RunInstancesRequest& request);
void check_key_pair(Call& call, const std::optional<std::string>& name);

}  // namespace services::ec2
