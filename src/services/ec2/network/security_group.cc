// SPDX-License-Identifier: Apache-2.0
#include "services/ec2/network/security_group.h"

#include <algorithm>
#include <set>

#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/network_shapes.h"
#include "services/ec2/network/record_list.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::size_t kMaxGroups = 2500, kMaxGroupName = 255;  // Amazon's quota of a region
constexpr std::string_view kGroupFilters[] = {
    "description", "group-id", "group-name", "owner-id", "vpc-id", "ip-permission.cidr", "ip-permission.from-port",
    "ip-permission.group-id", "ip-permission.group-name", "ip-permission.ipv6-cidr", "ip-permission.prefix-list-id",
    "ip-permission.protocol", "ip-permission.to-port", "ip-permission.user-id", "egress.ip-permission.cidr",
    "egress.ip-permission.from-port", "egress.ip-permission.group-id", "egress.ip-permission.group-name",
    "egress.ip-permission.ipv6-cidr", "egress.ip-permission.prefix-list-id", "egress.ip-permission.protocol",
    "egress.ip-permission.to-port", "egress.ip-permission.user-id"};

// Of one permission, under the end of a filter's name: "from-port".
void add_permission_values(const IpPermission& permission, std::string_view name, std::vector<std::string>& values) {
  if (name == "protocol") values.push_back(permission.IpProtocol.value_or(""));
  if (name == "from-port" && permission.FromPort) values.push_back(std::to_string(*permission.FromPort));
  if (name == "to-port" && permission.ToPort) values.push_back(std::to_string(*permission.ToPort));
  for (const auto& range : permission.IpRanges.value_or(std::vector<shapes::ec2::IpRange>())) {
    if (name == "cidr") values.push_back(range.CidrIp.value_or(""));
  }
  for (const auto& range : permission.Ipv6Ranges.value_or(std::vector<shapes::ec2::Ipv6Range>())) {
    if (name == "ipv6-cidr") values.push_back(range.CidrIpv6.value_or(""));
  }
  for (const auto& pair : permission.UserIdGroupPairs.value_or(std::vector<UserIdGroupPair>())) {
    if (name == "group-id") values.push_back(pair.GroupId.value_or(""));
    if (name == "group-name" && pair.GroupName) values.push_back(*pair.GroupName);
    if (name == "user-id") values.push_back(pair.UserId.value_or(""));
  }
}

std::vector<std::string> group_filter_values(const SecurityGroup& group, std::string_view name) {
  if (name == "description") return as_values(group.Description);
  if (name == "group-id") return as_values(group.GroupId);
  if (name == "group-name") return as_values(group.GroupName);
  if (name == "owner-id") return as_values(group.OwnerId);
  if (name == "vpc-id") return as_values(group.VpcId);
  const auto& permissions = name.starts_with("egress.") ? group.IpPermissionsEgress : group.IpPermissions;
  std::vector<std::string> values;
  for (const IpPermission& permission : permissions.value_or(std::vector<IpPermission>())) {
    add_permission_values(permission, name.substr(name.rfind('.') + 1), values);
  }
  return values;
}

const ListRules<SecurityGroup> kGroupRules{kSecurityGroups,  &SecurityGroup::GroupId, "InvalidGroup.NotFound",
                                           "security group", kGroupFilters,           &group_filter_values};

// The permission of a list with these ports.
IpPermission& permission_for(std::vector<IpPermission>& permissions, const SecurityGroupRule& rule) {
  const bool all = rule.IpProtocol == "-1";
  for (IpPermission& one : permissions) {
    if (one.IpProtocol == rule.IpProtocol && (all || (one.FromPort == rule.FromPort && one.ToPort == rule.ToPort))) {
      return one;
    }
  }
  IpPermission& made = permissions.emplace_back();
  made.IpProtocol = rule.IpProtocol;
  if (!all) {
    made.FromPort = rule.FromPort;
    made.ToPort = rule.ToPort;
  }
  made.IpRanges.emplace();
  made.Ipv6Ranges.emplace();
  made.PrefixListIds.emplace();
  made.UserIdGroupPairs.emplace();
  return made;
}

