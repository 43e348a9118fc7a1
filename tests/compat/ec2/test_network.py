# SPDX-License-Identifier: Apache-2.0
"""VPCs, subnets, security groups, route tables and internet gateways."""
import pytest
from botocore.exceptions import ClientError

from support.queues import unique_name


def test_there_is_a_default_network(ec2):
    vpcs = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
    assert len(vpcs) == 1 and vpcs[0]["CidrBlock"] == "172.31.0.0/16"
    of_vpc = [{"Name": "vpc-id", "Values": [vpcs[0]["VpcId"]]}]
    subnets = ec2.describe_subnets(Filters=of_vpc)["Subnets"]
    assert len({one["AvailabilityZone"] for one in subnets}) == len(subnets) >= 3
    groups = ec2.describe_security_groups(Filters=[*of_vpc, {"Name": "group-name", "Values": ["default"]}])
    assert len(groups["SecurityGroups"]) == 1
    assert ec2.describe_vpcs()["Vpcs"] == ec2.describe_vpcs()["Vpcs"]


def test_a_network_is_made_and_removed(ec2):
    vpc = ec2.create_vpc(CidrBlock="10.20.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.20.1.0/24", AvailabilityZone="us-east-1b")["Subnet"]
    assert subnet["AvailableIpAddressCount"] == 251
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    association = ec2.associate_route_table(RouteTableId=table, SubnetId=subnet["SubnetId"])["AssociationId"]
    routes = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"][0]["Routes"]
    assert {one["DestinationCidrBlock"] for one in routes} == {"10.20.0.0/16", "0.0.0.0/0"}
    with pytest.raises(ClientError) as info:
        ec2.delete_vpc(VpcId=vpc)
    assert info.value.response["Error"]["Code"] == "DependencyViolation"
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    found = ec2.describe_vpc_attribute(VpcId=vpc, Attribute="enableDnsHostnames")
    assert found["EnableDnsHostnames"]["Value"] is True
    ec2.disassociate_route_table(AssociationId=association)
    ec2.delete_route_table(RouteTableId=table)
    ec2.detach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    ec2.delete_internet_gateway(InternetGatewayId=gateway)
    ec2.delete_subnet(SubnetId=subnet["SubnetId"])
    ec2.delete_vpc(VpcId=vpc)
    with pytest.raises(ClientError) as info:
        ec2.describe_vpcs(VpcIds=[vpc])
    assert info.value.response["Error"]["Code"] == "InvalidVpcID.NotFound"


def test_rules_of_a_security_group(ec2):
    group = ec2.create_security_group(GroupName=unique_name(), Description="test")["GroupId"]
    permission = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}
    added = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])["SecurityGroupRules"]
    assert added[0]["CidrIpv4"] == "10.0.0.0/8"
    with pytest.raises(ClientError) as info:
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])
    assert info.value.response["Error"]["Code"] == "InvalidPermission.Duplicate"
    found = ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]
    assert found["IpPermissions"][0]["IpRanges"] == [{"CidrIp": "10.0.0.0/8"}]
    ec2.revoke_security_group_ingress(GroupId=group, SecurityGroupRuleIds=[added[0]["SecurityGroupRuleId"]])
    assert ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]["IpPermissions"] == []
    ec2.delete_security_group(GroupId=group)
