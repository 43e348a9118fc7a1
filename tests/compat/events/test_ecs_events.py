# SPDX-License-Identifier: Apache-2.0
"""ECS publishes state changes of tasks, container instances and deployments, and what services do."""
import json

import pytest

from support.cluster import Cluster
from support.events import Rule
from support.queues import Queue, unique_name
from support.services import SERVE, Service


@pytest.fixture
def fleet(server):
    with Cluster() as running:
        running.add("box-a", "fake:2xV100")
        yield running


class Inbox:
    """The events of a kind, in a queue of their own."""

    def __init__(self, fleet, kind):
        self.queue = Queue(fleet.client("sqs"), unique_name())
        Rule(fleet.client("events"), {"source": ["aws.ecs"], "detail-type": [kind]}).target(self.queue)
        self.got = []

    def until(self, reached):
        """Receives events until one has reached this; returns it."""
        while True:
            message = self.queue.receive_one()
            self.queue.client.delete_message(QueueUrl=self.queue.url, ReceiptHandle=message["ReceiptHandle"])
            self.got.append(json.loads(message["Body"]))
            if reached(self.got[-1]["detail"]):
                return self.got[-1]


def test_a_task_s_life_arrives_in_a_queue(fleet):
    inbox = Inbox(fleet, "ECS Task State Change")
    gate = fleet.gate()
    task = fleet.run(fleet.define(gate.shell, gpus=1, **gate.arguments), startedBy="somebody")
    running = inbox.until(lambda detail: detail["lastStatus"] == "RUNNING")
    assert running["source"] == "aws.ecs" and running["resources"] == [task["taskArn"]]
    detail = running["detail"]
    assert detail["taskArn"] == task["taskArn"] and detail["startedBy"] == "somebody"
    assert detail["containers"][0]["gpuIds"] == task["containers"][0]["gpuIds"]
    assert detail["startedAt"].endswith("Z") and detail["updatedAt"].endswith("Z")
    assert "tags" not in detail and "healthStatus" not in detail

    fleet.ecs.stop_task(task=task["taskArn"], reason="enough")
    inbox.until(lambda detail: detail["desiredStatus"] == "STOPPED")
    gate.open()
    stopped = inbox.until(lambda detail: detail["lastStatus"] == "STOPPED")["detail"]
    assert stopped["stoppedReason"] == "enough" and stopped["stopCode"] == "UserInitiated"
    assert stopped["version"] == fleet.describe(task)["version"]
    versions = {}
    for event in inbox.got:
        versions.setdefault(event["detail"]["version"], event["detail"]["lastStatus"])
    assert inbox.got[0]["detail"]["lastStatus"] == "PENDING" and len(versions) == len(inbox.got)


def test_changes_of_a_machine_arrive_in_a_queue(fleet):
    inbox = Inbox(fleet, "ECS Container Instance State Change")
    arn = fleet.machines[0].arn
    fleet.ecs.update_container_instances_state(containerInstances=[arn], status="DRAINING")
    draining = inbox.until(lambda detail: detail["status"] == "DRAINING")
    assert draining["resources"] == [arn] and draining["detail"]["containerInstanceArn"] == arn
    assert draining["detail"]["agentConnected"] and draining["detail"]["runningTasksCount"] == 0
    fleet.ecs.update_container_instances_state(containerInstances=[arn], status="ACTIVE")
    inbox.until(lambda detail: detail["status"] == "ACTIVE")

    gate = fleet.gate()
    task = fleet.run(fleet.define(gate.shell, gpus=1, **gate.arguments))
    placed = inbox.until(lambda detail: detail["pendingTasksCount"] == 1)["detail"]
    free = next(r["stringSetValue"] for r in placed["remainingResources"] if r["name"] == "GPU")
    assert len(free) == 1 and free != task["containers"][0]["gpuIds"]
    gate.open()
    inbox.until(lambda detail: detail["pendingTasksCount"] + detail["runningTasksCount"] == 0)
    versions = [event["detail"]["version"] for event in inbox.got]
    assert len(set(versions)) == len(versions)


def test_deployments_and_actions_of_a_service_arrive_in_queues(fleet):
    deployments, actions = Inbox(fleet, "ECS Deployment State Change"), Inbox(fleet, "ECS Service Action")
    service = Service(fleet, "web", fleet.define(SERVE))
    arn, deployment = service.created["serviceArn"], service.created["deployments"][0]["id"]
    begun = deployments.until(lambda detail: detail["eventName"] == "SERVICE_DEPLOYMENT_IN_PROGRESS")
    assert begun["source"] == "aws.ecs" and begun["resources"] == [arn]
    assert begun["detail"]["eventType"] == "INFO" and begun["detail"]["deploymentId"] == deployment
    assert begun["detail"]["reason"] == f"ECS deployment {deployment} in progress."
    completed = deployments.until(lambda detail: detail["eventName"] == "SERVICE_DEPLOYMENT_COMPLETED")
    assert completed["detail"]["reason"] == f"ECS deployment {deployment} completed."

    started = actions.until(lambda detail: detail["eventName"] == "TASKS_STARTED")
    (task,) = service.running(1)
    assert started["resources"] == [arn] and started["detail"]["taskArns"] == [task["taskArn"]]
    assert started["detail"]["clusterArn"] == task["clusterArn"] and started["detail"]["createdAt"].endswith("Z")
    actions.until(lambda detail: detail["eventName"] == "SERVICE_STEADY_STATE")

    service.deploy(fleet.define(SERVE, gpus=3))
    failed = actions.until(lambda detail: detail["eventName"] == "SERVICE_TASK_PLACEMENT_FAILURE")["detail"]
    assert failed["eventType"] == "ERROR" and failed["reason"] == "RESOURCE:GPU"
    assert failed["containerInstanceArns"] == [fleet.machines[0].arn]
