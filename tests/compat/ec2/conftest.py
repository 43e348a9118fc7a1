# SPDX-License-Identifier: Apache-2.0
import pytest

from support.queues import unique_name

IMAGE = "ami-0123456789abcdef0"


@pytest.fixture(scope="session")
def ec2(connect):
    return connect("ec2")


@pytest.fixture
def template(ec2):
    """The id of a launch template for g4dn.xlarge."""
    name = unique_name()
    made = ec2.create_launch_template(
        LaunchTemplateName=name, LaunchTemplateData={"ImageId": IMAGE, "InstanceType": "g4dn.xlarge"}
    )
    yield made["LaunchTemplate"]["LaunchTemplateId"]
    try:
        ec2.delete_launch_template(LaunchTemplateName=name)
    except ec2.exceptions.ClientError:
        pass  # the test deleted it


@pytest.fixture
def launch(ec2):
    """launch(...) -> the launched instances, which are terminated after the test."""
    made = []

    def run(**request):
        request = {"ImageId": IMAGE, "InstanceType": "g4dn.xlarge", "MinCount": 1, "MaxCount": 1, **request}
        instances = ec2.run_instances(**request)["Instances"]
        made.extend(instance["InstanceId"] for instance in instances)
        return instances

    yield run
    if made:
        ec2.terminate_instances(InstanceIds=made)
