# SPDX-License-Identifier: Apache-2.0
"""Amazon's own command line."""
import json
import os
import pathlib
import subprocess

import pytest

AWS = "/usr/bin/aws"  # Debian's; the machine may have another version


@pytest.fixture(scope="module")
def aws(server):
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

    def run(*arguments):
        command = [AWS, "--endpoint-url", server.endpoint, "--output", "json", "cloudwatch", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "null")

    return run


def test_metrics_by_command_line(aws, namespace, minute):
    at = minute.strftime("%Y-%m-%dT%H:%M:%SZ")
    aws("put-metric-data", "--namespace", namespace, "--metric-name", "Buffers", "--unit", "Bytes",
        "--value", "231434333", "--dimensions", "InstanceID=1-23456789,InstanceType=m1.small", "--timestamp", at)
    (metric,) = aws("list-metrics", "--namespace", namespace)["Metrics"]
    assert {one["Name"]: one["Value"] for one in metric["Dimensions"]} == {
        "InstanceID": "1-23456789", "InstanceType": "m1.small"}
    answer = aws("get-metric-statistics", "--namespace", namespace, "--metric-name", "Buffers",
                 "--dimensions", "Name=InstanceID,Value=1-23456789", "Name=InstanceType,Value=m1.small",
                 "--start-time", at, "--end-time", minute.strftime("%Y-%m-%dT%H:%M:59Z"),
                 "--period", "60", "--statistics", "Average")
    assert answer["Datapoints"][0]["Average"] == 231434333.0
    assert answer["Datapoints"][0]["Unit"] == "Bytes"
