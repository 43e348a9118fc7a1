# SPDX-License-Identifier: Apache-2.0
"""VPCs, subnets, security groups, route tables and internet gateways."""
import pytest
from botocore.exceptions import ClientError

from support.queues import refused, unique_name

IMAGE = "ami-0123456789abcdef0"


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


@pytest.fixture
def make_vpc(ec2):
    """make_vpc("10.30.0.0/16") -> its id. It is deleted after the test, with its subnets, gateways, tables and groups."""
    made = []

    def make(block="10.30.0.0/16"):
        made.append(ec2.create_vpc(CidrBlock=block)["Vpc"]["VpcId"])
        return made[-1]

    yield make
    for vpc in made:
        of_vpc = [{"Name": "vpc-id", "Values": [vpc]}]
        for one in ec2.describe_subnets(Filters=of_vpc)["Subnets"]:
            ec2.delete_subnet(SubnetId=one["SubnetId"])
        for one in ec2.describe_route_tables(Filters=of_vpc)["RouteTables"]:
            if not any(association["Main"] for association in one["Associations"]):
                ec2.delete_route_table(RouteTableId=one["RouteTableId"])
        for one in ec2.describe_internet_gateways(Filters=[{"Name": "attachment.vpc-id", "Values": [vpc]}])["InternetGateways"]:
            ec2.detach_internet_gateway(InternetGatewayId=one["InternetGatewayId"], VpcId=vpc)
            ec2.delete_internet_gateway(InternetGatewayId=one["InternetGatewayId"])
        for one in ec2.describe_security_groups(Filters=of_vpc)["SecurityGroups"]:
            if one["GroupName"] != "default":
                ec2.delete_security_group(GroupId=one["GroupId"])
        ec2.delete_vpc(VpcId=vpc)


def test_a_new_vpc_is_pending_and_its_block_canonical(ec2, make_vpc):
    vpc = ec2.create_vpc(CidrBlock="10.31.7.9/16")["Vpc"]
    assert vpc["State"] == "pending" and vpc["CidrBlock"] == "10.31.0.0/16" and vpc["Ipv6CidrBlockAssociationSet"] == []
    ec2.get_waiter("vpc_available").wait(VpcIds=[vpc["VpcId"]])
    ec2.delete_vpc(VpcId=vpc["VpcId"])
    subnet = ec2.create_subnet(VpcId=make_vpc(), CidrBlock="10.30.1.5/24")["Subnet"]
    assert subnet["CidrBlock"] == "10.30.1.0/24"


def test_routes_lead_to_gateways_of_their_network(ec2, make_vpc):
    vpc = make_vpc()
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]
    assert table["Tags"] == []
    table = table["RouteTableId"]
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    route = {"RouteTableId": table, "DestinationCidrBlock": "10.99.0.1/16", "GatewayId": gateway}
    with refused("InvalidParameterValue", f"route table {table} and network gateway {gateway} belong to different networks"):
        ec2.create_route(**route)
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    with refused("InvalidParameterValue", "There is no route defined for '10.99.0.0/16' in the route table."):
        ec2.replace_route(**route)
    ec2.create_route(**route)
    ec2.replace_route(**route)
    [shown] = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"]
    assert [one["DestinationCidrBlock"] for one in shown["Routes"]] == ["10.30.0.0/16", "10.99.0.0/16"]
    ec2.delete_route(RouteTableId=table, DestinationCidrBlock="10.99.0.1/16")


