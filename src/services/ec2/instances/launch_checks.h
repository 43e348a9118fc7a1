// SPDX-License-Identifier: Apache-2.0
// What a launch, or a launch template, may request.
#pragma once

#include <optional>
#include <string>

#include "model/instance_types.h"
#include "services/call.h"
#include "shapes/ec2/instance.h"

namespace services::ec2 {

// The catalogue of instance types, in Locals.
struct InstanceTypeCatalogue {
  model::InstanceTypes types;
};

// All that an account may have in a region.
inline constexpr std::int64_t kMaxListedInstances = 100000;
// Of the decoded text.
inline constexpr std::size_t kMaxUserData = 16384;

// Rejects settings that Stoker cannot honour, by name. `path` stands before the names.
void check_launch_members(const shapes::ec2::RunInstancesRequest& request, const std::string& path);
const model::InstanceType& check_instance_type(const Call& call, const std::string& name);
// The decoded text; "" without any. `malformed` is the code of the error for invalid base64.
std::string check_user_data(const std::optional<std::string>& base64, const std::string& malformed);
// "arm64" or "x86_64"
std::string architecture_of(const std::string& instance_type);

}  // namespace services::ec2
