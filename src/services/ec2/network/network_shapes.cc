// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/network/network_shapes.h"

#include <charconv>

#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/record.h"
#include "services/ec2/zones.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr std::int64_t kReservedAddresses = 5;

std::optional<int> take_number(std::string_view& text, char end, int most) {
  const std::size_t size = std::min(text.find(end), text.size());
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + size, number);
  if (error != std::errc() || stop != text.data() + size || size == 0 || number < 0 || number > most) return std::nullopt;
  text.remove_prefix(std::min(text.size(), size + 1));
  return number;
}

}  // namespace

std::uint32_t CidrBlock::last() const {
  const std::uint64_t size = std::uint64_t{1} << (32 - prefix);
  return static_cast<std::uint32_t>(first + size - 1);
}

bool CidrBlock::contains(const CidrBlock& other) const { return first <= other.first && other.last() <= last(); }

bool CidrBlock::overlaps(const CidrBlock& other) const { return first <= other.last() && other.first <= last(); }

std::string CidrBlock::str() const {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string((first >> shift) & 0xFF) + (shift > 0 ? "." : "/");
  }
  return text + std::to_string(prefix);
}

std::optional<CidrBlock> parse_cidr(const std::string& text) {
  std::string_view rest = text;
  CidrBlock block;
  for (int i = 0; i < 4; ++i) {
    const auto number = take_number(rest, i == 3 ? '/' : '.', 255);
    if (!number) return std::nullopt;
    block.first = (block.first << 8) | static_cast<std::uint32_t>(*number);
  }
  if (text.find('/') == text.npos) return std::nullopt;
  const auto prefix = take_number(rest, '\0', 32);
  if (!prefix || !rest.empty()) return std::nullopt;
  block.prefix = *prefix;
  const std::uint64_t size = std::uint64_t{1} << (32 - block.prefix);
  block.first = static_cast<std::uint32_t>(block.first & ~(size - 1));
  return block;
}

std::int32_t free_addresses(const std::string& cidr) {
  const auto block = parse_cidr(cidr);
  if (!block) return 0;
  const std::int64_t all = std::int64_t{1} << (32 - block->prefix);
  return static_cast<std::int32_t>(std::max<std::int64_t>(0, all - kReservedAddresses));
}

Vpc make_vpc(const std::string& account, const std::string& id, const std::string& cidr) {
  Vpc vpc;
  vpc.VpcId = id;
  vpc.OwnerId = account;
  vpc.InstanceTenancy = "default";
  vpc.IsDefault = false;
  vpc.State = "available";
  vpc.CidrBlock = cidr;
  vpc.DhcpOptionsId = "default";
  VpcCidrBlockAssociation association;
  association.AssociationId = derive_id("vpc-cidr-assoc", id);
  association.CidrBlock = cidr;
  association.CidrBlockState.emplace();
  association.CidrBlockState->State = "associated";
  vpc.CidrBlockAssociationSet = {{association}};
  return vpc;
}

Subnet make_subnet(const std::string& account, const std::string& region, const std::string& id,
                   const std::string& zone) {
  Subnet subnet;
  subnet.SubnetId = id;
  subnet.SubnetArn = "arn:aws:ec2:" + region + ":" + account + ":subnet/" + id;
  subnet.OwnerId = account;
  subnet.AvailabilityZone = zone;
  subnet.AvailabilityZoneId = zone_id(zone);
  subnet.State = "available";
  subnet.DefaultForAz = false;
  subnet.MapPublicIpOnLaunch = false;
  subnet.AssignIpv6AddressOnCreation = false;
  subnet.EnableDns64 = false;
  subnet.Ipv6Native = false;
  subnet.MapCustomerOwnedIpOnLaunch = false;
  subnet.Ipv6CidrBlockAssociationSet.emplace();
  return subnet;
}

RouteTable main_route_table(const std::string& account, const std::string& id, const std::string& vpc,
                            const std::string& cidr) {
  RouteTable table;
  table.RouteTableId = id;
  table.VpcId = vpc;
  table.OwnerId = account;
  table.PropagatingVgws.emplace();
  RouteTableAssociation association;
  association.Main = true;
  association.RouteTableAssociationId = derive_id("rtbassoc", id);
  association.RouteTableId = id;
  association.AssociationState.emplace();
  association.AssociationState->State = "associated";
  table.Associations = {{association}};
  Route local;
  local.DestinationCidrBlock = cidr;
  local.GatewayId = "local";
  local.Origin = "CreateRouteTable";
  local.State = "active";
  table.Routes = {{local}};
  return table;
}

StoredGroup make_default_group(const std::string& account, const std::string& region, const std::string& id,
                               const std::string& vpc) {
  StoredGroup stored = make_group(account, region, id, vpc);
  stored.group.GroupName = "default";
  stored.group.Description = "default VPC security group";
  SecurityGroupRule inside;
  inside.SecurityGroupRuleId = derive_id("sgr", id + "/in");
  inside.GroupId = id;
  inside.GroupOwnerId = account;
  inside.IsEgress = false;
  inside.IpProtocol = "-1";
  inside.FromPort = inside.ToPort = -1;
  inside.ReferencedGroupInfo.emplace();
  inside.ReferencedGroupInfo->GroupId = id;
  inside.ReferencedGroupInfo->UserId = account;
  stored.rules.push_back(inside);
  return stored;
}

Vpc get_vpc(Call& call, const std::string& id) {
  auto vpc = find_record<Vpc>(call, kVpcs, id);
  if (!vpc) throw id_not_found("InvalidVpcID.NotFound", "vpc ID", id);
  return *vpc;
}

Subnet get_subnet(Call& call, const std::string& id) {
  auto subnet = find_record<Subnet>(call, kSubnets, id);
  if (!subnet) throw id_not_found("InvalidSubnetID.NotFound", "subnet ID", id);
  return *subnet;
}

}  // namespace services::ec2