def test_associations_are_replaced(ec2, make_vpc):
    vpc = make_vpc()
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.30.1.0/24")["Subnet"]["SubnetId"]
    tables = [ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"] for _ in range(2)]
    first = ec2.associate_route_table(RouteTableId=tables[0], SubnetId=subnet)["AssociationId"]
    second = ec2.replace_route_table_association(AssociationId=first, RouteTableId=tables[1])["NewAssociationId"]
    assert second != first

    def associations(table):
        return ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"][0]["Associations"]

    assert associations(tables[0]) == []
    assert [(one["RouteTableAssociationId"], one["SubnetId"]) for one in associations(tables[1])] == [(second, subnet)]
    of_main = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "association.main", "Values": ["true"]}]
    [main] = ec2.describe_route_tables(Filters=of_main)["RouteTables"]
    association = main["Associations"][0]["RouteTableAssociationId"]
    with refused("InvalidParameterValue", f"cannot disassociate the main route table association {association}"):
        ec2.disassociate_route_table(AssociationId=association)
    ec2.replace_route_table_association(AssociationId=association, RouteTableId=tables[0])
    [now_main] = ec2.describe_route_tables(Filters=of_main)["RouteTables"]
    assert now_main["RouteTableId"] == tables[0]
    ec2.delete_route_table(RouteTableId=main["RouteTableId"])
    ec2.disassociate_route_table(AssociationId=second)


def test_names_of_security_groups(ec2, make_vpc):
    vpc = make_vpc()
    [default] = ec2.describe_vpcs(Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]
    name = unique_name()
    with refused("InvalidParameterValue", "Cannot use reserved security group name: default"):
        ec2.create_security_group(GroupName="default", Description="d", VpcId=vpc)
    with refused("InvalidParameterValue", "Value (sg-x) for parameter GroupName is invalid. Group names may not be in the format sg-*."):
        ec2.create_security_group(GroupName="sg-x", Description="d", VpcId=vpc)
    with refused("MissingParameter", "The request must contain the parameter GroupDescription"):
        ec2.create_security_group(GroupName=name, Description="", VpcId=vpc)
    ec2.create_security_group(GroupName=name, Description="d", VpcId=vpc)
    with refused("InvalidGroup.NotFound", f"The security group '{name}' does not exist in default VPC '{default['VpcId']}'"):
        ec2.describe_security_groups(GroupNames=[name])
    with refused("InvalidGroup.NotFound", f"The security group '{name}' does not exist in default VPC"):
        ec2.delete_security_group(GroupName=name)
    with refused("InvalidGroupId.Malformed", 'Invalid id: "group" (expecting "sg-...")'):
        ec2.describe_security_groups(GroupIds=["group"])


def test_protocols_and_ports_of_rules(ec2, make_vpc):
    group = ec2.create_security_group(GroupName=unique_name(), Description="d", VpcId=make_vpc())["GroupId"]

    def add(**permission):
        permission = {"IpRanges": [{"CidrIp": "10.1.2.3/8"}], **permission}
        [rule] = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])["SecurityGroupRules"]
        return rule["IpProtocol"], rule["FromPort"], rule["ToPort"], rule["CidrIpv4"]

    assert add(IpProtocol="6", FromPort=80, ToPort=81) == ("tcp", 80, 81, "10.0.0.0/8")
    assert add(IpProtocol="50", FromPort=80, ToPort=81) == ("50", -1, -1, "10.0.0.0/8")
    with refused("InvalidParameterValue", "Unknown protocol"):
        add(IpProtocol="carrier-pigeon", FromPort=1, ToPort=1)
    with refused("InvalidParameterValue", "Must specify both from and to ports with ICMP."):
        add(IpProtocol="icmp")
    with refused("InvalidParameterValue", "VPC security group rules must specify protocols explicitly."):
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[{"FromPort": 1, "ToPort": 1, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}])
    with refused("InvalidSecurityGroupRuleId.NotFound", "The security group rule ID 'sgr-0123456789abcdef0' does not exist"):
        ec2.revoke_security_group_ingress(GroupId=group, SecurityGroupRuleIds=["sgr-0123456789abcdef0"])


