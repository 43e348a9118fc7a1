# SPDX-License-Identifier: Apache-2.0
"""Tasks of services, on two machines with simulated GPUs, whose containers are processes."""
import pytest

from support.queues import unique_name
from support.waiting import eventually

FOREVER = "sleep 300"
SOON = {"Delay": 1, "MaxAttempts": 300}


@pytest.fixture
def serve(tasks):
    """serve(definition, count) -> the name of a service whose tasks run; INACTIVE when the test ends."""
    made = []

    def make(definition, count, **more):
        name = unique_name()
        tasks.ecs.create_service(serviceName=name, taskDefinition=definition, desiredCount=count, **more)
        made.append(name)
        tasks.ecs.get_waiter("services_stable").wait(services=[name], WaiterConfig=SOON)
        return name

    yield make
    for name in made:
        tasks.ecs.delete_service(service=name, force=True)
        tasks.ecs.get_waiter("services_inactive").wait(services=[name], WaiterConfig=SOON)


def test_tasks_belong_to_their_service(tasks, serve):
    name = serve(tasks.define(FOREVER, gpus=1), 2, enableECSManagedTags=True, propagateTags="SERVICE",
                 tags=[{"key": "team", "value": "vision"}])
    service = tasks.ecs.describe_services(services=[name])["services"][0]
    assert (service["runningCount"], service["pendingCount"]) == (2, 0)
    arns = tasks.ecs.list_tasks(serviceName=name)["taskArns"]
    assert len(arns) == 2
    for task in tasks.ecs.describe_tasks(tasks=arns, include=["TAGS"])["tasks"]:
        assert task["group"] == "service:" + name
        assert task["startedBy"] == service["deployments"][0]["id"]
        tags = {tag["key"]: tag["value"] for tag in task["tags"]}
        assert tags == {"team": "vision", "aws:ecs:clusterName": "default", "aws:ecs:serviceName": name}


def test_a_protected_task_survives_scaling_in(tasks, serve):
    name = serve(tasks.define(FOREVER), 3)
    arns = tasks.ecs.list_tasks(serviceName=name)["taskArns"]
    kept = arns[1]
    changed = tasks.ecs.update_task_protection(cluster="default", tasks=[kept], protectionEnabled=True,
                                               expiresInMinutes=5)
    assert changed["failures"] == []
    assert changed["protectedTasks"][0]["protectionEnabled"] is True
    shown = tasks.ecs.get_task_protection(cluster="default", tasks=arns)["protectedTasks"]
    assert [one["taskArn"] for one in shown if one["protectionEnabled"]] == [kept]
    tasks.ecs.update_service(service=name, desiredCount=1)
    eventually(lambda: tasks.ecs.list_tasks(serviceName=name)["taskArns"] == [kept] or None)
