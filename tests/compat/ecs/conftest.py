# SPDX-License-Identifier: Apache-2.0
"""Clusters, task definitions and machines for one test each, and a fleet whose agents run tasks."""
import json

import pytest

from support.cluster import Cluster
from support.queues import unique_name
from support.raw import Caller

TARGET = "AmazonEC2ContainerServiceV20141113"
CONTAINER = {"name": "app", "image": "busybox", "memory": 16}


@pytest.fixture(scope="session")
def ecs(connect):
    return connect("ecs")


@pytest.fixture(scope="session")
def unchecked(connect):
    """A client without validation of its own."""
    return connect("ecs", checked=False)


@pytest.fixture(scope="session")
def raw(server):
    """raw(operation, members) -> the response; for members that the clients do not support yet."""
    caller = Caller(server)
    headers = {"Content-Type": "application/x-amz-json-1.1"}
    return lambda operation, members: caller.json(
        operation, members, scope=caller.scope("ecs"), target=TARGET, headers=headers
    )


@pytest.fixture
def make_cluster(ecs):
    made = []

    def make(name=None, **more):
        name = name or unique_name()
        made.append(name)
        return ecs.create_cluster(clusterName=name, **more)["cluster"]

    yield make
    for name in made:
        ecs.delete_cluster(cluster=name)


@pytest.fixture
def register(ecs):
    """register(container members, family=..., task members) -> the task definition."""
    made = []

    def make(family=None, containers=None, client=None, container=None, **task):
        containers = containers or [dict(CONTAINER, **(container or {}))]
        family = family or unique_name()
        answer = (client or ecs).register_task_definition(family=family, containerDefinitions=containers, **task)
        made.append(answer["taskDefinition"]["taskDefinitionArn"])
        return answer["taskDefinition"]

    yield make
    for arn in made:
        try:
            ecs.deregister_task_definition(taskDefinition=arn)
        except ecs.exceptions.ClientError:
            pass  # the test has deregistered it


def identity(name):
    return json.dumps({"instanceId": name, "region": "us-east-1", "accountId": "000000000000"})


def number(name, value):
    return {"name": name, "type": "INTEGER", "integerValue": value}


@pytest.fixture
def add_machine(ecs, server, make_cluster):
    """add_machine(cluster, gpus, members) -> a container instance whose agent never connects.

    Amazon accepts only machines with a signed identity: these cases need a server of our own.
    """
    made = []

    def add(cluster, gpus=(), cpu=4096, memory=8000, name=None, **more):
        name = name or "i-" + unique_name()[-16:]
        answer = ecs.register_container_instance(
            cluster=cluster,
            instanceIdentityDocument=identity(name),
            totalResources=[number("CPU", cpu), number("MEMORY", memory)],
            platformDevices=[{"id": gpu, "type": "GPU"} for gpu in gpus],
            versionInfo={"agentVersion": "1.90.0", "agentHash": "aabe65ee", "dockerVersion": "DockerVersion: 20.10.23"},
            **more,
        )
        instance = answer["containerInstance"]
        made.append((cluster, instance["containerInstanceArn"]))
        return instance

    yield add
    for cluster, arn in made:
        ecs.deregister_container_instance(cluster=cluster, containerInstance=arn, force=True)


@pytest.fixture(scope="session")
def fleet(request):
    """A server with two machines, whose tasks are processes: box-a has 8 GPUs, box-b 2 of another model.

    With the driver `process` an image means nothing; entryPoint and command are what runs.
    """
    request.getfixturevalue("server")  # skips at Amazon
    with Cluster() as running:
        running.add("box-a", "fake:8xV100", arguments=["--attribute", "rack=left"])
        running.add("box-b", "fake:2xT4", arguments=["--attribute", "rack=right"])
        yield running


@pytest.fixture
def tasks(fleet):
    """The fleet, without tasks at the beginning and at the end of a test."""
    yield fleet
    fleet.stop_all()
