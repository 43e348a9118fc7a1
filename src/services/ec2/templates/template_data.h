// SPDX-License-Identifier: Apache-2.0
// The settings of a launch template's version, and how they become a launch.
#pragma once

#include <string>

#include "services/call.h"
#include "shapes/ec2/instance.h"
#include "shapes/ec2/launch_template.h"

namespace services::ec2 {

// Rejects settings that a launch could not honour.
void check_template_data(Call& call, const shapes::ec2::RequestLaunchTemplateData& data);

// The settings of `over` before those of `base`; tags of a resource type are combined.
std::string merge_settings(const std::string& base_json, const std::string& over_json);

// A request with its launch template's settings in it, where it names a template.
shapes::ec2::RunInstancesRequest with_template(Call& call, const shapes::ec2::RunInstancesRequest& request);

}  // namespace services::ec2