void add_rule(std::vector<IpPermission>& permissions, const SecurityGroupRule& rule) {
  IpPermission& permission = permission_for(permissions, rule);
  if (rule.CidrIpv4) permission.IpRanges->push_back({rule.Description, rule.CidrIpv4});
  if (rule.CidrIpv6) permission.Ipv6Ranges->push_back({rule.Description, rule.CidrIpv6});
  if (!rule.ReferencedGroupInfo) return;
  UserIdGroupPair& pair = permission.UserIdGroupPairs->emplace_back();
  pair.Description = rule.Description;
  pair.GroupId = rule.ReferencedGroupInfo->GroupId;
  pair.UserId = rule.ReferencedGroupInfo->UserId;
}

void check_group_id(const std::string& id) {
  if (id.starts_with("sg-")) return;
  const std::string problem = id.empty() ? "The security-group ID '' is malformed"
                                         : "Invalid id: \"" + id + "\" (expecting \"sg-...\")";
  throw ApiError("InvalidGroupId.Malformed", problem);
}

// "" for an account without a default VPC.
std::string default_vpc(Call& call) {
  for (const Vpc& one : list_records<Vpc>(call, kVpcs)) {
    if (one.IsDefault.value_or(false)) return *one.VpcId;
  }
  return "";
}

ApiError name_not_found(const std::string& name, const std::string& vpc) {
  return ApiError("InvalidGroup.NotFound",
                  "The security group '" + name + "' does not exist in default VPC '" + vpc + "'");
}

void check_new_group(const CreateSecurityGroupRequest& request) {
  const std::string& name = request.GroupName;
  if (name == "default") throw invalid_value("Cannot use reserved security group name: default");
  if (name.starts_with("sg-")) {
    throw invalid_value("Value (" + name + ") for parameter GroupName is invalid. Group names may not be in the format "
                        "sg-*.");
  }
  if (name.empty() || name.size() > kMaxGroupName) {
    throw invalid_value("Value (" + name + ") for parameter GroupName is invalid.");
  }
  if (request.Description.empty()) throw missing_parameter("GroupDescription");
}

CreateSecurityGroupResult create_security_group(Call& call, const CreateSecurityGroupRequest& request) {
  check_new_group(request);
  if (request.VpcId) get_vpc(call, *request.VpcId);
  const std::string vpc = request.VpcId ? *request.VpcId : default_vpc(call);
  if (vpc.empty()) throw ApiError("VPCIdNotSpecified", "No default VPC for this user");
  const auto groups = list_records<StoredGroup>(call, kSecurityGroups);
  for (const StoredGroup& stored : groups) {
    if (stored.group.VpcId != vpc || stored.group.GroupName != request.GroupName) continue;
    throw ApiError("InvalidGroup.Duplicate",
                   "The security group '" + request.GroupName + "' already exists for VPC '" + vpc + "'");
  }
  if (groups.size() >= kMaxGroups) {
    throw ApiError("SecurityGroupLimitExceeded", "The maximum number of security groups has been reached.");
  }
  const Tags tags = requested_tags(call, request.TagSpecifications, kSecurityGroups);
  check_dry_run(request.DryRun);
  StoredGroup stored = make_group(call.caller.account, call.caller.region, make_id("sg"), vpc);
  stored.group.GroupName = request.GroupName;
  stored.group.Description = request.Description;
  put_record(call, kSecurityGroups, *stored.group.GroupId, stored);
  put_tags(call, *stored.group.GroupId, kSecurityGroups, tags);
  CreateSecurityGroupResult result;
  result.GroupId = stored.group.GroupId;
  result.SecurityGroupArn = stored.group.SecurityGroupArn;
  if (!tags.empty()) result.Tags = shown_tags(tags);
  return result;
}

DescribeSecurityGroupsResult describe_security_groups(Call& call, const DescribeSecurityGroupsRequest& request) {
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  std::vector<SecurityGroup> groups;
  for (const StoredGroup& stored : list_records<StoredGroup>(call, kSecurityGroups)) groups.push_back(shown_group(stored));
  if (request.GroupNames) {
    std::set<std::string> named;
    for (const std::string& name : *request.GroupNames) named.insert(find_group_id(call, std::nullopt, name));
    std::erase_if(groups, [&](const SecurityGroup& group) { return !named.contains(*group.GroupId); });
  }
  for (const std::string& id : request.GroupIds.value_or(std::vector<std::string>())) check_group_id(id);
  groups = select_records(call, std::move(groups), kGroupRules, {request.GroupIds, request.Filters, request.DryRun});
  DescribeSecurityGroupsResult result;
  result.NextToken = cut_list(groups, page, [](const SecurityGroup& one) { return *one.GroupId; });
  result.SecurityGroups = std::move(groups);
  return result;
}

