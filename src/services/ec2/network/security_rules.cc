// SPDX-License-Identifier: Apache-2.0
// Rules of security groups: authorizing, revoking and listing them.
#include <algorithm>
#include <cctype>

#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/network_shapes.h"
#include "services/ec2/network/record_list.h"
#include "services/ec2/network/security_rules.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::size_t kMaxRules = 1000;
constexpr std::string_view kRuleFilters[] = {"group-id", "security-group-rule-id"};

// Rules have no tags of their own here.
template <class Request>
void check_rule_request(const Request& request) {
  reject_members(request, {"SourceSecurityGroupOwnerId", "TagSpecifications"});
}

// "-1" for "all"; names of protocols in lower case.
std::string protocol_of(const IpPermission& permission) {
  const std::string name = base::to_lower(permission.IpProtocol.value_or(""));
  if (name.empty()) {
    throw invalid_value("Invalid value 'null' for protocol. VPC security group rules must specify protocols explicitly.");
  }
  if (name == "all") return "-1";
  if (name == "6") return "tcp";
  if (name == "17") return "udp";
  if (name == "1") return "icmp";
  if (name == "58") return "icmpv6";
  constexpr std::string_view kNames[] = {"tcp", "udp", "icmp", "icmpv6", "-1"};
  const bool number = name.size() <= 3 && name.find_first_not_of("0123456789") == name.npos && std::stoi(name) <= 255;
  if (number || std::ranges::find(kNames, name) != std::end(kNames)) return name;
  throw invalid_value("Invalid value '" + *permission.IpProtocol + "' for IP protocol. Unknown protocol.");
}

void check_ports(const IpPermission& permission, const std::string& protocol) {
  if (protocol == "icmp" && !(permission.FromPort && permission.ToPort)) {
    throw invalid_value("Invalid value for portRange. Must specify both from and to ports with ICMP.");
  }
  if (protocol != "tcp" && protocol != "udp") return;
  const std::int32_t from = permission.FromPort.value_or(-1), to = permission.ToPort.value_or(-1);
  if (from < 0 || to > 65535 || from > to) {
    throw invalid_value("Invalid value for portRange. Must specify both from and to ports with TCP/UDP.");
  }
}

}  // namespace

ApiError rule_not_found(const std::string& id) {
  return id_not_found("InvalidSecurityGroupRuleId.NotFound", "security group rule ID", id);
}

std::vector<SecurityGroupRule> rules_of(Call& call, const StoredGroup& stored, const IpPermission& permission,
                                        bool egress) {
  SecurityGroupRule base;
  base.GroupId = stored.group.GroupId;
  base.GroupOwnerId = call.caller.account;
  base.IsEgress = egress;
  base.IpProtocol = protocol_of(permission);
  check_ports(permission, *base.IpProtocol);
  // Other protocols have no ports.
  const bool any = base.IpProtocol == "-1" || std::isdigit(static_cast<unsigned char>(base.IpProtocol->front()));
  base.FromPort = any ? -1 : permission.FromPort.value_or(-1);
  base.ToPort = any ? -1 : permission.ToPort.value_or(-1);
  if (permission.PrefixListIds && !permission.PrefixListIds->empty()) {
    throw unsupported_parameter("IpPermissions.PrefixListIds");
  }
  std::vector<SecurityGroupRule> rules;
  const auto add = [&](const std::optional<std::string>& description) -> SecurityGroupRule& {
    rules.push_back(base);
    rules.back().SecurityGroupRuleId = make_id("sgr");
    rules.back().Description = description;
    return rules.back();
  };
  for (const auto& range : permission.IpRanges.value_or(std::vector<shapes::ec2::IpRange>())) {
    const auto block = parse_cidr(range.CidrIp.value_or(""));
    if (!block) throw invalid_value("CIDR block " + range.CidrIp.value_or("") + " is malformed");
    add(range.Description).CidrIpv4 = block->str();
  }
  for (const auto& range : permission.Ipv6Ranges.value_or(std::vector<Ipv6Range>())) {
    add(range.Description).CidrIpv6 = range.CidrIpv6;
  }
  for (const auto& pair : permission.UserIdGroupPairs.value_or(std::vector<UserIdGroupPair>())) {
    const std::string id = find_group_id(call, pair.GroupId, pair.GroupName);
    get_group(call, id);
    ReferencedSecurityGroup reference;
    reference.GroupId = id;
    reference.UserId = call.caller.account;
    add(pair.Description).ReferencedGroupInfo = reference;
  }
  if (rules.empty()) throw missing_parameter("IpPermissions");
  return rules;
}

