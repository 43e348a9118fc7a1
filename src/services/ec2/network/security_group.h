// SPDX-License-Identifier: Apache-2.0
// Security groups as records: their rules are stored and shown, and filter no traffic.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "services/call.h"
#include "shapes/ec2/security_group.h"

namespace services::ec2 {

struct StoredGroup {
  shapes::ec2::SecurityGroup group;  // without its permissions, which follow from the rules
  std::vector<shapes::ec2::SecurityGroupRule> rules;
};
BOOST_DESCRIBE_STRUCT(StoredGroup, (), (group, rules))

// A new group with the rule that every group has at first: all traffic out.
StoredGroup make_group(const std::string& account, const std::string& region, const std::string& id,
                       const std::string& vpc);
shapes::ec2::SecurityGroup shown_group(const StoredGroup& stored);
// Throws InvalidGroup.NotFound, or InvalidGroupId.Malformed for what can't be the id of a group.
StoredGroup get_group(Call& call, const std::string& id);
// The id of a group by its id or, in the default VPC, by its name.
std::string find_group_id(Call& call, const std::optional<std::string>& id, const std::optional<std::string>& name);

}  // namespace services::ec2
