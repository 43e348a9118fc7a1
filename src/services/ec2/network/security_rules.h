// SPDX-License-Identifier: Apache-2.0
// Rules of security groups, as permissions describe them.
#pragma once

#include <string>
#include <vector>

#include "services/ec2/network/security_group.h"
#include "wire/error.h"

namespace services::ec2 {

// One rule for each source or destination of a permission, with ids of their own. Throws for an invalid permission.
std::vector<shapes::ec2::SecurityGroupRule> rules_of(Call& call, const StoredGroup& stored,
                                                     const shapes::ec2::IpPermission& permission, bool egress);
// Apart from their ids and descriptions.
bool is_same_rule(const shapes::ec2::SecurityGroupRule& a, const shapes::ec2::SecurityGroupRule& b);

wire::ApiError rule_not_found(const std::string& id);

}  // namespace services::ec2