bool is_same_rule(const SecurityGroupRule& a, const SecurityGroupRule& b) {
  const auto group = [](const SecurityGroupRule& rule) {
    return rule.ReferencedGroupInfo ? rule.ReferencedGroupInfo->GroupId : std::nullopt;
  };
  return a.IsEgress == b.IsEgress && a.IpProtocol == b.IpProtocol && a.FromPort == b.FromPort && a.ToPort == b.ToPort &&
         a.CidrIpv4 == b.CidrIpv4 && a.CidrIpv6 == b.CidrIpv6 && group(a) == group(b);
}

namespace {

// The members outside of IpPermissions are the older form of one permission.
template <class Request>
std::vector<IpPermission> permissions_of(const Request& request) {
  std::vector<IpPermission> permissions = request.IpPermissions.value_or(std::vector<IpPermission>());
  if (!request.IpProtocol && !request.CidrIp && !request.SourceSecurityGroupName) return permissions;
  IpPermission& one = permissions.emplace_back();
  one.IpProtocol = request.IpProtocol.value_or("-1");
  one.FromPort = request.FromPort;
  one.ToPort = request.ToPort;
  if (request.CidrIp) one.IpRanges = {{{std::nullopt, request.CidrIp}}};
  if (request.SourceSecurityGroupName) {
    one.UserIdGroupPairs.emplace();
    one.UserIdGroupPairs->emplace_back().GroupName = request.SourceSecurityGroupName;
  }
  return permissions;
}

// "peer: 0.0.0.0/0, TCP, from port: 443, to port: 443, ALLOW"
std::string rule_text(const SecurityGroupRule& rule) {
  const auto group = rule.ReferencedGroupInfo ? rule.ReferencedGroupInfo->GroupId : std::nullopt;
  std::string protocol = rule.IpProtocol == "-1" ? "ALL" : rule.IpProtocol.value_or("");
  std::ranges::transform(protocol, protocol.begin(),
                         [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); });
  std::string text = "peer: " + rule.CidrIpv4.value_or(rule.CidrIpv6.value_or(group.value_or(""))) + ", " + protocol;
  if (protocol != "ALL") {
    text += ", from port: " + std::to_string(rule.FromPort.value_or(-1)) +
            ", to port: " + std::to_string(rule.ToPort.value_or(-1));
  }
  return text + ", ALLOW";
}

std::vector<SecurityGroupRule> add_rules(Call& call, const std::string& id, const std::vector<IpPermission>& permissions,
                                         bool egress) {
  StoredGroup stored = get_group(call, id);
  if (permissions.empty()) throw missing_parameter("IpPermissions");
  std::vector<SecurityGroupRule> added;
  for (const IpPermission& permission : permissions) {
    for (SecurityGroupRule& rule : rules_of(call, stored, permission, egress)) {
      for (const SecurityGroupRule& existing : stored.rules) {
        if (is_same_rule(existing, rule)) {
          throw ApiError("InvalidPermission.Duplicate",
                         "the specified rule \"" + rule_text(rule) + "\" already exists");
        }
      }
      stored.rules.push_back(rule);
      added.push_back(std::move(rule));
    }
  }
  if (stored.rules.size() > kMaxRules) {
    throw ApiError("RulesPerSecurityGroupLimitExceeded", "The maximum number of rules per security group has been reached.");
  }
  put_record(call, kSecurityGroups, id, stored);
  return added;
}

RevokedSecurityGroupRule shown_revoked(const SecurityGroupRule& rule) {
  RevokedSecurityGroupRule shape;
  shape.SecurityGroupRuleId = rule.SecurityGroupRuleId;
  shape.GroupId = rule.GroupId;
  shape.IsEgress = rule.IsEgress;
  shape.IpProtocol = rule.IpProtocol;
  shape.FromPort = rule.FromPort;
  shape.ToPort = rule.ToPort;
  shape.CidrIpv4 = rule.CidrIpv4;
  shape.CidrIpv6 = rule.CidrIpv6;
  if (rule.ReferencedGroupInfo) shape.ReferencedGroupId = rule.ReferencedGroupInfo->GroupId;
  shape.Description = rule.Description;
  return shape;
}

// Removes the rule for which `is_meant` is true.
template <class Test>
SecurityGroupRule take_rule(StoredGroup& stored, Test&& is_meant) {
  const auto found = std::find_if(stored.rules.begin(), stored.rules.end(), is_meant);
  if (found == stored.rules.end()) {
    throw ApiError("InvalidPermission.NotFound", "The specified rule does not exist in this security group.");
  }
  SecurityGroupRule rule = std::move(*found);
  stored.rules.erase(found);
  return rule;
}

