# SPDX-License-Identifier: Apache-2.0
"""The commands that people type: Amazon's own command line."""
import json
import os
import pathlib
import subprocess

import pytest

from support.queues import unique_name

AWS = "/usr/bin/aws"  # Debian's, of one known version; the machine may have another


@pytest.fixture(scope="module")
def aws(server):
    """aws(argument...) -> its JSON, or what it wrote to standard error where it must fail."""
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
        command = [AWS, "--endpoint-url", server.endpoint, "--output", "json", "ecs", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else json.loads(done.stdout or "null")

    return run


def test_a_cluster_by_hand(aws):
    name = unique_name()
    made = aws("create-cluster", "--cluster-name", name, "--settings", "name=containerInsights,value=enabled",
               "--tags", "key=key1,value=value1")["cluster"]
    assert made["tags"] == [{"key": "key1", "value": "value1"}]
    assert made["clusterArn"] in aws("list-clusters")["clusterArns"]
    assert aws("describe-clusters", "--clusters", name, "--include", "SETTINGS")["clusters"][0]["settings"] == [
        {"name": "containerInsights", "value": "enabled"}
    ]
    assert aws("delete-cluster", "--cluster", name)["cluster"]["status"] == "INACTIVE"
    assert "ClusterNotFoundException" in aws("delete-cluster", "--cluster", unique_name(), fails=True)


def test_a_task_definition_from_a_file(aws, tmp_path):
    family = unique_name()
    definition = {
        "family": family,
        "containerDefinitions": [
            {
                "name": "gpu",
                "image": "nvidia/cuda:11.0.3-base",
                "memory": 80,
                "cpu": 100,
                "essential": True,
                "command": ["sh", "-c", "nvidia-smi"],
                "resourceRequirements": [{"type": "GPU", "value": "2"}],
            }
        ],
    }
    (tmp_path / "task.json").write_text(json.dumps(definition))
    made = aws("register-task-definition", "--cli-input-json", f"file://{tmp_path}/task.json")["taskDefinition"]
    assert made["containerDefinitions"][0]["resourceRequirements"] == [{"type": "GPU", "value": "2"}]
    assert aws("describe-task-definition", "--task-definition", family)["taskDefinition"] == made
    assert aws("list-task-definitions", "--family-prefix", family)["taskDefinitionArns"] == [made["taskDefinitionArn"]]
    ended = aws("deregister-task-definition", "--task-definition", family + ":1")["taskDefinition"]
    assert ended["status"] == "INACTIVE"


def test_the_shorthand_of_the_command_line(aws):
    family = unique_name()
    made = aws("register-task-definition", "--family", family, "--container-definitions",
               "name=web,image=nginx,memory=128,portMappings=[{containerPort=80,hostPort=8080}]")["taskDefinition"]
    ports = [{"containerPort": 80, "hostPort": 8080, "protocol": "tcp"}]
    assert made["containerDefinitions"][0]["portMappings"] == ports
    aws("deregister-task-definition", "--task-definition", family + ":1")


def test_settings_and_tags(aws):
    effective = aws("list-account-settings", "--effective-settings")["settings"]
    assert {"taskLongArnFormat"} <= {setting["name"] for setting in effective}
    arn = aws("create-cluster", "--cluster-name", unique_name())["cluster"]["clusterArn"]
    aws("tag-resource", "--resource-arn", arn, "--tags", "key=stack,value=dev")
    assert aws("list-tags-for-resource", "--resource-arn", arn)["tags"] == [{"key": "stack", "value": "dev"}]
    aws("untag-resource", "--resource-arn", arn, "--tag-keys", "stack")
    aws("delete-cluster", "--cluster", arn)
