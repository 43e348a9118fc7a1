# SPDX-License-Identifier: Apache-2.0
"""Clusters and task definitions that end with their test."""
import pytest

from support.queues import unique_name
from support.raw import Caller

TARGET = "AmazonEC2ContainerServiceV20141113"
CONTAINER = {"name": "app", "image": "busybox", "memory": 16}


@pytest.fixture(scope="session")
def ecs(connect):
    return connect("ecs")


@pytest.fixture(scope="session")
def unchecked(connect):
    """A client that leaves all checking to the server."""
    return connect("ecs", checked=False)


@pytest.fixture(scope="session")
def raw(server):
    """raw(operation, members) -> the answer; for members that are newer than the clients."""
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
            pass  # the test has ended it
