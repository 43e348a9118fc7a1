# SPDX-License-Identifier: Apache-2.0
"""Placement: constraints, strategies, whole and shared GPUs, draining."""
import pytest

from support.cluster import gpus_of
from support.queues import refused
from support.raw import Caller

FOREVER = "sleep 300"
TARGET = "AmazonEC2ContainerServiceV20141113"


@pytest.fixture
def boxes(tasks):
    """{name: ARN} of the two machines."""
    return {one["ec2InstanceId"]: one["containerInstanceArn"] for one in tasks.instances()}


@pytest.fixture
def raw(fleet):
    """For members that the clients do not support yet."""
    caller = Caller(fleet.server)
    headers = {"Content-Type": "application/x-amz-json-1.1"}

    def call(operation, members):
        answer = caller.json(operation, members, scope=caller.scope("ecs"), target=TARGET, headers=headers)
        assert answer.status == 200, answer
        return answer.json

    return call


def places(answer):
    return [task["containerInstanceArn"] for task in answer["tasks"]]


def test_a_task_is_placed_on_free_gpus_and_the_next_one_fails(tasks, boxes):
    definition = tasks.define(FOREVER, gpus=8)
    task = tasks.run(definition)
    assert task["containerInstanceArn"] == boxes["box-a"]
    assert len(set(gpus_of(task))) == 8
    answer = tasks.ecs.run_task(taskDefinition=definition)
    assert answer["tasks"] == []
    assert {failure["reason"] for failure in answer["failures"]} == {"RESOURCE:GPU"}
    held = next(failure for failure in answer["failures"] if failure["arn"] == boxes["box-a"])
    assert "8 of 8 held by task" in held["detail"] and task["taskArn"].rsplit("/", 1)[1] in held["detail"]


def test_tasks_that_fit_are_placed_and_the_others_have_reasons(tasks):
    answer = tasks.ecs.run_task(taskDefinition=tasks.define(FOREVER, gpus=2), count=6)
    assert len(answer["tasks"]) == 5
    assert {failure["reason"] for failure in answer["failures"]} == {"RESOURCE:GPU"}
    every = [gpu for task in answer["tasks"] for gpu in gpus_of(task)]
    assert len(every) == len(set(every)) == 10


def test_memory_and_cpu_are_resources_too(tasks):
    for members, reason in (({"memory": 2**30}, "RESOURCE:MEMORY"), ({"cpu": 2**30}, "RESOURCE:CPU")):
        answer = tasks.ecs.run_task(taskDefinition=tasks.define(FOREVER, **members))
        assert {failure["reason"] for failure in answer["failures"]} == {reason}


def test_constraints(tasks, boxes):
    definition = tasks.define(FOREVER)

    def run(*constraints, **more):
        return tasks.ecs.run_task(taskDefinition=definition, placementConstraints=list(constraints), **more)

    left = run({"type": "memberOf", "expression": "attribute:rack == left"}, count=3)
    assert places(left) == [boxes["box-a"]] * 3
    model = run({"type": "memberOf", "expression": "attribute:stoker.gpu-model =~ .*T4.*"})
    assert places(model) == [boxes["box-b"]]
    # Only tasks of the same group count; the others have the group of their family.
    distinct = run({"type": "distinctInstance"}, count=3, group="apart")
    assert sorted(places(distinct)) == sorted(boxes.values())
    assert distinct["failures"]
    nowhere = run({"type": "memberOf", "expression": "attribute:rack == none"})
    assert nowhere["tasks"] == [] and len(nowhere["failures"]) == 2


def test_constraints_of_the_definition_apply(tasks, boxes):
    constraint = {"type": "memberOf", "expression": "attribute:rack == right"}
    task = tasks.run(tasks.define(FOREVER, task={"placementConstraints": [constraint]}))
    assert task["containerInstanceArn"] == boxes["box-b"]


def test_a_new_attribute_applies_at_once(tasks, boxes):
    ecs, attribute = tasks.ecs, {"name": "stack", "value": "test", "targetId": boxes["box-b"]}
    constraint = {"type": "memberOf", "expression": "attribute:stack == test"}
    definition = tasks.define(FOREVER)
    assert ecs.run_task(taskDefinition=definition, placementConstraints=[constraint])["tasks"] == []
    ecs.put_attributes(attributes=[attribute])
    try:
        assert places(ecs.run_task(taskDefinition=definition, placementConstraints=[constraint])) == [boxes["box-b"]]
    finally:
        ecs.delete_attributes(attributes=[attribute])


