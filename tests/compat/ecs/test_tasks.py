# SPDX-License-Identifier: Apache-2.0
"""Tasks that run: on two machines with simulated GPUs, whose containers are processes."""
import pytest

from support.cluster import gpus_of
from support.queues import refused, unique_name

FOREVER = "sleep 300"
SOON = {"Delay": 1, "MaxAttempts": 300}


def wait(fleet, name, *tasks):
    arns = [task["taskArn"] for task in tasks]
    fleet.ecs.get_waiter(name).wait(tasks=arns, WaiterConfig=SOON)
    return fleet.ecs.describe_tasks(tasks=arns)["tasks"]


def knows(fleet, operation, member):
    return member in fleet.ecs.meta.service_model.operation_model(operation).input_shape.members


def test_a_task_with_gpus_runs_and_ends(tasks):
    gate = tasks.gate()
    definition = tasks.define(f"{gate.shell}; exit 3", gpus=2)
    task = tasks.run(definition)
    container = task["containers"][0]
    assert len(container["gpuIds"]) == 2
    assert (task["lastStatus"], task["desiredStatus"], task["launchType"]) == ("PENDING", "RUNNING", "EC2")
    assert task["group"] == "family:" + definition.rsplit("/", 1)[1].split(":")[0]
    assert (container["lastStatus"], container["cpu"], container["memory"]) == ("PENDING", "0", "64")
    assert task["attachments"] == task["tags"] == []
    assert task["overrides"]["containerOverrides"] == [{"name": "main"}]

    (running,) = wait(tasks, "tasks_running", task)
    assert running["lastStatus"] == running["containers"][0]["lastStatus"] == "RUNNING"
    assert running["connectivity"] == "CONNECTED"
    assert running["createdAt"] <= running["startedAt"]
    assert gpus_of(running) == gpus_of(task)

    gate.open()
    (stopped,) = wait(tasks, "tasks_stopped", task)
    assert (stopped["stopCode"], stopped["stoppedReason"]) == (
        "EssentialContainerExited", "Essential container in task exited"
    )
    assert (stopped["containers"][0]["exitCode"], stopped["containers"][0]["lastStatus"]) == (3, "STOPPED")
    assert stopped["startedAt"] <= stopped["stoppingAt"] <= stopped["stoppedAt"]
    assert stopped["version"] > running["version"] >= 1


def test_command_and_environment_are_overridden(tasks):
    definition = tasks.define("exit $CODE", environment=[{"name": "CODE", "value": "1"}])
    change = {"name": "main", "environment": [{"name": "CODE", "value": "4"}]}
    other = {"name": "main", "command": ["exit 5"]}
    codes = []
    for override in (None, change, other):
        more = {"overrides": {"containerOverrides": [override]}} if override else {}
        task = tasks.run(definition, **more)
        if override:
            assert task["overrides"]["containerOverrides"] == [override]
        (stopped,) = wait(tasks, "tasks_stopped", task)
        codes.append(stopped["containers"][0]["exitCode"])
    assert codes == [1, 4, 5]


def test_a_stopped_task_has_the_reason_of_the_request(tasks):
    task = tasks.run(tasks.define(FOREVER, gpus=1))
    wait(tasks, "tasks_running", task)
    answer = tasks.ecs.stop_task(task=task["taskArn"], reason="enough")["task"]
    assert answer["desiredStatus"] == "STOPPED"
    (stopped,) = wait(tasks, "tasks_stopped", task)
    assert (stopped["stopCode"], stopped["stoppedReason"]) == ("UserInitiated", "enough")
    tasks.ecs.stop_task(task=task["taskArn"], reason="again")
    assert tasks.describe(task)["stoppedReason"] == "enough"


def test_the_same_client_token_returns_the_same_tasks(tasks):
    if not knows(tasks, "RunTask", "clientToken"):
        pytest.skip("this client is older than RunTask's clientToken")
    definition, token = tasks.define(FOREVER), unique_name()
    first, again = (tasks.ecs.run_task(taskDefinition=definition, clientToken=token, count=2) for _ in range(2))
    assert [t["taskArn"] for t in first["tasks"]] == [t["taskArn"] for t in again["tasks"]]
    with refused("ConflictException"):
        tasks.ecs.run_task(taskDefinition=definition, clientToken=token, count=1)


