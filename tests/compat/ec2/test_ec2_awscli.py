# SPDX-License-Identifier: Apache-2.0
"""Amazon's own command line."""
import json
import os
import pathlib
import subprocess

import pytest

from support.queues import unique_name

AWS = "/usr/bin/aws"  # Debian's; the machine may have another version


@pytest.fixture(scope="module")
def aws(server):
    """aws(argument...) -> its JSON output, or its error output if it must fail."""
    if not pathlib.Path(AWS).exists():
        pytest.skip("needs Debian's awscli")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(server.folder),
        "AWS_ACCESS_KEY_ID": server.root_key.id,
        "AWS_SECRET_ACCESS_KEY": server.root_key.secret,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_PAGER": "",
        "AWS_MAX_ATTEMPTS": "1",
    }

    def run(*arguments, fails=False):
        command = [AWS, "--endpoint-url", server.endpoint, "--output", "json", "ec2", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else json.loads(done.stdout or "null")

    return run


def test_an_instance_from_a_template(aws):
    name = unique_name()
    data = json.dumps({"ImageId": "ami-0123456789abcdef0", "InstanceType": "g5.xlarge"})
    aws("create-launch-template", "--launch-template-name", name, "--launch-template-data", data)
    made = aws("run-instances", "--launch-template", f"LaunchTemplateName={name},Version=$Latest", "--count", "1")
    instance = made["Instances"][0]["InstanceId"]
    found = aws("describe-instances", "--instance-ids", instance)["Reservations"][0]["Instances"][0]
    assert found["InstanceType"] == "g5.xlarge"
    ended = aws("terminate-instances", "--instance-ids", instance)["TerminatingInstances"][0]
    assert ended["CurrentState"]["Name"] in ("shutting-down", "terminated")
    aws("delete-launch-template", "--launch-template-name", name)
    assert "InvalidLaunchTemplateName.NotFoundException" in aws(
        "delete-launch-template", "--launch-template-name", name, fails=True
    )
