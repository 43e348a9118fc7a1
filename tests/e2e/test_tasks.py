# SPDX-License-Identifier: Apache-2.0
"""Tasks: commands, ends, reasons, health."""
import json

import pytest

from support.cluster import TEST_IMAGE, docker_answers, leftover_containers
from support.waiting import eventually

ROLE = {"taskRoleArn": "arn:aws:iam::000000000000:role/task"}


@pytest.fixture
def box(fleet, driver):
    fleet.add("box-" + driver, "fake:2xT4", driver)
    return fleet


def main(task):
    return task["containers"][0]


def test_overrides_change_command_and_environment(box, driver):
    definition = box.define("echo $GREETING", driver=driver, environment=[{"name": "GREETING", "value": "hello"}])
    plain = box.run(definition)
    changed = box.run(
        definition,
        overrides={
            "containerOverrides": [
                {"name": "main", "command": ["echo $GREETING again"], "environment": [{"name": "GREETING", "value": "bye"}]}
            ]
        },
    )
    for task in (plain, changed):
        assert main(box.wait_for(task, "STOPPED"))["exitCode"] == 0
    assert box.logs(plain) == "hello\n"
    assert box.logs(changed) == "bye again\n"


@pytest.mark.parametrize("code", [0, 3, 137])
def test_the_exit_code_is_reported(box, driver, code):
    task = box.wait_for(box.run(box.define(f"exit {code}", driver=driver)), "STOPPED")
    assert main(task)["exitCode"] == code
    assert task["stopCode"] == "EssentialContainerExited"
    assert task["stoppedReason"] == "Essential container in task exited"


def test_an_invalid_command_is_the_reason(box, driver):
    definition = box.define("", driver=driver, entryPoint=["/no/such/program"], command=[])
    task = box.wait_for(box.run(definition), "STOPPED")
    assert task["stopCode"] == "TaskFailedToStart"
    assert main(task)["reason"].startswith("CannotStartContainerError")
    assert "/no/such/program" in main(task)["reason"]


def test_an_invalid_image_is_the_reason(fleet):
    if not docker_answers():
        pytest.skip("no Docker engine answers here")
    fleet.add("box-a", driver="docker")
    task = fleet.run(fleet.define("true", driver="docker", image="127.0.0.1:1/no/such:image"))
    task = fleet.wait_for(task, "STOPPED")
    assert task["stopCode"] == "TaskFailedToStart"
    assert main(task)["reason"].startswith("CannotPullContainerError")


def test_out_of_memory_is_the_reason(box, driver):
    # With cgroups of version 1 Docker watches for kills only when it has started the container.
    gate = box.gate(driver)
    task = box.run(box.define(f"{gate.shell}; x=a; while true; do x=$x$x; done", memory=32, **gate.arguments))
    box.wait_for(task, "RUNNING")
    gate.open()
    task = box.wait_for(task, "STOPPED")
    assert main(task)["exitCode"] == 137
    assert main(task)["reason"].startswith("OutOfMemoryError")


def test_a_stopped_task_gets_sigterm_and_has_the_reason(box, driver):
    command = "trap 'echo bye; exit 7' TERM; echo up; for i in $(seq 6000); do sleep 0.1; done"
    definition = box.define(command, driver=driver, stopTimeout=30)
    task = box.run(definition)
    box.wait_for(task, "RUNNING")
    eventually(lambda: "up" in box.logs(task))
    done = box.stop(task, reason="enough")
    assert main(done)["exitCode"] == 7
    assert (done["stopCode"], done["stoppedReason"]) == ("UserInitiated", "enough")
    assert box.logs(task).endswith("bye\n")


def test_a_task_that_will_not_stop_is_killed(box, driver):
    command = "trap '' TERM; echo up; for i in $(seq 6000); do sleep 0.1; done"
    task = box.run(box.define(command, driver=driver, stopTimeout=2))
    box.wait_for(task, "RUNNING")
    eventually(lambda: "up" in box.logs(task))
    assert main(box.stop(task))["exitCode"] == 137


def test_draining_machines_keep_their_tasks_and_get_no_new_ones(fleet, driver):
    first = fleet.add("box-a", "none", driver)
    definition = fleet.define("sleep 300", driver=driver)
    task = fleet.run(definition)
    fleet.ecs.update_container_instances_state(containerInstances=[first.arn], status="DRAINING")
    second = fleet.add("box-b", "none", driver)
    assert fleet.run(definition)["containerInstanceArn"] == second.arn
    fleet.wait_for(task, "RUNNING")
    fleet.ecs.update_container_instances_state(containerInstances=[first.arn], status="ACTIVE")
    spread = [{"type": "spread", "field": "instanceId"}]
    tasks = [fleet.run(definition, placementStrategy=spread) for _ in range(4)]
    assert first.arn in {one["containerInstanceArn"] for one in tasks}


