// SPDX-License-Identifier: Apache-2.0
// New networks as records, and the addresses that they have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "services/call.h"
#include "services/ec2/network/security_group.h"
#include "shapes/ec2/route.h"
#include "shapes/ec2/subnet.h"
#include "shapes/ec2/vpc.h"

namespace services::ec2 {

// "10.0.0.0/16"
struct CidrBlock {
  std::uint32_t first = 0;
  int prefix = 0;

  std::uint32_t last() const;
  bool contains(const CidrBlock& other) const;
  bool overlaps(const CidrBlock& other) const;
  std::string str() const;  // canonical: "10.0.0.7/8" was read as 10.0.0.0/8
};
// nullopt unless it is an IPv4 block.
std::optional<CidrBlock> parse_cidr(const std::string& text);
// The addresses of a subnet, without the five that Amazon keeps.
std::int32_t free_addresses(const std::string& cidr);

shapes::ec2::Vpc make_vpc(const std::string& account, const std::string& id, const std::string& cidr);
shapes::ec2::Subnet make_subnet(const std::string& account, const std::string& region, const std::string& id,
                                const std::string& zone);
// Every VPC has a main route table and a default security group.
shapes::ec2::RouteTable main_route_table(const std::string& account, const std::string& id, const std::string& vpc,
                                         const std::string& cidr);
StoredGroup make_default_group(const std::string& account, const std::string& region, const std::string& id,
                               const std::string& vpc);

shapes::ec2::Vpc get_vpc(Call& call, const std::string& id);
shapes::ec2::Subnet get_subnet(Call& call, const std::string& id);

}  // namespace services::ec2