def test_rules_change_in_place(ec2, make_vpc):
    group = ec2.create_security_group(GroupName=unique_name(), Description="d", VpcId=make_vpc())["GroupId"]
    permission = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.0.0.0/8"}]}
    [rule] = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])["SecurityGroupRules"]
    rule_id = rule["SecurityGroupRuleId"]

    def shown():
        [rule] = ec2.describe_security_group_rules(SecurityGroupRuleIds=[rule_id])["SecurityGroupRules"]
        assert rule.pop("Tags") == []
        return rule

    permission["IpRanges"][0]["Description"] = "from the office"
    assert ec2.update_security_group_rule_descriptions_ingress(GroupId=group, IpPermissions=[permission])["Return"]
    assert shown() == {**rule, "Description": "from the office"}
    ec2.update_security_group_rule_descriptions_ingress(
        GroupId=group, SecurityGroupRuleDescriptions=[{"SecurityGroupRuleId": rule_id, "Description": "home"}])
    assert shown()["Description"] == "home"
    update = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIpv4": "10.0.0.0/16"}
    ec2.modify_security_group_rules(
        GroupId=group, SecurityGroupRules=[{"SecurityGroupRuleId": rule_id, "SecurityGroupRule": update}])
    assert shown() == {**rule, **update}
    permission["FromPort"] = 23
    permission["ToPort"] = 23
    with refused("InvalidPermission.NotFound", "The specified rule does not exist in this security group."):
        ec2.update_security_group_rule_descriptions_ingress(GroupId=group, IpPermissions=[permission])


def test_a_group_of_another_network_is_rejected(ec2, make_vpc):
    group = ec2.create_security_group(GroupName=unique_name(), Description="d", VpcId=make_vpc())["GroupId"]
    [subnet, *_] = ec2.describe_subnets(Filters=[{"Name": "default-for-az", "Values": ["true"]}])["Subnets"]
    with refused("InvalidParameter", f"Security group {group} and subnet {subnet['SubnetId']} belong to different networks."):
        ec2.run_instances(ImageId=IMAGE, InstanceType="g4dn.xlarge", MinCount=1, MaxCount=1, SubnetId=subnet["SubnetId"],
                          SecurityGroupIds=[group])


def test_a_vpc_has_a_default_network_acl(ec2, make_vpc):
    vpc = make_vpc()
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.30.1.0/24")["Subnet"]["SubnetId"]
    filters = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "default", "Values": ["true"]}]
    [acl] = ec2.describe_network_acls(Filters=filters)["NetworkAcls"]
    assert acl["IsDefault"] and acl["Tags"] == [] and [one["SubnetId"] for one in acl["Associations"]] == [subnet]
    rules = sorted((one["Egress"], one["RuleNumber"], one["RuleAction"], one["Protocol"]) for one in acl["Entries"])
    assert rules == [(False, 100, "allow", "-1"), (False, 32767, "deny", "-1"), (True, 100, "allow", "-1"), (True, 32767, "deny", "-1")]
    assert ec2.describe_network_acls(NetworkAclIds=[acl["NetworkAclId"]])["NetworkAcls"] == [acl]
    with refused("InvalidNetworkAclID.NotFound", "The networkAcl ID 'acl-0123456789abcdef0' does not exist"):
        ec2.describe_network_acls(NetworkAclIds=["acl-0123456789abcdef0"])


def test_a_network_without_instances_has_no_interfaces(ec2, make_vpc):
    of_vpc = [{"Name": "vpc-id", "Values": [make_vpc()]}]
    assert ec2.describe_network_interfaces(Filters=of_vpc)["NetworkInterfaces"] == []
    assert ec2.describe_volumes(Filters=[{"Name": "tag:name", "Values": [unique_name()]}])["Volumes"] == []
    assert ec2.describe_addresses(Filters=[{"Name": "tag:name", "Values": [unique_name()]}])["Addresses"] == []
    with refused("InvalidNetworkInterfaceID.NotFound", "The networkInterface ID 'eni-0123456789abcdef0' does not exist"):
        ec2.describe_network_interfaces(NetworkInterfaceIds=["eni-0123456789abcdef0"])
    with refused("InvalidVolume.NotFound", "The volume 'vol-0123456789abcdef0' does not exist."):
        ec2.describe_volumes(VolumeIds=["vol-0123456789abcdef0"])
    with refused("InvalidAllocationID.NotFound", "The allocation ID 'eipalloc-0123456789abcdef0' does not exist"):
        ec2.describe_addresses(AllocationIds=["eipalloc-0123456789abcdef0"])
