// SPDX-License-Identifier: Apache-2.0
// DescribeNetworkAcls. Every VPC has the default list, which allows all traffic; there are no others, so that no row is
// needed for it.
#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/record_list.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"
#include "shapes/ec2/network_acl.h"
#include "shapes/ec2/subnet.h"
#include "shapes/ec2/vpc.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;

constexpr std::int32_t kFirstRule = 100, kLastRule = 32767;  // Amazon's numbers of the default rules
constexpr std::string_view kAclFilters[] = {"association.association-id", "association.network-acl-id",
                                            "association.subnet-id",      "default",
                                            "network-acl-id",             "owner-id",
                                            "vpc-id"};

std::vector<std::string> acl_values(const NetworkAcl& acl, std::string_view name) {
  if (name == "default") return as_values(acl.IsDefault);
  if (name == "network-acl-id") return as_values(acl.NetworkAclId);
  if (name == "owner-id") return as_values(acl.OwnerId);
  if (name == "vpc-id") return as_values(acl.VpcId);
  std::vector<std::string> values;
  for (const NetworkAclAssociation& one : *acl.Associations) {
    if (name == "association.association-id") values.push_back(*one.NetworkAclAssociationId);
    if (name == "association.network-acl-id") values.push_back(*one.NetworkAclId);
    if (name == "association.subnet-id") values.push_back(*one.SubnetId);
  }
  return values;
}

const ListRules<NetworkAcl> kAclRules{
    "network-acl",    &NetworkAcl::NetworkAclId, "InvalidNetworkAclID.NotFound",
    "networkAcl ID",  kAclFilters,               &acl_values, true};

NetworkAclEntry entry(bool egress, std::int32_t number, const char* action) {
  NetworkAclEntry made;
  made.CidrBlock = "0.0.0.0/0";
  made.Egress = egress;
  made.Protocol = "-1";
  made.RuleAction = action;
  made.RuleNumber = number;
  return made;
}

NetworkAcl default_acl(const Vpc& vpc, const std::vector<Subnet>& subnets) {
  NetworkAcl acl;
  acl.NetworkAclId = derive_id("acl", *vpc.VpcId);
  acl.VpcId = vpc.VpcId;
  acl.OwnerId = vpc.OwnerId;
  acl.IsDefault = true;
  acl.Entries = {{entry(true, kFirstRule, "allow"), entry(true, kLastRule, "deny"), entry(false, kFirstRule, "allow"),
                  entry(false, kLastRule, "deny")}};
  acl.Associations.emplace();
  for (const Subnet& subnet : subnets) {
    if (subnet.VpcId != vpc.VpcId) continue;
    NetworkAclAssociation& one = acl.Associations->emplace_back();
    one.NetworkAclAssociationId = derive_id("aclassoc", *subnet.SubnetId);
    one.NetworkAclId = acl.NetworkAclId;
    one.SubnetId = subnet.SubnetId;
  }
  return acl;
}

DescribeNetworkAclsResult describe_network_acls(Call& call, const DescribeNetworkAclsRequest& request) {
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  const auto subnets = list_records<Subnet>(call, kSubnets);
  std::vector<NetworkAcl> acls;
  for (const Vpc& vpc : list_records<Vpc>(call, kVpcs)) acls.push_back(default_acl(vpc, subnets));
  std::ranges::sort(acls, {}, &NetworkAcl::NetworkAclId);
  acls = select_records(call, std::move(acls), kAclRules, {request.NetworkAclIds, request.Filters, request.DryRun});
  DescribeNetworkAclsResult result;
  result.NextToken = cut_list(acls, page, [](const NetworkAcl& one) { return *one.NetworkAclId; });
  result.NetworkAcls = std::move(acls);
  return result;
}

}  // namespace

std::vector<Operation> network_acl_operations() {
  return {operation<&describe_network_acls>("DescribeNetworkAcls", Access::Read)};
}

}  // namespace services::ec2
