// SPDX-License-Identifier: Apache-2.0
// What a group launches: its template, its launch configuration, or the overrides of its mixed instances policy, as
// requests to EC2. Also what EC2 has of zones and subnets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/call.h"
#include "shapes/ec2/instance.h"

namespace services::autoscaling {

// The template with its id and name, and its version as the client wrote it ("$Default" where it wrote none). Throws
// ValidationError where EC2 does not have it.
shapes::autoscaling::LaunchTemplateSpecification complete_template(
    Call& call, const Group& group, const shapes::autoscaling::LaunchTemplateSpecification& given);

// One way to launch. Groups with overrides have several, in order of preference.
struct LaunchOption {
  LaunchSource source;
  std::optional<std::string> type, image;
  std::int32_t weight = 1;
};
// At least one; throws where EC2 does not have the template, or the configuration is gone.
std::vector<LaunchOption> list_launch_options(Call& call, const Group& group);

// The request for one instance of the group in this zone; the token makes it idempotent.
shapes::ec2::RunInstancesRequest launch_request(Call& call, const Group& group, const LaunchOption& option,
                                                const std::string& zone, const std::string& token);
// The subnet of that request; "": EC2 chooses.
std::string subnet_of(const Group& group, const std::string& zone);

// The subnets of a VPCZoneIdentifier with their zones. Throws ValidationError where EC2 does not have one.
std::vector<GroupSubnet> find_subnets(Call& call, const Group& group, const std::string& identifier);
// The names of zones, which are given by name or by id. Throws ValidationError where EC2 does not have one.
std::vector<std::string> find_zones(Call& call, const Group& group, const std::vector<std::string>& names,
                                    const std::vector<std::string>& ids);

}  // namespace services::autoscaling
