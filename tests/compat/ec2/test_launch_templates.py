# SPDX-License-Identifier: Apache-2.0
import base64

import pytest
from botocore.exceptions import ClientError

from support.queues import unique_name

IMAGE = "ami-0123456789abcdef0"
USER_DATA = base64.b64encode(b"#!/bin/bash\necho ECS_CLUSTER=gpu >> /etc/ecs/ecs.config\n").decode()


def error(info):
    return info.value.response["Error"]["Code"], info.value.response["Error"]["Message"]


def test_a_template_is_created_described_and_deleted(ec2):
    name = unique_name()
    made = ec2.create_launch_template(
        LaunchTemplateName=name,
        VersionDescription="first",
        LaunchTemplateData={
            "ImageId": IMAGE,
            "InstanceType": "g4dn.xlarge",
            "UserData": USER_DATA,
            "IamInstanceProfile": {"Name": "ecsInstanceRole"},
            "TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "team", "Value": "ml"}]}],
            "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 100, "VolumeType": "gp3"}}],
            "MetadataOptions": {"HttpTokens": "required"},
        },
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": [{"Key": "a", "Value": "b"}]}],
    )["LaunchTemplate"]
    assert made["LaunchTemplateName"] == name and made["LaunchTemplateId"].startswith("lt-")
    assert made["DefaultVersionNumber"] == made["LatestVersionNumber"] == 1
    assert made["Tags"] == [{"Key": "a", "Value": "b"}]
    found = ec2.describe_launch_templates(LaunchTemplateNames=[name])["LaunchTemplates"]
    assert [one["LaunchTemplateId"] for one in found] == [made["LaunchTemplateId"]]
    found = ec2.describe_launch_templates(Filters=[{"Name": "tag:a", "Values": ["b"]}])["LaunchTemplates"]
    assert name in [one["LaunchTemplateName"] for one in found]
    version = ec2.describe_launch_template_versions(LaunchTemplateName=name, Versions=["$Latest"])
    version = version["LaunchTemplateVersions"][0]
    assert version["VersionDescription"] == "first" and version["DefaultVersion"]
    assert version["LaunchTemplateData"]["UserData"] == USER_DATA
    assert version["LaunchTemplateData"]["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] == 100
    ec2.delete_launch_template(LaunchTemplateId=made["LaunchTemplateId"])
    with pytest.raises(ClientError) as info:
        ec2.describe_launch_templates(LaunchTemplateNames=[name])
    assert error(info) == ("InvalidLaunchTemplateName.NotFoundException",
                           "At least one of the launch templates specified in the request does not exist.")


def test_versions_are_listed_newest_first_in_pages(ec2, template):
    for kind in ("g4dn.2xlarge", "g5.xlarge"):
        ec2.create_launch_template_version(
            LaunchTemplateId=template, SourceVersion="1", LaunchTemplateData={"InstanceType": kind}
        )
    pages = ec2.get_paginator("describe_launch_template_versions").paginate(
        LaunchTemplateId=template, PaginationConfig={"PageSize": 1}
    )
    versions = [one for page in pages for one in page["LaunchTemplateVersions"]]
    assert [one["VersionNumber"] for one in versions] == [3, 2, 1]
    assert [one["LaunchTemplateData"]["ImageId"] for one in versions] == [IMAGE] * 3
    ec2.modify_launch_template(LaunchTemplateId=template, DefaultVersion="3")
    found = ec2.describe_launch_template_versions(LaunchTemplateId=template, Versions=["$Default"])
    assert found["LaunchTemplateVersions"][0]["LaunchTemplateData"]["InstanceType"] == "g5.xlarge"
    gone = ec2.delete_launch_template_versions(LaunchTemplateId=template, Versions=["2", "8"])
    assert gone["SuccessfullyDeletedLaunchTemplateVersions"][0]["VersionNumber"] == 2
    failed = gone["UnsuccessfullyDeletedLaunchTemplateVersions"][0]
    assert failed["ResponseError"]["Code"] == "launchTemplateVersionDoesNotExist"


def test_errors_have_amazons_codes(ec2, template):
    name = ec2.describe_launch_templates(LaunchTemplateIds=[template])["LaunchTemplates"][0]["LaunchTemplateName"]
    with pytest.raises(ClientError) as info:
        ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData={"ImageId": IMAGE})
    assert error(info) == ("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.")
    with pytest.raises(ClientError) as info:
        ec2.describe_launch_template_versions(LaunchTemplateId=template, Versions=["9"])
    assert error(info)[0] == "InvalidLaunchTemplateId.VersionNotFound"
    with pytest.raises(ClientError) as info:
        ec2.delete_launch_template(LaunchTemplateId="lt-00000000000000000")
    assert error(info)[0] == "InvalidLaunchTemplateId.NotFound"


def test_a_launch_merges_the_template_and_the_request(ec2, template, launch):
    instance = launch(
        ImageId=IMAGE, InstanceType="g5.xlarge", LaunchTemplate={"LaunchTemplateId": template, "Version": "1"}
    )[0]
    assert instance["InstanceType"] == "g5.xlarge" and instance["ImageId"] == IMAGE


def test_a_template_of_spot_instances_is_rejected_by_name(ec2):
    with pytest.raises(ClientError) as info:
        ec2.create_launch_template(
            LaunchTemplateName=unique_name(), LaunchTemplateData={"InstanceMarketOptions": {"MarketType": "spot"}}
        )
    assert error(info)[0] == "UnsupportedOperation" and "InstanceMarketOptions" in error(info)[1]