def test_tags_of_the_request_and_of_the_definition(tasks):
    definition = tasks.define(FOREVER, task={"tags": [{"key": "team", "value": "vision"}]})
    job = [{"key": "job", "value": "7"}]

    def tags(**more):
        task = tasks.run(definition, **more)
        shown = tasks.ecs.describe_tasks(tasks=[task["taskArn"]], include=["TAGS"])["tasks"][0]["tags"]
        assert shown == task["tags"] == tasks.ecs.list_tags_for_resource(resourceArn=task["taskArn"])["tags"]
        assert tasks.describe(task)["tags"] == []
        return {tag["key"]: tag["value"] for tag in shown}

    assert tags() == {}
    assert tags(tags=job) == {"job": "7"}
    assert tags(tags=job, propagateTags="TASK_DEFINITION") == {"team": "vision", "job": "7"}
    assert tags(enableECSManagedTags=True) == {"aws:ecs:clusterName": "default"}


def test_a_task_is_tagged_while_it_runs(tasks):
    arn = tasks.run(tasks.define(FOREVER), tags=[{"key": "a", "value": "1"}])["taskArn"]
    tasks.ecs.tag_resource(resourceArn=arn, tags=[{"key": "b", "value": "2"}])
    tasks.ecs.untag_resource(resourceArn=arn, tagKeys=["a"])
    assert tasks.ecs.list_tags_for_resource(resourceArn=arn)["tags"] == [{"key": "b", "value": "2"}]


def test_lists_are_filtered(tasks):
    first, second = tasks.define(FOREVER), tasks.define(FOREVER)
    mine = tasks.run(first, startedBy="me/1")
    other = tasks.run(second)
    arn, listed = mine["taskArn"], tasks.list_tasks
    assert set(listed()) == {arn, other["taskArn"]}
    assert listed(family=first.rsplit("/", 1)[1].split(":")[0]) == [arn]
    assert listed(startedBy="me/1") == [arn]
    assert arn in listed(containerInstance=mine["containerInstanceArn"])
    assert set(listed(launchType="EC2")) == {arn, other["taskArn"]}
    assert listed(launchType="FARGATE") == listed(desiredStatus="PENDING") == []
    pages = list(tasks.ecs.get_paginator("list_tasks").paginate(PaginationConfig={"PageSize": 1}))
    assert [len(page["taskArns"]) for page in pages] == [1, 1]
    tasks.stop(mine)
    assert arn not in listed() and arn in listed(desiredStatus="STOPPED")


def test_cluster_and_machine_count_their_tasks(tasks):
    started = tasks.ecs.run_task(taskDefinition=tasks.define(FOREVER, cpu=100), count=3)["tasks"]
    wait(tasks, "tasks_running", *started)
    shown = tasks.ecs.describe_clusters(include=["STATISTICS"])["clusters"][0]
    assert (shown["runningTasksCount"], shown["pendingTasksCount"]) == (3, 0)
    assert {"name": "runningEC2TasksCount", "value": "3"} in shown["statistics"]
    assert sum(one["runningTasksCount"] for one in tasks.instances()) == 3
    for one in tasks.instances():
        cpu = {kind: next(r["integerValue"] for r in one[kind] if r["name"] == "CPU")
               for kind in ("registeredResources", "remainingResources")}
        assert cpu["registeredResources"] - cpu["remainingResources"] == 100 * one["runningTasksCount"]


def test_a_task_without_a_service_cannot_be_protected(tasks):
    arn = tasks.run(tasks.define(FOREVER))["taskArn"]
    changed = tasks.ecs.update_task_protection(cluster="default", tasks=[arn], protectionEnabled=True)
    assert changed["protectedTasks"] == []
    assert changed["failures"] == [{"arn": arn, "reason": "TASK_NOT_VALID"}]
    assert tasks.ecs.get_task_protection(cluster="default", tasks=[arn])["failures"] == changed["failures"]


def test_a_machine_with_tasks_is_deregistered_only_by_force(tasks):
    machine = tasks.add(unique_name(), "fake:1xT4")
    arn, ecs = machine.arn, tasks.ecs
    started = ecs.start_task(taskDefinition=tasks.define(FOREVER, gpus=1), containerInstances=[arn])
    (task,) = started["tasks"]
    assert gpus_of(task) == machine.gpu_ids
    with refused("InvalidParameterException", "Found running tasks on the instance."):
        ecs.deregister_container_instance(containerInstance=arn)
    machine.stop()
    tasks.machines.remove(machine)
    gone = ecs.deregister_container_instance(containerInstance=arn, force=True)["containerInstance"]
    assert (gone["status"], gone["runningTasksCount"]) == ("INACTIVE", 0)
    assert tasks.describe(task)["lastStatus"] == "STOPPED"