def test_containers_start_in_order_and_end_with_an_essential_one(box, driver):
    image = TEST_IMAGE if driver == "docker" else "process"
    shell = {"image": image, "memory": 32, "entryPoint": ["/bin/sh", "-c"], "stopTimeout": 2}
    answer = box.ecs.register_task_definition(
        family="ordered",
        containerDefinitions=[
            {"name": "prepare", "essential": False, "command": ["echo prepared"], **shell},
            {
                "name": "serve",
                "essential": False,
                "command": ["echo serving; sleep 300"],
                "dependsOn": [{"containerName": "prepare", "condition": "SUCCESS"}],
                **shell,
            },
            {
                "name": "work",
                "command": ["sleep 1; exit 5"],
                "dependsOn": [{"containerName": "serve", "condition": "START"}],
                **shell,
            },
        ],
    )
    task = box.wait_for(box.run(answer["taskDefinition"]["taskDefinitionArn"]), "STOPPED")
    codes = {container["name"]: container["exitCode"] for container in task["containers"]}
    assert codes["prepare"] == 0 and codes["work"] == 5 and codes["serve"] in (137, 143)


def test_health_is_reported(box, driver):
    check = {"command": ["CMD-SHELL", "test -e /tmp/healthy-$NAME"], "interval": 5, "timeout": 60, "retries": 1}
    name = "n" + driver
    task = box.run(
        box.define(
            f"rm -f /tmp/healthy-{name}; sleep 1; touch /tmp/healthy-{name}; sleep 300",
            driver=driver,
            healthCheck=check,
            environment=[{"name": "NAME", "value": name}],
        )
    )
    box.wait_for(task, "RUNNING")
    eventually(lambda: box.describe(task)["healthStatus"] == "HEALTHY")


def test_a_task_has_region_endpoint_and_credentials(box, driver):
    if driver == "docker":
        # The image has no boto3: check the sources that it reads.
        command = (
            'wget -qO- "$ECS_CONTAINER_METADATA_URI_V4/task"; echo; '
            'wget -qO- "${AWS_CONTAINER_CREDENTIALS_FULL_URI:-http://169.254.170.2$AWS_CONTAINER_CREDENTIALS_RELATIVE_URI}"'
            "; echo; echo $AWS_REGION $AWS_ENDPOINT_URL"
        )
        task = box.run(box.define(command, driver=driver, task=ROLE))
        box.wait_for(task, "STOPPED")
        lines = box.logs(task).splitlines()
        assert json.loads(lines[0])["TaskARN"] == task["taskArn"]
        assert json.loads(lines[1])["AccessKeyId"].startswith("ASIA")
        assert lines[2].startswith("us-east-1 http://")
        return
    program = (
        "import boto3, os; s = boto3.client('sts', endpoint_url=os.environ['AWS_ENDPOINT_URL']);"
        "print(s.get_caller_identity()['Account'], s.meta.region_name)"
    )
    task = box.run(box.define(f'/usr/bin/python3 -c "{program}"', memory=512, task=ROLE))
    done = box.wait_for(task, "STOPPED")
    assert main(done)["exitCode"] == 0, box.logs(task)
    assert box.logs(task).split() == ["000000000000", "us-east-1"]


def test_a_task_without_a_role_has_no_credentials(box, driver):
    shell = 'echo "${AWS_CONTAINER_CREDENTIALS_FULL_URI-none} ${AWS_CONTAINER_CREDENTIALS_RELATIVE_URI-none}"'
    task = box.run(box.define(shell, driver=driver))
    box.wait_for(task, "STOPPED")
    assert box.logs(task) == "none none\n"


def test_the_credentials_of_a_task_make_no_keys_and_register_no_machine(box, driver):
    if driver == "docker":
        pytest.skip("the image has no boto3")
    program = (
        "import boto3, botocore, os\n"
        "ecs = boto3.client('ecs', endpoint_url=os.environ['AWS_ENDPOINT_URL'])\n"
        "print(len(ecs.list_tasks()['taskArns']))\n"
        "try:\n ecs.register_container_instance()\n"
        "except botocore.exceptions.ClientError as error:\n print(error.response['Error']['Code'])\n"
    )
    task = box.run(box.define(f'/usr/bin/python3 -c "{program}"', memory=512, task=ROLE))
    box.wait_for(task, "STOPPED")
    assert box.logs(task).split()[-1] == "AccessDeniedException", box.logs(task)


def test_containers_of_stopped_tasks_are_removed(fleet):
    if not docker_answers():
        pytest.skip("no Docker engine answers here")
    fleet.add("box-clean", "none", "docker", ["--keep-stopped", "1s"])
    task = fleet.run(fleet.define("true", driver="docker"))
    fleet.wait_for(task, "STOPPED")
    eventually(lambda: not leftover_containers("box-clean") or None)
