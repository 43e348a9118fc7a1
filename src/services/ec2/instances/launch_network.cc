// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/instances/launch_network.h"

#include <algorithm>

#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/security_group.h"
#include "services/ec2/record.h"
#include "services/ec2/zones.h"
#include "shapes/ec2/key_pair.h"
#include "shapes/ec2/subnet.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

// "": any zone. Terraform sends an empty one, which counts as none.
std::string requested_zone(Call& call, const RunInstancesRequest& request) {
  const Placement placement = request.Placement.value_or(Placement());
  const std::string zone = placement.AvailabilityZone.value_or(""), id = placement.AvailabilityZoneId.value_or("");
  if (!zone.empty()) return check_zone(call.caller.region, zone);
  return id.empty() ? "" : check_zone_id(call.caller.region, id);
}

// Of the first zone that has one.
Subnet default_subnet(Call& call, const std::string& zone) {
  std::optional<Subnet> chosen;
  for (Subnet& subnet : list_records<Subnet>(call, kSubnets)) {
    const bool fits = subnet.DefaultForAz.value_or(false) && (zone.empty() || subnet.AvailabilityZone == zone);
    if (fits && (!chosen || subnet.AvailabilityZone < chosen->AvailabilityZone)) chosen = std::move(subnet);
  }
  if (chosen) return *chosen;
  throw ApiError("MissingInput", "No subnets found for the default VPC. Please specify a subnet.");
}

Subnet choose_subnet(Call& call, const std::optional<std::string>& id, const std::string& zone) {
  if (!id) return default_subnet(call, zone);
  auto subnet = find_record<Subnet>(call, kSubnets, *id);
  if (!subnet) throw id_not_found("InvalidSubnetID.NotFound", "subnet ID", *id);
  if (!zone.empty() && subnet->AvailabilityZone != zone) {
    throw invalid_value("The availability zone '" + zone + "' does not match the zone of the subnet '" + *id + "'.");
  }
  return *subnet;
}

std::vector<GroupIdentifier> choose_groups(Call& call, const RunInstancesRequest& request, const std::string& vpc) {
  auto ids = request.SecurityGroupIds;
  if (request.NetworkInterfaces && !request.NetworkInterfaces->empty()) {
    const auto& of_interface = request.NetworkInterfaces->front().Groups;
    if (of_interface && ids) {
      throw invalid_combination("Network interfaces and an instance-level security groups may not be specified on the "
                                "same request");
    }
    if (of_interface) ids = of_interface;
  }
  std::vector<GroupIdentifier> groups;
  for (const StoredGroup& stored : list_records<StoredGroup>(call, kSecurityGroups)) {
    const SecurityGroup& group = stored.group;
    const auto names = [](const std::optional<std::vector<std::string>>& list, const std::string& value) {
      return list && std::find(list->begin(), list->end(), value) != list->end();
    };
    const bool by_default = !ids && !request.SecurityGroups && group.VpcId == vpc && group.GroupName == "default";
    if (by_default || names(ids, *group.GroupId) || (group.VpcId == vpc && names(request.SecurityGroups, *group.GroupName))) {
      groups.push_back({group.GroupId, group.GroupName});
    }
  }
  const auto has = [&](const std::string& value, auto member) {
    return std::any_of(groups.begin(), groups.end(), [&](const GroupIdentifier& one) { return one.*member == value; });
  };
  for (const std::string& id : ids.value_or(std::vector<std::string>())) {
    if (!has(id, &GroupIdentifier::GroupId)) throw id_not_found("InvalidGroup.NotFound", "security group", id);
  }
  for (const std::string& name : request.SecurityGroups.value_or(std::vector<std::string>())) {
    if (!has(name, &GroupIdentifier::GroupName)) throw id_not_found("InvalidGroup.NotFound", "security group", name);
  }
  return groups;
}

// Of one network with the subnet.
void check_networks(Call& call, const std::vector<GroupIdentifier>& groups, const Subnet& subnet) {
  for (const GroupIdentifier& group : groups) {
    if (get_group(call, *group.GroupId).group.VpcId == subnet.VpcId) continue;
    throw wire::ApiError("InvalidParameter", "Security group " + *group.GroupId + " and subnet " + *subnet.SubnetId +
                                                 " belong to different networks.");
  }
}

}  // namespace

LaunchNetwork choose_network(Call& call, const RunInstancesRequest& request) {
  auto id = request.SubnetId;
  if (request.NetworkInterfaces && !request.NetworkInterfaces->empty()) {
    const auto& of_interface = request.NetworkInterfaces->front().SubnetId;
    if (id && of_interface && *id != *of_interface) {
      throw invalid_combination("Network interfaces and an instance-level subnet ID may not be specified on the same "
                                "request");
    }
    if (of_interface) id = of_interface;
  }
  const Subnet subnet = choose_subnet(call, id, requested_zone(call, request));
  LaunchNetwork network{*subnet.AvailabilityZone, *subnet.SubnetId, *subnet.VpcId, {}};
  network.groups = choose_groups(call, request, network.vpc);
  check_networks(call, network.groups, subnet);
  return network;
}

void check_key_pair(Call& call, const std::optional<std::string>& name) {
  if (!name) return;
  for (const KeyPairInfo& pair : list_records<KeyPairInfo>(call, kKeyPairs)) {
    if (pair.KeyName == *name) return;
  }
  throw id_not_found("InvalidKeyPair.NotFound", "key pair", *name);
}

}  // namespace services::ec2