template <class Result, class Request>
Result revoke_rules(Call& call, const std::string& id, const Request& request, bool egress) {
  StoredGroup stored = get_group(call, id);
  const auto permissions = permissions_of(request);
  const auto ids = request.SecurityGroupRuleIds.value_or(std::vector<std::string>());
  if (permissions.empty() && ids.empty()) throw missing_parameter("IpPermissions");
  Result result;
  result.Return = true;
  result.RevokedSecurityGroupRules.emplace();
  for (const std::string& rule_id : ids) {
    const auto is_meant = [&](const SecurityGroupRule& one) {
      return one.SecurityGroupRuleId == rule_id && one.IsEgress == egress;
    };
    if (std::ranges::none_of(stored.rules, is_meant)) throw rule_not_found(rule_id);
    result.RevokedSecurityGroupRules->push_back(shown_revoked(take_rule(stored, is_meant)));
  }
  for (const IpPermission& permission : permissions) {
    for (const SecurityGroupRule& rule : rules_of(call, stored, permission, egress)) {
      const auto is_meant = [&](const SecurityGroupRule& one) { return is_same_rule(one, rule); };
      result.RevokedSecurityGroupRules->push_back(shown_revoked(take_rule(stored, is_meant)));
    }
  }
  check_dry_run(request.DryRun);
  put_record(call, kSecurityGroups, id, stored);
  return result;
}

AuthorizeSecurityGroupIngressResult authorize_ingress(Call& call, const AuthorizeSecurityGroupIngressRequest& request) {
  check_rule_request(request);
  const std::string id = find_group_id(call, request.GroupId, request.GroupName);
  AuthorizeSecurityGroupIngressResult result;
  result.SecurityGroupRules = add_rules(call, id, permissions_of(request), false);
  result.Return = true;
  check_dry_run(request.DryRun);
  return result;
}

AuthorizeSecurityGroupEgressResult authorize_egress(Call& call, const AuthorizeSecurityGroupEgressRequest& request) {
  check_rule_request(request);
  AuthorizeSecurityGroupEgressResult result;
  result.SecurityGroupRules = add_rules(call, request.GroupId, permissions_of(request), true);
  result.Return = true;
  check_dry_run(request.DryRun);
  return result;
}

RevokeSecurityGroupIngressResult revoke_ingress(Call& call, const RevokeSecurityGroupIngressRequest& request) {
  check_rule_request(request);
  const std::string id = find_group_id(call, request.GroupId, request.GroupName);
  return revoke_rules<RevokeSecurityGroupIngressResult>(call, id, request, false);
}

RevokeSecurityGroupEgressResult revoke_egress(Call& call, const RevokeSecurityGroupEgressRequest& request) {
  check_rule_request(request);
  return revoke_rules<RevokeSecurityGroupEgressResult>(call, request.GroupId, request, true);
}

std::vector<std::string> rule_values(const SecurityGroupRule& rule, std::string_view name) {
  return as_values(name == "group-id" ? rule.GroupId : rule.SecurityGroupRuleId);
}

const ListRules<SecurityGroupRule> kRuleRules{
    "security-group-rule", &SecurityGroupRule::SecurityGroupRuleId, "InvalidSecurityGroupRuleId.NotFound",
    "security group rule ID", kRuleFilters, &rule_values, true};

DescribeSecurityGroupRulesResult describe_security_group_rules(Call& call,
                                                               const DescribeSecurityGroupRulesRequest& request) {
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  std::vector<SecurityGroupRule> rules;
  for (const StoredGroup& stored : list_records<StoredGroup>(call, kSecurityGroups)) {
    rules.insert(rules.end(), stored.rules.begin(), stored.rules.end());
  }
  rules = select_records(call, std::move(rules), kRuleRules,
                         {request.SecurityGroupRuleIds, request.Filters, request.DryRun});
  DescribeSecurityGroupRulesResult result;
  result.NextToken = cut_list(rules, page, [](const SecurityGroupRule& one) { return *one.SecurityGroupRuleId; });
  result.SecurityGroupRules = std::move(rules);
  return result;
}

}  // namespace

std::vector<Operation> security_rule_operations() {
  return {operation<&authorize_ingress>("AuthorizeSecurityGroupIngress", Access::Write),
          operation<&authorize_egress>("AuthorizeSecurityGroupEgress", Access::Write),
          operation<&revoke_ingress>("RevokeSecurityGroupIngress", Access::Write),
          operation<&revoke_egress>("RevokeSecurityGroupEgress", Access::Write),
          operation<&describe_security_group_rules>("DescribeSecurityGroupRules", Access::Read)};
}

}  // namespace services::ec2
