// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "services/ec2/ec2_fixture.h"
#include "services/ec2/network/network_shapes.h"
#include "services/ec2/zones.h"
#include "shapes/ec2/route.h"
#include "shapes/ec2/security_group.h"
#include "shapes/ec2/subnet.h"
#include "shapes/ec2/tag.h"
#include "shapes/ec2/vpc.h"

namespace services::ec2 {
namespace {

class Network : public Ec2Test {
 protected:
  std::vector<Subnet> subnets() {
    return *run<DescribeSubnetsResult>("DescribeSubnets", DescribeSubnetsRequest()).Subnets;
  }
  std::string create_vpc(const std::string& cidr) {
    CreateVpcRequest request;
    request.CidrBlock = cidr;
    return *run<CreateVpcResult>("CreateVpc", request).Vpc->VpcId;
  }
};

TEST_F(Network, EveryAccountHasADefaultNetworkWithTheSameIdsAlways) {
  const auto before = subnets();
  ASSERT_EQ(before.size(), 3u);
  create_vpc("10.0.0.0/16");
  const auto after = subnets();
  EXPECT_EQ(before, after);
  caller_.account = "222222222222";
  EXPECT_NE(subnets().front().SubnetId, before.front().SubnetId);
}

TEST_F(Network, ALaunchIntoASubnetHasItsZone) {
  const std::string vpc = create_vpc("10.0.0.0/16");
  CreateSubnetRequest request;
  request.VpcId = vpc;
  request.CidrBlock = "10.0.1.0/24";
  request.AvailabilityZone = "us-east-1c";
  const auto subnet = *run<CreateSubnetResult>("CreateSubnet", request).Subnet;
  EXPECT_EQ(subnet.AvailableIpAddressCount, 251);
  EXPECT_EQ(error_of([&] { run<CreateSubnetResult>("CreateSubnet", request); }),
            "InvalidSubnet.Conflict: The CIDR '10.0.1.0/24' conflicts with another subnet");
  RunInstancesRequest launching = launch_request();
  launching.SubnetId = subnet.SubnetId;
  const Instance instance = launch(launching).Instances->front();
  EXPECT_EQ(instance.Placement->AvailabilityZone, "us-east-1c");
  EXPECT_EQ(instance.VpcId, vpc);
  EXPECT_EQ(error_of([&] { run<void>("DeleteSubnet", DeleteSubnetRequest{.SubnetId = *subnet.SubnetId}); }),
            "DependencyViolation: The subnet '" + *subnet.SubnetId + "' has dependencies and cannot be deleted.");
}

TEST_F(Network, RulesOfAGroupAreAddedOnceAndRevoked) {
  CreateSecurityGroupRequest create;
  create.GroupName = "web";
  create.Description = "web";
  const std::string id = *run<CreateSecurityGroupResult>("CreateSecurityGroup", create).GroupId;
  AuthorizeSecurityGroupIngressRequest request;
  request.GroupId = id;
  request.IpProtocol = "tcp";
  request.FromPort = request.ToPort = 443;
  request.CidrIp = "0.0.0.0/0";
  run<AuthorizeSecurityGroupIngressResult>("AuthorizeSecurityGroupIngress", request);
  EXPECT_EQ(error_of([&] {
              run<AuthorizeSecurityGroupIngressResult>("AuthorizeSecurityGroupIngress", request);
            }),
            "InvalidPermission.Duplicate: the specified rule \"peer: 0.0.0.0/0, TCP, from port: 443, to port: 443, "
            "ALLOW\" already exists");
  DescribeSecurityGroupsRequest list;
  list.GroupIds = {{id}};
  auto group = run<DescribeSecurityGroupsResult>("DescribeSecurityGroups", list).SecurityGroups->front();
  EXPECT_EQ(group.IpPermissions->front().FromPort, 443);
  EXPECT_EQ(group.IpPermissionsEgress->front().IpProtocol, "-1");
  RevokeSecurityGroupIngressRequest revoke;
  revoke.GroupId = id;
  revoke.IpProtocol = "tcp";
  revoke.FromPort = revoke.ToPort = 443;
  revoke.CidrIp = "0.0.0.0/0";
  run<RevokeSecurityGroupIngressResult>("RevokeSecurityGroupIngress", revoke);
  group = run<DescribeSecurityGroupsResult>("DescribeSecurityGroups", list).SecurityGroups->front();
  EXPECT_TRUE(group.IpPermissions->empty());
}

TEST_F(Network, AVpcIsDeletedWithWhatItWasCreatedWith) {
  const std::string vpc = create_vpc("10.0.0.0/16");
  run<void>("DeleteVpc", DeleteVpcRequest{.VpcId = vpc});
  EXPECT_EQ(error_of([&] { run<void>("DeleteVpc", DeleteVpcRequest{.VpcId = vpc}); }),
            "InvalidVpcID.NotFound: The vpc ID '" + vpc + "' does not exist");
}

TEST_F(Network, TagsOfWhatDoesNotExistFailAsAmazonsDo) {
  const auto error = [&](const std::string& id) {
    return error_of([&] { run<void>("CreateTags", CreateTagsRequest{.Resources = {id}, .Tags = {{"a", "b"}}}); });
  };
  EXPECT_EQ(error("vpc-0123456789abcdef0"), "InvalidVpcID.NotFound: The vpc ID 'vpc-0123456789abcdef0' does not exist");
  EXPECT_EQ(error("rtb-0123456789abcdef0"),
            "InvalidRouteTableID.NotFound: The routeTable ID 'rtb-0123456789abcdef0' does not exist");
  EXPECT_EQ(error("igw-0123456789abcdef0"),
            "InvalidInternetGatewayID.NotFound: The internetGateway ID 'igw-0123456789abcdef0' does not exist");
  EXPECT_EQ(error("vol-0123456789abcdef0"), "InvalidID: The ID 'vol-0123456789abcdef0' is not valid");
}

TEST(Cidr, BlocksAreParsedAndCompared) {
  EXPECT_TRUE(parse_cidr("10.0.0.0/16")->contains(*parse_cidr("10.0.255.0/24")));
  EXPECT_FALSE(parse_cidr("10.0.0.0/16")->overlaps(*parse_cidr("10.1.0.0/16")));
  EXPECT_TRUE(parse_cidr("0.0.0.0/0")->contains(*parse_cidr("255.255.255.255/32")));
  for (const char* text : {"", "10.0.0.0", "10.0.0/16", "10.0.0.256/16", "10.0.0.0/33", "10.0.0.0/-1", "a.b.c.d/8"}) {
    EXPECT_FALSE(parse_cidr(text)) << text;
  }
}

TEST(Zones, IdsAreAmazons) {
  EXPECT_EQ(zone_id("us-east-1a"), "use1-az1");
  EXPECT_EQ(zone_id("ap-southeast-2c"), "apse2-az3");
  EXPECT_EQ(zone_id("eu-central-1b"), "euc1-az2");
}

}  // namespace
}  // namespace services::ec2
