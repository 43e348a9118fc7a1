// SPDX-License-Identifier: Apache-2.0
// The user data of an instance, for providers whose machines can use it.
#pragma once

#include <string>

#include "services/call.h"
#include "state/ec2_instance.h"

namespace control::providers {

// With EC2's own DescribeInstanceAttribute. "" where there is none.
std::string user_data_of(services::Call& call, const state::Ec2Instance& instance);

}  // namespace control::providers