// A group that an instance or another group's rule refers to stays.
void check_unused(Call& call, const std::string& id) {
  const auto in_use = [&] {
    return ApiError("DependencyViolation", "resource " + id + " has a dependent object");
  };
  const auto instances = state::list_ec2_instances(
      call.tx, {.account = call.caller.account, .region = call.caller.region, .most = kMaxListedInstances});
  for (const auto& instance : instances) {
    if (instance.state == state::Ec2State::Terminated) continue;
    for (const auto& group : body_of(instance).shape.SecurityGroups.value_or(std::vector<GroupIdentifier>())) {
      if (group.GroupId == id) throw in_use();
    }
  }
  for (const StoredGroup& other : list_records<StoredGroup>(call, kSecurityGroups)) {
    for (const SecurityGroupRule& rule : other.rules) {
      const bool refers = rule.ReferencedGroupInfo && rule.ReferencedGroupInfo->GroupId == id;
      if (refers && other.group.GroupId != id) throw in_use();
    }
  }
}

DeleteSecurityGroupResult delete_security_group(Call& call, const DeleteSecurityGroupRequest& request) {
  const std::string id = find_group_id(call, request.GroupId, request.GroupName);
  if (get_group(call, id).group.GroupName == "default") {
    throw ApiError("CannotDelete", "the specified group: \"" + id + "\" name: \"default\" cannot be deleted by a user");
  }
  check_unused(call, id);
  check_dry_run(request.DryRun);
  delete_record(call, kSecurityGroups, id);
  DeleteSecurityGroupResult result;
  result.Return = true;
  result.GroupId = id;
  return result;
}

}  // namespace

StoredGroup make_group(const std::string& account, const std::string& region, const std::string& id,
                       const std::string& vpc) {
  StoredGroup stored;
  stored.group.GroupId = id;
  stored.group.VpcId = vpc;
  stored.group.OwnerId = account;
  stored.group.SecurityGroupArn = "arn:aws:ec2:" + region + ":" + account + ":security-group/" + id;
  SecurityGroupRule out;
  out.SecurityGroupRuleId = derive_id("sgr", id + "/out");
  out.GroupId = id;
  out.GroupOwnerId = account;
  out.IsEgress = true;
  out.IpProtocol = "-1";
  out.FromPort = out.ToPort = -1;
  out.CidrIpv4 = "0.0.0.0/0";
  stored.rules.push_back(out);
  return stored;
}

SecurityGroup shown_group(const StoredGroup& stored) {
  SecurityGroup group = stored.group;
  group.IpPermissions.emplace();
  group.IpPermissionsEgress.emplace();
  for (const SecurityGroupRule& rule : stored.rules) {
    add_rule(rule.IsEgress.value_or(false) ? *group.IpPermissionsEgress : *group.IpPermissions, rule);
  }
  return group;
}

StoredGroup get_group(Call& call, const std::string& id) {
  check_group_id(id);
  auto stored = find_record<StoredGroup>(call, kSecurityGroups, id);
  if (!stored) throw id_not_found("InvalidGroup.NotFound", "security group", id);
  return *stored;
}

std::string find_group_id(Call& call, const std::optional<std::string>& id, const std::optional<std::string>& name) {
  if (id) return *id;
  if (!name) throw missing_parameter("groupId");
  const std::string vpc = default_vpc(call);
  for (const StoredGroup& stored : list_records<StoredGroup>(call, kSecurityGroups)) {
    if (stored.group.VpcId == vpc && stored.group.GroupName == *name) return *stored.group.GroupId;
  }
  throw name_not_found(*name, vpc);
}

std::vector<Operation> security_group_operations() {
  return {operation<&create_security_group>("CreateSecurityGroup", Access::Write),
          operation<&describe_security_groups>("DescribeSecurityGroups", Access::Read),
          operation<&delete_security_group>("DeleteSecurityGroup", Access::Write)};
}

}  // namespace services::ec2
