# SPDX-License-Identifier: Apache-2.0
import base64
import contextlib

import botocore.exceptions
import pytest

from support.queues import unique_name


@pytest.fixture(scope="session")
def autoscaling(connect):
    return connect("autoscaling")


@pytest.fixture(scope="session")
def ec2(connect):
    return connect("ec2")


@pytest.fixture(scope="session")
def template(ec2):
    """The name of a launch template."""
    name = unique_name()
    user_data = base64.b64encode(b"#!/bin/bash\necho ECS_CLUSTER=default >> /etc/ecs/ecs.config\n").decode()
    ec2.create_launch_template(
        LaunchTemplateName=name,
        LaunchTemplateData={"InstanceType": "g4dn.xlarge", "ImageId": "ami-0123456789abcdef0", "UserData": user_data},
    )
    yield name
    with contextlib.suppress(botocore.exceptions.EndpointConnectionError):  # a server of our own may have ended before
        ec2.delete_launch_template(LaunchTemplateName=name)


@pytest.fixture
def make_group(autoscaling, template):
    """make_group(MaxSize=2, ...) -> its name. Groups have no instances unless the test wants some."""
    made = []

    def make(**more):
        name = more.pop("AutoScalingGroupName", None) or unique_name()
        request = {"MinSize": 0, "MaxSize": 2, "AvailabilityZones": ["us-east-1a"], **more}
        if not {"LaunchTemplate", "LaunchConfigurationName", "MixedInstancesPolicy"} & set(request):
            request["LaunchTemplate"] = {"LaunchTemplateName": template}
        autoscaling.create_auto_scaling_group(AutoScalingGroupName=name, **request)
        made.append(name)
        return name

    yield make
    for name in made:
        try:
            autoscaling.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)
        except autoscaling.exceptions.ClientError:
            pass  # the test deleted it


@pytest.fixture
def describe(autoscaling):
    """describe(name) -> the group as DescribeAutoScalingGroups shows it."""

    def one(name):
        return autoscaling.describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"][0]

    return one
