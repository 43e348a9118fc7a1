# SPDX-License-Identifier: Apache-2.0
import base64

import pytest
from botocore.exceptions import ClientError

from support.queues import unique_name

IMAGE = "ami-0123456789abcdef0"


def error(info):
    return info.value.response["Error"]["Code"], info.value.response["Error"]["Message"]


def ids_of(answer):
    return [one["InstanceId"] for reservation in answer["Reservations"] for one in reservation["Instances"]]


def test_an_instance_is_launched_described_and_terminated(ec2, launch):
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": unique_name()}]}]
    instance = launch(TagSpecifications=tags, Placement={"AvailabilityZone": "us-east-1b"})[0]
    # A provider may have started its machine already.
    assert instance["State"] == {"Code": 0, "Name": "pending"}
    assert instance["Placement"]["AvailabilityZone"] == "us-east-1b"
    assert instance["SecurityGroups"][0]["GroupName"] == "default"
    filters = [{"Name": "tag:Name", "Values": [tags[0]["Tags"][0]["Value"][:-2] + "*"]}]
    found = ec2.describe_instances(Filters=filters)
    assert ids_of(found) == [instance["InstanceId"]]
    assert found["Reservations"][0]["Instances"][0]["LaunchTime"] == instance["LaunchTime"]
    change = ec2.terminate_instances(InstanceIds=[instance["InstanceId"]])["TerminatingInstances"][0]
    assert change["InstanceId"] == instance["InstanceId"]
    assert change["CurrentState"]["Name"] in ("shutting-down", "terminated")


def test_errors_have_amazons_codes_and_texts(ec2):
    def run(**request):
        request = {"ImageId": IMAGE, "InstanceType": "g4dn.xlarge", "MinCount": 1, "MaxCount": 1, **request}
        with pytest.raises(ClientError) as info:
            ec2.run_instances(**request)
        return error(info)

    assert run(InstanceType="x9.huge") == ("InvalidParameterValue", "Invalid value 'x9.huge' for InstanceType.")
    assert run(DryRun=True) == ("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")
    assert run(SecurityGroupIds=["sg-1"])[0] == "InvalidGroup.NotFound"
    assert run(InstanceMarketOptions={"MarketType": "spot"})[0] == "UnsupportedOperation"
    with pytest.raises(ClientError) as info:
        ec2.describe_instances(InstanceIds=["i-00000000000000000"])
    assert error(info) == ("InvalidInstanceID.NotFound", "The instance ID 'i-00000000000000000' does not exist")
    with pytest.raises(ClientError) as info:
        ec2.describe_instances(InstanceIds=["i-00000000000000000", "i-00000000000000001"])
    assert "The instance IDs 'i-00000000000000000, i-00000000000000001' do not exist" == error(info)[1]
    with pytest.raises(ClientError) as info:
        ec2.describe_instances(Filters=[{"Name": "colour", "Values": ["red"]}])
    assert error(info) == ("InvalidParameterValue", "The filter 'colour' is invalid")
    with pytest.raises(ClientError) as info:
        ec2.describe_spot_price_history()
    assert error(info)[0] == "InvalidAction" and "DescribeSpotPriceHistory" in error(info)[1]


def test_pages_contain_every_instance_once(ec2, launch):
    made = {one["InstanceId"] for one in launch(MinCount=7, MaxCount=7)}
    pages = list(ec2.get_paginator("describe_instances").paginate(PaginationConfig={"PageSize": 5}))
    found = [one for page in pages for one in ids_of(page)]
    assert made <= set(found) and len(found) == len(set(found)) and len(pages) > 1


def test_a_client_token_launches_once(ec2, launch):
    token = unique_name()
    first, second = launch(ClientToken=token), launch(ClientToken=token)
    assert [one["InstanceId"] for one in first] == [one["InstanceId"] for one in second]


def test_attributes_are_described_and_changed(ec2, launch):
    text = base64.b64encode(b"#!/bin/bash\n").decode()
    instance = launch(UserData="#!/bin/bash\n")[0]["InstanceId"]
    found = ec2.describe_instance_attribute(InstanceId=instance, Attribute="userData")
    assert found["UserData"]["Value"] == text
    ec2.modify_instance_attribute(InstanceId=instance, DisableApiTermination={"Value": True})
    found = ec2.describe_instance_attribute(InstanceId=instance, Attribute="disableApiTermination")
    assert found["DisableApiTermination"]["Value"] is True
    with pytest.raises(ClientError) as info:
        ec2.terminate_instances(InstanceIds=[instance])
    assert error(info)[0] == "OperationNotPermitted"
    ec2.modify_instance_attribute(InstanceId=instance, DisableApiTermination={"Value": False})


def test_status_is_only_of_running_instances_unless_all_are_requested(ec2, launch):
    instance = launch()[0]["InstanceId"]
    found = ec2.describe_instance_status(InstanceIds=[instance], IncludeAllInstances=True)["InstanceStatuses"]
    assert found[0]["InstanceId"] == instance
    assert found[0]["InstanceStatus"]["Status"] in ("not-applicable", "initializing", "ok")


def test_tags_are_created_listed_and_deleted(ec2, launch):
    instance = launch()[0]["InstanceId"]
    ec2.create_tags(Resources=[instance], Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    mine = [{"Name": "resource-id", "Values": [instance]}]
    found = ec2.describe_tags(Filters=mine)["Tags"]
    assert [(one["Key"], one["Value"], one["ResourceType"]) for one in found] == [
        ("a", "1", "instance"),
        ("b", "2", "instance"),
    ]
    ec2.delete_tags(Resources=[instance], Tags=[{"Key": "a"}])
    assert [one["Key"] for one in ec2.describe_tags(Filters=mine)["Tags"]] == ["b"]
    with pytest.raises(ClientError) as info:
        ec2.create_tags(Resources=[instance], Tags=[{"Key": "aws:x", "Value": "1"}])
    assert error(info)[0] == "InvalidParameterValue"
