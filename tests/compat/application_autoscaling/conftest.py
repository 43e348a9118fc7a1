# SPDX-License-Identifier: Apache-2.0
"""A service without machines for each test, and Application Auto Scaling for it."""
import pytest

from support.queues import unique_name

SOON = {"Delay": 1, "MaxAttempts": 300}
ECS = {"ServiceNamespace": "ecs", "ScalableDimension": "ecs:service:DesiredCount"}


@pytest.fixture(scope="session")
def ecs(connect):
    return connect("ecs")


@pytest.fixture(scope="session")
def cloudwatch(connect):
    return connect("cloudwatch")


@pytest.fixture(scope="session")
def scaling(connect):
    return connect("application-autoscaling")


@pytest.fixture
def cluster(ecs):
    name = unique_name()
    ecs.create_cluster(clusterName=name)
    yield name
    ecs.delete_cluster(cluster=name)


@pytest.fixture
def service(ecs, cluster):
    family, name = unique_name(), unique_name()
    container = {"name": "app", "image": "busybox", "memory": 16}
    definition = ecs.register_task_definition(family=family, containerDefinitions=[container])["taskDefinition"]
    ecs.create_service(cluster=cluster, serviceName=name, taskDefinition=family, desiredCount=0)
    yield name
    ecs.delete_service(cluster=cluster, service=name, force=True)
    ecs.get_waiter("services_inactive").wait(cluster=cluster, services=[name], WaiterConfig=SOON)
    ecs.deregister_task_definition(taskDefinition=definition["taskDefinitionArn"])


@pytest.fixture
def target(scaling, cluster, service):
    """The members that identify a registered target, from 0 to 4 tasks."""
    members = dict(ECS, ResourceId=f"service/{cluster}/{service}")
    scaling.register_scalable_target(**members, MinCapacity=0, MaxCapacity=4)
    yield members
    try:
        scaling.deregister_scalable_target(**members)
    except scaling.exceptions.ObjectNotFoundException:
        pass  # the test did that


@pytest.fixture
def desired(ecs, cluster, service):
    return lambda: ecs.describe_services(cluster=cluster, services=[service])["services"][0]["desiredCount"]
