// SPDX-License-Identifier: Apache-2.0
// What every account has in every region without creating it: a VPC with a subnet in each zone, a security group, a
// route table and an internet gateway. Their ids are derived from the account and the region.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/ec2/record.h"

namespace services::ec2 {

// Kinds of records.
inline constexpr std::string_view kVpcs = "vpc", kSubnets = "subnet", kSecurityGroups = "security-group",
                                  kRouteTables = "route-table", kInternetGateways = "internet-gateway",
                                  kKeyPairs = "key-pair";

std::vector<Record> default_network(const std::string& account, const std::string& region);

}  // namespace services::ec2
