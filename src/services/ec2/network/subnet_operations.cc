// SPDX-License-Identifier: Apache-2.0
// Subnets as records: they give instances a zone.
#include "services/ec2/errors.h"
#include "services/ec2/identifiers.h"
#include "services/ec2/instances/instance_body.h"
#include "services/ec2/instances/launch_checks.h"
#include "services/ec2/network/default_network.h"
#include "services/ec2/network/network_shapes.h"
#include "services/ec2/network/record_list.h"
#include "services/ec2/operations.h"
#include "services/ec2/record.h"
#include "services/ec2/zones.h"

namespace services::ec2 {
namespace {

using namespace shapes::ec2;
using wire::ApiError;

constexpr std::size_t kMaxSubnets = 1000;
constexpr int kShortestSubnet = 28, kLongestSubnet = 16;
constexpr std::string_view kSubnetFilters[] = {
    "availability-zone", "availabilityZone", "availability-zone-id", "availabilityZoneId",
    "cidr-block",        "cidr",             "cidrBlock",            "default-for-az",
    "defaultForAz",      "map-public-ip-on-launch", "owner-id",      "state",
    "subnet-arn",        "subnet-id",        "vpc-id"};

std::vector<std::string> subnet_values(const Subnet& subnet, std::string_view name) {
  if (name == "availability-zone" || name == "availabilityZone") return as_values(subnet.AvailabilityZone);
  if (name == "availability-zone-id" || name == "availabilityZoneId") return as_values(subnet.AvailabilityZoneId);
  if (name == "cidr-block" || name == "cidr" || name == "cidrBlock") return as_values(subnet.CidrBlock);
  if (name == "default-for-az" || name == "defaultForAz") return as_values(subnet.DefaultForAz);
  if (name == "map-public-ip-on-launch") return as_values(subnet.MapPublicIpOnLaunch);
  if (name == "owner-id") return as_values(subnet.OwnerId);
  if (name == "state") return as_values(subnet.State);
  if (name == "subnet-arn") return as_values(subnet.SubnetArn);
  if (name == "subnet-id") return as_values(subnet.SubnetId);
  return as_values(subnet.VpcId);
}

const ListRules<Subnet> kSubnetRules{kSubnets,       &Subnet::SubnetId, "InvalidSubnetID.NotFound",
                                     "subnet ID",    kSubnetFilters,    &subnet_values};

// The block in its canonical form.
std::string check_subnet_block(Call& call, const Vpc& vpc, const std::string& cidr) {
  const auto block = parse_cidr(cidr);
  if (!block) {
    throw invalid_value("Value (" + cidr + ") for parameter cidrBlock is invalid. This is not a valid CIDR block.");
  }
  const auto whole = parse_cidr(*vpc.CidrBlock);
  const bool size_fits = block->prefix >= kLongestSubnet && block->prefix <= kShortestSubnet;
  if (!size_fits || !whole || !whole->contains(*block)) {
    throw ApiError("InvalidSubnet.Range", "The CIDR '" + cidr + "' is invalid.");
  }
  for (const Subnet& other : list_records<Subnet>(call, kSubnets)) {
    const auto taken = parse_cidr(*other.CidrBlock);
    if (other.VpcId == vpc.VpcId && taken && taken->overlaps(*block)) {
      throw ApiError("InvalidSubnet.Conflict", "The CIDR '" + cidr + "' conflicts with another subnet");
    }
  }
  return block->str();
}

CreateSubnetResult create_subnet(Call& call, const CreateSubnetRequest& request) {
  reject_members(request, {"Ipv6CidrBlock", "OutpostArn", "Ipv4IpamPoolId", "Ipv4NetmaskLength", "Ipv6IpamPoolId",
                           "Ipv6NetmaskLength"});
  if (request.Ipv6Native.value_or(false)) throw unsupported_parameter("Ipv6Native");
  const Vpc vpc = get_vpc(call, request.VpcId);
  if (!request.CidrBlock) throw missing_parameter("cidrBlock");
  const std::string block = check_subnet_block(call, vpc, *request.CidrBlock);
  std::string zone = zones_of(call.caller.region).front();
  if (request.AvailabilityZone) zone = check_zone(call.caller.region, *request.AvailabilityZone);
  if (request.AvailabilityZoneId) zone = check_zone_id(call.caller.region, *request.AvailabilityZoneId);
  const Tags tags = requested_tags(call, request.TagSpecifications, kSubnets);
  if (list_record_rows(call, kSubnets).size() >= kMaxSubnets) {
    throw ApiError("SubnetLimitExceeded", "The maximum number of subnets has been reached.");
  }
  check_dry_run(request.DryRun);
  Subnet subnet = make_subnet(call.caller.account, call.caller.region, make_id("subnet"), zone);
  subnet.VpcId = request.VpcId;
  subnet.CidrBlock = block;
  subnet.AvailableIpAddressCount = free_addresses(block);
  put_record(call, kSubnets, *subnet.SubnetId, subnet);
  put_tags(call, *subnet.SubnetId, kSubnets, tags);
  if (!tags.empty()) subnet.Tags = shown_tags(tags);
  CreateSubnetResult result;
  result.Subnet = std::move(subnet);
  return result;
}

DescribeSubnetsResult describe_subnets(Call& call, const DescribeSubnetsRequest& request) {
  const Page page = read_list_page(request.MaxResults, request.NextToken);
  auto subnets = select_records(call, list_records<Subnet>(call, kSubnets), kSubnetRules,
                                {request.SubnetIds, request.Filters, request.DryRun});
  DescribeSubnetsResult result;
  result.NextToken = cut_list(subnets, page, [](const Subnet& one) { return *one.SubnetId; });
  result.Subnets = std::move(subnets);
  return result;
}

void delete_subnet(Call& call, const DeleteSubnetRequest& request) {
  get_subnet(call, request.SubnetId);
  const auto instances = state::list_ec2_instances(
      call.tx, {.account = call.caller.account, .region = call.caller.region, .most = kMaxListedInstances});
  for (const auto& instance : instances) {
    if (instance.state == state::Ec2State::Terminated || body_of(instance).shape.SubnetId != request.SubnetId) continue;
    throw ApiError("DependencyViolation",
                   "The subnet '" + request.SubnetId + "' has dependencies and cannot be deleted.");
  }
  check_dry_run(request.DryRun);
  delete_record(call, kSubnets, request.SubnetId);
}

void modify_subnet_attribute(Call& call, const ModifySubnetAttributeRequest& request) {
  reject_members(request, {"AssignIpv6AddressOnCreation", "MapCustomerOwnedIpOnLaunch", "CustomerOwnedIpv4Pool",
                           "EnableDns64", "PrivateDnsHostnameTypeOnLaunch", "EnableResourceNameDnsARecordOnLaunch",
                           "EnableResourceNameDnsAAAARecordOnLaunch", "EnableLniAtDeviceIndex",
                           "DisableLniAtDeviceIndex"});
  Subnet subnet = get_subnet(call, request.SubnetId);
  if (request.MapPublicIpOnLaunch) subnet.MapPublicIpOnLaunch = request.MapPublicIpOnLaunch->Value;
  put_record(call, kSubnets, request.SubnetId, subnet);
}

}  // namespace

std::vector<Operation> subnet_operations() {
  return {operation<&create_subnet>("CreateSubnet", Access::Write),
          operation<&describe_subnets>("DescribeSubnets", Access::Read),
          operation<&delete_subnet>("DeleteSubnet", Access::Write),
          operation<&modify_subnet_attribute>("ModifySubnetAttribute", Access::Write)};
}

}  // namespace services::ec2