def test_strategies(tasks, boxes):
    definition = tasks.define(FOREVER, gpus=1)

    def run(count, *strategy):
        return places(tasks.ecs.run_task(taskDefinition=definition, count=count, placementStrategy=list(strategy)))

    assert sorted(run(2, {"type": "spread", "field": "instanceId"})) == sorted(boxes.values())
    tasks.stop_all()
    assert sorted(run(2, {"type": "spread", "field": "attribute:rack"})) == sorted(boxes.values())
    tasks.stop_all()
    assert len(set(run(2, {"type": "binpack", "field": "memory"}))) == 1
    assert len(run(1, {"type": "random"})) == 1


def test_a_draining_machine_keeps_its_tasks_and_gets_no_new_ones(tasks, boxes):
    ecs, box = tasks.ecs, boxes["box-a"]
    constraint = {"type": "memberOf", "expression": "attribute:rack == left"}
    task = tasks.run(tasks.define(FOREVER), placementConstraints=[constraint])
    tasks.wait_for(task, "RUNNING")
    ecs.update_container_instances_state(containerInstances=[box], status="DRAINING")
    try:
        plain = tasks.define(FOREVER)
        assert set(places(ecs.run_task(taskDefinition=plain, count=3))) == {boxes["box-b"]}
        failures = ecs.start_task(taskDefinition=plain, containerInstances=[box])["failures"]
        assert [failure["arn"] for failure in failures] == [box]
        assert tasks.describe(task)["lastStatus"] == "RUNNING"
    finally:
        ecs.update_container_instances_state(containerInstances=[box], status="ACTIVE")


def test_a_gpu_is_shared_by_memory(tasks, boxes, raw):
    share = {"nvidiaMps": {"memory": 6000, "maxComputePercent": 30}}
    container = {
        "name": "main", "image": "process", "memory": 64, "entryPoint": ["/bin/sh", "-c"], "command": [FOREVER],
        "resourceRequirements": [{"type": "GPU", "sharingStrategy": share}],
    }
    raw("RegisterTaskDefinition", {"family": "share", "containerDefinitions": [container]})
    wanted = {"taskDefinition": "share", "count": 3,
              "placementConstraints": [{"type": "memberOf", "expression": "attribute:rack == left"}]}
    placed = raw("RunTask", wanted)["tasks"]
    assert [task["containers"][0]["gpuSharingStrategy"] for task in placed] == [share] * 3
    shared = [gpus_of(task)[0] for task in placed]
    assert len(set(shared)) == 2  # 16 GiB take two of them
    shown = raw("DescribeContainerInstances", {"containerInstances": [boxes["box-a"]]})["containerInstances"][0]
    devices = {device["gpuId"]: device for device in shown["gpuDevices"]}
    assert len(devices) == 8
    for gpu in set(shared):
        device = devices[gpu]
        assert (device["sharingMode"], device["containerCount"]) == ("NVIDIA_MPS", shared.count(gpu))
        assert device["remainingMemoryInMiB"] == device["totalMemoryInMiB"] - 6000 * shared.count(gpu)
    assert sorted({device["sharingMode"] for device in devices.values()}) == ["IDLE", "NVIDIA_MPS"]

    whole = tasks.run(tasks.define(FOREVER, gpus=6))
    assert not set(gpus_of(whole)) & set(shared)
    shown = raw("DescribeContainerInstances", {"containerInstances": [boxes["box-a"]]})["containerInstances"][0]
    dedicated = [device for device in shown["gpuDevices"] if device["gpuId"] in gpus_of(whole)]
    assert {(one["sharingMode"], one["containerCount"], one["remainingMemoryInMiB"]) for one in dedicated} == {
        ("DEDICATED", 1, 0)
    }


def test_start_task_uses_the_given_machine_or_reports_why_not(tasks, boxes):
    definition = tasks.define(FOREVER, gpus=2)
    answer = tasks.ecs.start_task(taskDefinition=definition, containerInstances=[boxes["box-b"], boxes["box-a"]])
    assert places(answer) == [boxes["box-b"], boxes["box-a"]]
    again = tasks.ecs.start_task(taskDefinition=definition, containerInstances=[boxes["box-b"]])
    assert [failure["reason"] for failure in again["failures"]] == ["RESOURCE:GPU"]
    with refused("InvalidParameterException", "instanceId length"):
        tasks.ecs.start_task(taskDefinition=definition, containerInstances=["box-b"])
