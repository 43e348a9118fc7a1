// SPDX-License-Identifier: Apache-2.0
// Changes of rules that keep their ids: descriptions, and ModifySecurityGroupRules.
#include <algorithm>

#include "services/ec2/errors.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/security_rules.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

SecurityGroupRule& find_rule(StoredGroup& stored, const std::string& id) {
  const auto found = std::ranges::find_if(
      stored.rules, [&](const SecurityGroupRule& one) { return one.SecurityGroupRuleId == id; });
  if (found == stored.rules.end()) throw rule_not_found(id);
  return *found;
}

// An empty description removes it.
void set_description(SecurityGroupRule& rule, const std::optional<std::string>& description) {
  rule.Description = description && !description->empty() ? description : std::nullopt;
}

template <class Result, class Request>
Result describe_rules(Call& call, const Request& request, bool egress) {
  StoredGroup stored = get_group(call, find_group_id(call, request.GroupId, request.GroupName));
  const auto permissions = request.IpPermissions.value_or(std::vector<IpPermission>());
  const auto by_id = request.SecurityGroupRuleDescriptions.value_or(std::vector<SecurityGroupRuleDescription>());
  if (permissions.empty() && by_id.empty()) throw missing_parameter("IpPermissions");
  for (const SecurityGroupRuleDescription& one : by_id) {
    set_description(find_rule(stored, one.SecurityGroupRuleId.value_or("")), one.Description);
  }
  for (const IpPermission& permission : permissions) {
    for (const SecurityGroupRule& meant : rules_of(call, stored, permission, egress)) {
      const auto found = std::ranges::find_if(
          stored.rules, [&](const SecurityGroupRule& one) { return is_same_rule(one, meant); });
      if (found == stored.rules.end()) {
        throw ApiError("InvalidPermission.NotFound", "The specified rule does not exist in this security group.");
      }
      set_description(*found, meant.Description);
    }
  }
  check_dry_run(request.DryRun);
  put_record(call, kSecurityGroups, *stored.group.GroupId, stored);
  Result result;
  result.Return = true;
  return result;
}

UpdateSecurityGroupRuleDescriptionsIngressResult describe_ingress(
    Call& call, const UpdateSecurityGroupRuleDescriptionsIngressRequest& request) {
  return describe_rules<UpdateSecurityGroupRuleDescriptionsIngressResult>(call, request, false);
}

UpdateSecurityGroupRuleDescriptionsEgressResult describe_egress(
    Call& call, const UpdateSecurityGroupRuleDescriptionsEgressRequest& request) {
  return describe_rules<UpdateSecurityGroupRuleDescriptionsEgressResult>(call, request, true);
}

// The permission of one rule.
IpPermission to_permission(const SecurityGroupRuleRequest& request) {
  if (request.PrefixListId) throw unsupported_parameter("PrefixListId");
  if (request.CidrIpv4.has_value() + request.CidrIpv6.has_value() + request.ReferencedGroupId.has_value() != 1) {
    throw invalid_combination("Only one of cidrIp, cidrIpv6, sourcePrefixListId, or sourceSecurityGroupId can be "
                              "specified");
  }
  IpPermission permission;
  permission.IpProtocol = request.IpProtocol;
  permission.FromPort = request.FromPort;
  permission.ToPort = request.ToPort;
  if (request.CidrIpv4) permission.IpRanges = {{{request.Description, request.CidrIpv4}}};
  if (request.CidrIpv6) permission.Ipv6Ranges = {{{request.Description, request.CidrIpv6}}};
  if (request.ReferencedGroupId) {
    UserIdGroupPair& pair = permission.UserIdGroupPairs.emplace().emplace_back();
    pair.GroupId = request.ReferencedGroupId;
    pair.Description = request.Description;
  }
  return permission;
}

ModifySecurityGroupRulesResult modify_rules(Call& call, const ModifySecurityGroupRulesRequest& request) {
  StoredGroup stored = get_group(call, request.GroupId);
  for (const SecurityGroupRuleUpdate& update : request.SecurityGroupRules) {
    SecurityGroupRule& rule = find_rule(stored, update.SecurityGroupRuleId);
    if (!update.SecurityGroupRule) throw missing_parameter("SecurityGroupRule");
    const IpPermission permission = to_permission(*update.SecurityGroupRule);
    SecurityGroupRule changed = rules_of(call, stored, permission, rule.IsEgress.value_or(false)).front();
    changed.SecurityGroupRuleId = rule.SecurityGroupRuleId;
    for (const SecurityGroupRule& other : stored.rules) {
      if (other.SecurityGroupRuleId == rule.SecurityGroupRuleId || !is_same_rule(other, changed)) continue;
      throw ApiError("InvalidPermission.Duplicate", "the specified rule already exists");
    }
    rule = std::move(changed);
  }
  check_dry_run(request.DryRun);
  put_record(call, kSecurityGroups, request.GroupId, stored);
  ModifySecurityGroupRulesResult result;
  result.Return = true;
  return result;
}

}  // namespace

std::vector<Operation> security_rule_change_operations() {
  return {operation<&describe_ingress>("UpdateSecurityGroupRuleDescriptionsIngress", Access::Write),
          operation<&describe_egress>("UpdateSecurityGroupRuleDescriptionsEgress", Access::Write),
          operation<&modify_rules>("ModifySecurityGroupRules", Access::Write)};
}

}  // namespace services::ec2
