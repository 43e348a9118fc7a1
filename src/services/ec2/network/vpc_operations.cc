// SPDX-License-Identifier: Apache-2.0
// VPCs as records.
#include <algorithm>

#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/network_shapes.h"
#include "services/ec2/network/record_list.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::size_t kMaxVpcs = 1000;
constexpr int kShortestVpc = 28, kLongestVpc = 16;  // prefixes that Amazon allows
constexpr std::string_view kVpcFilters[] = {"cidr",       "cidr-block-association.cidr-block",
                                            "is-default", "isDefault",
                                            "owner-id",   "state",
                                            "vpc-id",     "dhcp-options-id"};
constexpr std::string_view kVpcAttributes = "vpc-attributes";  // a kind of record

std::vector<std::string> vpc_values(const Vpc& vpc, std::string_view name) {
  if (name == "cidr" || name == "cidr-block-association.cidr-block") return as_values(vpc.CidrBlock);
  if (name == "is-default" || name == "isDefault") return as_values(vpc.IsDefault);
  if (name == "owner-id") return as_values(vpc.OwnerId);
  if (name == "state") return as_values(vpc.State);
  if (name == "dhcp-options-id") return as_values(vpc.DhcpOptionsId);
  return as_values(vpc.VpcId);
}

const ListRules<Vpc> kVpcRules{kVpcs, &Vpc::VpcId, "InvalidVpcID.NotFound", "vpc ID", kVpcFilters, &vpc_values};

