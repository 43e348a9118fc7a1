# SPDX-License-Identifier: Apache-2.0
"""Amazon's own command line."""
import json
import os
import pathlib
import subprocess

import pytest

from support.queues import unique_name
from support.waiting import eventually

AWS = "/usr/bin/aws"  # Debian's; the machine may have another version


def command_line(server):
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
        command = [AWS, "--endpoint-url", server.endpoint, "--output", "json", "ecs", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else json.loads(done.stdout or "null")

    return run


@pytest.fixture(scope="module")
def aws(server):
    return command_line(server)


def test_a_cluster(aws):
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


def test_a_service(aws, make_cluster):
    cluster, family, name = make_cluster()["clusterName"], unique_name(), unique_name()
    aws("register-task-definition", "--family", family, "--container-definitions", "name=web,image=nginx,memory=128")
    made = aws("create-service", "--cluster", cluster, "--service-name", name, "--task-definition", family,
               "--desired-count", "2", "--placement-strategy", "type=spread,field=instanceId")["service"]
    assert made["placementStrategy"] == [{"type": "spread", "field": "instanceId"}]
    assert aws("list-services", "--cluster", cluster)["serviceArns"] == [made["serviceArn"]]
    updated = aws("update-service", "--cluster", cluster, "--service", name, "--desired-count", "0",
                  "--force-new-deployment", "--deployment-configuration", "minimumHealthyPercent=50")["service"]
    assert (updated["desiredCount"], updated["deploymentConfiguration"]["minimumHealthyPercent"]) == (0, 50)
    assert updated["deployments"][0]["id"] != made["deployments"][0]["id"]
    assert "ServiceNotFoundException" in aws("delete-service", "--cluster", cluster, "--service", "none", fails=True)
    assert aws("delete-service", "--cluster", cluster, "--service", name, "--force")["service"]["status"] == "DRAINING"

    def inactive():
        shown = aws("describe-services", "--cluster", cluster, "--services", name)["services"][0]
        return shown["status"] == "INACTIVE" or None

    eventually(inactive)
    aws("deregister-task-definition", "--task-definition", family + ":1")


def test_a_machine_and_its_attributes(aws, make_cluster, add_machine):
    cluster = make_cluster()["clusterName"]
    arn = add_machine(cluster, gpus=[unique_name()])["containerInstanceArn"]
    assert aws("list-container-instances", "--cluster", cluster)["containerInstanceArns"] == [arn]
    put = aws("put-attributes", "--cluster", cluster, "--attributes", f"name=stack,value=production,targetId={arn}")
    stack = {"name": "stack", "value": "production", "targetId": arn}
    assert put["attributes"] == [stack]
    found = aws("list-attributes", "--cluster", cluster, "--target-type", "container-instance",
                "--attribute-name", "stack", "--attribute-value", "production")
    assert found["attributes"] == [stack]
    by_query = aws("list-container-instances", "--cluster", cluster, "--filter", "attribute:stack == production")
    assert by_query["containerInstanceArns"] == [arn]
    drained = aws("update-container-instances-state", "--cluster", cluster, "--container-instances", arn,
                  "--status", "DRAINING")
    assert drained["containerInstances"][0]["status"] == "DRAINING"
    gone = aws("delete-attributes", "--cluster", cluster, "--attributes", f"name=stack,targetId={arn}")
    assert gone["attributes"] == [stack]
    ended = aws("deregister-container-instance", "--cluster", cluster, "--container-instance", arn, "--force")
    assert ended["containerInstance"]["status"] == "INACTIVE"


def test_a_task_without_a_machine_fails(aws, make_cluster, register):
    cluster, definition = make_cluster()["clusterName"], register()["taskDefinitionArn"]
    refused = aws("run-task", "--cluster", cluster, "--task-definition", definition, fails=True)
    assert "(InvalidParameterException)" in refused
    assert "No Container Instances were found in your cluster." in refused
    assert "The referenced task was not found." in aws(
        "stop-task", "--cluster", cluster, "--task", "0123456789abcdef0123456789abcdef", fails=True
    )


def test_a_task(tasks):
    aws = command_line(tasks.server)
    gate = tasks.gate()
    definition = tasks.define(f"{gate.shell}; exit $CODE", gpus=1)
    overrides = {"containerOverrides": [{"name": "main", "environment": [{"name": "CODE", "value": "6"}]}]}
    answer = aws("run-task", "--task-definition", definition, "--overrides", json.dumps(overrides),
                 "--started-by", "hand", "--tags", "key=job,value=1", "--placement-strategy", "type=binpack,field=memory",
                 "--placement-constraints", "type=memberOf,expression=attribute:rack==left")
    arn = answer["tasks"][0]["taskArn"]
    assert len(answer["tasks"][0]["containers"][0]["gpuIds"]) == 1
    assert aws("list-tasks", "--started-by", "hand")["taskArns"] == [arn]
    gate.open()
    aws("wait", "tasks-stopped", "--tasks", arn)
    ended = aws("describe-tasks", "--tasks", arn, "--include", "TAGS")["tasks"][0]
    assert (ended["lastStatus"], ended["containers"][0]["exitCode"]) == ("STOPPED", 6)
    assert ended["tags"] == [{"key": "job", "value": "1"}]
