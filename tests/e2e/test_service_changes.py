# SPDX-License-Identifier: Apache-2.0
"""What changes around a service: alarms during a deployment, zones, versions of an image, the container engine."""
import pytest

from support.cluster import docker_answers
from support.engine import Engine
from support.raw import Caller
from support.registry import Registry
from support.services import SERVE, Service, percents
from support.waiting import ALARM_PATIENCE_SECONDS, eventually
from test_machine_health import reported

ECS = "AmazonEC2ContainerServiceV20141113"


def arns(tasks):
    return {task["taskArn"] for task in tasks}


def digests(tasks):
    return [task["containers"][0].get("imageDigest") for task in tasks]


def watch_alarm(fleet, service, alarm):
    """Debian's boto3 does not support alarms of deployments."""
    caller = Caller(fleet.server)
    change = {"service": service, "deploymentConfiguration": {
        "alarms": {"alarmNames": [alarm], "enable": True, "rollback": True}}}
    answer = caller.json("UpdateService", change, scope=caller.scope("ecs"), target=ECS,
                         headers={"Content-Type": "application/x-amz-json-1.1"})
    assert answer.status == 200, answer


def never_healthy(fleet):
    check = {"command": ["CMD-SHELL", "false"], "interval": 5, "timeout": 60, "retries": 10, "startPeriod": 300}
    return fleet.define(SERVE, healthCheck=check)


def test_an_alarm_rolls_a_deployment_back(fleet):
    fleet.add("box-a")
    cloudwatch = fleet.client("cloudwatch")
    cloudwatch.put_metric_alarm(
        AlarmName="errors", Namespace="Shop", MetricName="Errors", Statistic="Sum", Period=60, EvaluationPeriods=1,
        Threshold=0, ComparisonOperator="GreaterThanThreshold", TreatMissingData="ignore",
    )
    good = fleet.define(SERVE)
    service = Service(fleet, "web", good, deploymentConfiguration=percents(100, 200))
    watch_alarm(fleet, "web", "errors")
    first = service.running(1)
    service.completed(good)
    deployment = service.primary["id"]
    bad = never_healthy(fleet)
    service.deploy(bad)
    eventually(lambda: [task for task in service.tasks() if task["taskDefinitionArn"] == bad])
    failed = service.primary["id"]
    cloudwatch.put_metric_data(Namespace="Shop", MetricData=[{"MetricName": "Errors", "Value": 1}])
    service.event(rf"^\(service web\) \(deployment {failed}\) deployment failed: alarm detected\.$", ALARM_PATIENCE_SECONDS)
    service.event(rf"^\(service web\) rolling back to deployment {deployment}\.$")
    found = service.completed(good)
    assert found["deployments"][0]["id"] == deployment
    assert arns(service.running(1, good)) == arns(first), "the old task ran all the time"


def test_tasks_are_balanced_when_a_zone_is_added(fleet):
    first = fleet.add("box-a", arguments=["--availability-zone", "rack-1"])
    definition = fleet.define(SERVE)
    service = Service(fleet, "web", definition, 2)
    service.running(2)
    service.completed(definition)
    second = fleet.add("box-b", arguments=["--availability-zone", "rack-2"])
    service.event(r"^\(service web\) is not AZ balanced with 2 tasks in rack-1, 0 tasks in rack-2\.")
    service.event(r"^\(service web\) has started 1 tasks in rack-2 to AZ Rebalance: \(task [0-9a-f]{32}\)\.$")
    service.event(r"^\(service web\) is AZ balanced with 1 tasks in rack-1, 1 tasks in rack-2\.$")
    assert {task["containerInstanceArn"] for task in service.running(2)} == {first.arn, second.arn}


@pytest.fixture
def registry():
    if not docker_answers():
        pytest.skip("no Docker engine answers here")
    with Registry() as made:
        yield made


def test_all_tasks_of_a_deployment_run_the_same_version_of_an_image(registry, fleet):
    fleet.add("box-a", driver="docker")
    one = registry.publish("latest", "one")
    service = Service(fleet, "web", fleet.define(SERVE, driver="docker", image=registry.image("latest")), 1)
    first = service.running(1)
    assert digests(first) == [one]
    two = registry.publish("latest", "two")
    service.scale(2)
    assert digests(service.running(2)) == [one, one]
    fleet.ecs.stop_task(task=first[0]["taskArn"])
    replaced = eventually(lambda: (lambda now: now if not arns(first) & arns(now) else None)(service.running(2)))
    assert digests(replaced) == [one, one]
    service.update(forceNewDeployment=True)
    eventually(lambda: not arns(replaced) & arns(service.tasks()) or None)
    assert digests(service.running(2)) == [two, two]


def test_a_task_pulls_a_tag_that_its_machine_has(registry, fleet):
    fleet.add("box-a", driver="docker", arguments=["--image-pull", "default"])
    definition = fleet.define(SERVE, driver="docker", image=registry.image("latest"))
    one = registry.publish("latest", "one")
    assert digests([fleet.wait_for(fleet.run(definition), "RUNNING")]) == [one]
    two = registry.publish("latest", "two", untag=False)
    assert digests([fleet.wait_for(fleet.run(definition), "RUNNING")]) == [two]


def test_the_first_task_of_a_deployment_fixes_the_version(registry, fleet):
    fleet.add("box-a", driver="docker")
    one = registry.publish("latest", "one")
    service = Service(fleet, "web", fleet.define(SERVE, driver="docker", image=registry.image("latest")), 3)
    tasks = sorted(service.running(3), key=lambda task: task["createdAt"])
    assert digests(tasks) == [one] * 3
    assert tasks[0]["startedAt"] <= tasks[1]["createdAt"], "the others waited for it"


def test_a_service_waits_for_an_engine_that_stopped(fleet):
    if not docker_answers():
        pytest.skip("no Docker engine answers here")
    with Engine(fleet.folder / "engine.sock") as engine:
        machine = fleet.add("box-a", driver="docker", wrapper=("env", f"DOCKER_HOST=unix://{engine.path}"))
        service = Service(fleet, "web", fleet.define(SERVE, driver="docker"))
        first = service.running(1)
        engine.stop()
        reported(fleet, machine, "IMPAIRED")  # before it is, tasks are placed there
        service.scale(2)
        service.event(r"^\(service web\) was unable to place a task because no container instance met all")
        assert arns(service.tasks()) == arns(first), "nothing starts without an engine, and nothing is lost"
        engine.start()
        assert arns(first) < arns(service.running(2))
        fleet.stop_all()  # while there is an engine
