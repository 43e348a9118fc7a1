// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/network/default_network.h"

#include "services/ec2/identifiers.h"
#include "services/ec2/network/network_shapes.h"
#include "services/ec2/network/security_group.h"
#include "services/ec2/zones.h"
#include "services/shape_json.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr char kDefaultCidr[] = "172.31.0.0/16";

std::string subnet_cidr(std::size_t index) { return "172.31." + std::to_string(16 * index) + ".0/20"; }

InternetGateway default_gateway(const std::string& account, const std::string& id, const std::string& vpc) {
  InternetGateway gateway;
  gateway.InternetGatewayId = id;
  gateway.OwnerId = account;
  gateway.Attachments = {{{"available", vpc}}};
  return gateway;
}

RouteTable default_routes(const std::string& account, const std::string& place, const std::string& gateway) {
  RouteTable table = main_route_table(account, derive_id("rtb", place), derive_id("vpc", place), kDefaultCidr);
  table.Associations->front().RouteTableAssociationId = derive_id("rtbassoc", place);
  Route route;
  route.DestinationCidrBlock = "0.0.0.0/0";
  route.GatewayId = gateway;
  route.Origin = "CreateRoute";
  route.State = "active";
  table.Routes->push_back(route);
  return table;
}

}  // namespace

std::vector<Record> default_network(const std::string& account, const std::string& region) {
  const std::string place = account + "/" + region + "/default";
  const std::string vpc_id = derive_id("vpc", place), gateway_id = derive_id("igw", place);
  std::vector<Record> records;
  const auto add = [&](std::string_view kind, const std::string& id, std::string body) {
    records.push_back({std::string(kind), id, std::move(body)});
  };
  Vpc vpc = make_vpc(account, vpc_id, kDefaultCidr);
  vpc.IsDefault = true;
  vpc.CidrBlockAssociationSet->front().AssociationId = derive_id("vpc-cidr-assoc", place);
  add(kVpcs, vpc_id, to_json(vpc));
  const auto zones = zones_of(region);
  for (std::size_t i = 0; i < zones.size(); ++i) {
    Subnet subnet = make_subnet(account, region, derive_id("subnet", place + zones[i]), zones[i]);
    subnet.VpcId = vpc_id;
    subnet.CidrBlock = subnet_cidr(i);
    subnet.AvailableIpAddressCount = free_addresses(*subnet.CidrBlock);
    subnet.DefaultForAz = true;
    subnet.MapPublicIpOnLaunch = true;
    add(kSubnets, *subnet.SubnetId, to_json(subnet));
  }
  add(kSecurityGroups, derive_id("sg", place),
      to_json(make_default_group(account, region, derive_id("sg", place), vpc_id)));
  add(kInternetGateways, gateway_id, to_json(default_gateway(account, gateway_id, vpc_id)));
  add(kRouteTables, derive_id("rtb", place), to_json(default_routes(account, place, gateway_id)));
  return records;
}

}  // namespace services::ec2