CreateVpcResult create_vpc(Call& call, const CreateVpcRequest& request) {
  reject_members(request, {"Ipv6Pool", "Ipv6CidrBlock", "Ipv4IpamPoolId", "Ipv4NetmaskLength", "Ipv6IpamPoolId",
                           "Ipv6NetmaskLength", "Ipv6CidrBlockNetworkBorderGroup", "VpcEncryptionControl"});
  if (request.AmazonProvidedIpv6CidrBlock.value_or(false)) throw unsupported_parameter("AmazonProvidedIpv6CidrBlock");
  if (request.InstanceTenancy.value_or("default") != "default") throw unsupported_parameter("InstanceTenancy");
  if (!request.CidrBlock) throw missing_parameter("cidrBlock");
  const auto block = parse_cidr(*request.CidrBlock);
  if (!block) {
    throw invalid_value("Value (" + *request.CidrBlock + ") for parameter cidrBlock is invalid. This is not a valid CIDR "
                        "block.");
  }
  if (block->prefix < kLongestVpc || block->prefix > kShortestVpc) {
    throw ApiError("InvalidVpc.Range", "The CIDR '" + *request.CidrBlock + "' is invalid.");
  }
  const Tags tags = requested_tags(call, request.TagSpecifications, kVpcs);
  if (list_record_rows(call, kVpcs).size() >= kMaxVpcs) {
    throw ApiError("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
  }
  check_dry_run(request.DryRun);
  CreateVpcResult result;
  const std::string id = make_id("vpc"), table = make_id("rtb"), group = make_id("sg");
  Vpc vpc = make_vpc(call.caller.account, id, block->str());
  put_record(call, kVpcs, id, vpc);
  put_record(call, kRouteTables, table, main_route_table(call.caller.account, table, id, block->str()));
  put_record(call, kSecurityGroups, group, make_default_group(call.caller.account, call.caller.region, group, id));
  put_tags(call, id, kVpcs, tags);
  if (!tags.empty()) vpc.Tags = shown_tags(tags);
  vpc.State = "pending";  // as Amazon answers; it is available from here on
  vpc.Ipv6CidrBlockAssociationSet.emplace();
  result.Vpc = std::move(vpc);
  return result;
}

DescribeVpcsResult describe_vpcs(Call& call, const DescribeVpcsRequest& request) {
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  auto vpcs = select_records(call, list_records<Vpc>(call, kVpcs), kVpcRules,
                             {request.VpcIds, request.Filters, request.DryRun});
  DescribeVpcsResult result;
  result.NextToken = cut_list(vpcs, page, [](const Vpc& one) { return *one.VpcId; });
  result.Vpcs = std::move(vpcs);
  return result;
}

bool is_main(const RouteTable& table) {
  return std::ranges::any_of(*table.Associations,
                             [](const RouteTableAssociation& one) { return one.Main.value_or(false); });
}

// What a VPC contains, beside what it was created with.
bool is_in_use(Call& call, const std::string& vpc) {
  for (const Subnet& subnet : list_records<Subnet>(call, kSubnets)) {
    if (subnet.VpcId == vpc) return true;
  }
  for (const StoredGroup& stored : list_records<StoredGroup>(call, kSecurityGroups)) {
    if (stored.group.VpcId == vpc && stored.group.GroupName != "default") return true;
  }
  for (const InternetGateway& gateway : list_records<InternetGateway>(call, kInternetGateways)) {
    for (const auto& attached : gateway.Attachments.value_or(std::vector<InternetGatewayAttachment>())) {
      if (attached.VpcId == vpc) return true;
    }
  }
  for (const RouteTable& table : list_records<RouteTable>(call, kRouteTables)) {
    if (table.VpcId == vpc && !is_main(table)) return true;
  }
  return false;
}

void delete_vpc(Call& call, const DeleteVpcRequest& request) {
  get_vpc(call, request.VpcId);
  if (is_in_use(call, request.VpcId)) {
    throw ApiError("DependencyViolation", "The vpc '" + request.VpcId + "' has dependencies and cannot be deleted.");
  }
  check_dry_run(request.DryRun);
  for (const RouteTable& table : list_records<RouteTable>(call, kRouteTables)) {
    if (table.VpcId == request.VpcId) delete_record(call, kRouteTables, *table.RouteTableId);
  }
  for (const StoredGroup& stored : list_records<StoredGroup>(call, kSecurityGroups)) {
    if (stored.group.VpcId == request.VpcId) delete_record(call, kSecurityGroups, *stored.group.GroupId);
  }
  delete_record(call, kVpcAttributes, request.VpcId);
  delete_record(call, kVpcs, request.VpcId);
}

DescribeVpcAttributeResult attributes_of(Call& call, const Vpc& vpc) {
  auto stored = find_record<DescribeVpcAttributeResult>(call, kVpcAttributes, *vpc.VpcId);
  if (stored) return *stored;
  DescribeVpcAttributeResult attributes;
  attributes.VpcId = vpc.VpcId;
  attributes.EnableDnsSupport = {true};
  attributes.EnableDnsHostnames = {vpc.IsDefault.value_or(false)};
  attributes.EnableNetworkAddressUsageMetrics = {false};
  return attributes;
}

void modify_vpc_attribute(Call& call, const ModifyVpcAttributeRequest& request) {
  DescribeVpcAttributeResult attributes = attributes_of(call, get_vpc(call, request.VpcId));
  if (request.EnableDnsSupport) attributes.EnableDnsSupport = request.EnableDnsSupport;
  if (request.EnableDnsHostnames) attributes.EnableDnsHostnames = request.EnableDnsHostnames;
  if (request.EnableNetworkAddressUsageMetrics) {
    attributes.EnableNetworkAddressUsageMetrics = request.EnableNetworkAddressUsageMetrics;
  }
  put_record(call, kVpcAttributes, request.VpcId, attributes);
}

DescribeVpcAttributeResult describe_vpc_attribute(Call& call, const DescribeVpcAttributeRequest& request) {
  check_dry_run(request.DryRun);
  const DescribeVpcAttributeResult all = attributes_of(call, get_vpc(call, request.VpcId));
  DescribeVpcAttributeResult result;
  result.VpcId = request.VpcId;
  if (request.Attribute == "enableDnsSupport") result.EnableDnsSupport = all.EnableDnsSupport;
  if (request.Attribute == "enableDnsHostnames") result.EnableDnsHostnames = all.EnableDnsHostnames;
  if (request.Attribute == "enableNetworkAddressUsageMetrics") {
    result.EnableNetworkAddressUsageMetrics = all.EnableNetworkAddressUsageMetrics;
  }
  return result;
}

}  // namespace

std::vector<Operation> vpc_operations() {
  return {operation<&create_vpc>("CreateVpc", Access::Write),
          operation<&describe_vpcs>("DescribeVpcs", Access::Read),
          operation<&delete_vpc>("DeleteVpc", Access::Write),
          operation<&modify_vpc_attribute>("ModifyVpcAttribute", Access::Write),
          operation<&describe_vpc_attribute>("DescribeVpcAttribute", Access::Read)};
}

}  // namespace services::ec2
