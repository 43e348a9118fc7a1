# SPDX-License-Identifier: Apache-2.0
"""Amazon's own command line."""
import json
import os
import pathlib
import subprocess

import pytest

from support.events import allow_rule
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
        command = [AWS, "--endpoint-url", server.endpoint, "--output", "json", "events", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else json.loads(done.stdout or "null")

    return run


def test_a_rule_delivers_to_a_queue(aws, queue):
    name = unique_name()
    arn = aws("put-rule", "--name", name, "--event-pattern", '{"source":["cli"]}')["RuleArn"]
    allow_rule(queue, arn)
    put = aws("put-targets", "--rule", name, "--targets", f"Id=1,Arn={queue.arn}")
    assert put == {"FailedEntryCount": 0, "FailedEntries": []}
    entry = {"Source": "cli", "DetailType": "d", "Detail": '{"a": 1}'}
    assert aws("put-events", "--entries", json.dumps([entry]))["FailedEntryCount"] == 0
    assert json.loads(queue.receive_one()["Body"])["detail"] == {"a": 1}
    assert [rule["Name"] for rule in aws("list-rules", "--name-prefix", name)["Rules"]] == [name]
    aws("remove-targets", "--rule", name, "--ids", "1")
    aws("delete-rule", "--name", name)
    assert "ResourceNotFoundException" in aws("describe-rule", "--name", name, fails=True)
