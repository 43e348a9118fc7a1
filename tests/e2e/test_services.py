# SPDX-License-Identifier: Apache-2.0
"""Services: they run what they declare, replace what dies, and roll from revision to revision."""
import json
import os
import subprocess

import pytest

from support.cluster import REGION, Cluster, docker_answers
from support.server import run_stoker
from support.services import SERVE, Service, assert_bounds, percents, stoker
from support.waiting import eventually


@pytest.fixture
def box(fleet, driver):
    fleet.add("box-" + driver, "fake:2xT4", driver)
    return fleet


def arns(tasks):
    return {task["taskArn"] for task in tasks}


def running_of(service, definition):
    return [task for task in service.tasks()
            if task["taskDefinitionArn"] == definition and task["lastStatus"] == "RUNNING"]


def test_a_service_starts_its_tasks_and_is_scaled(box, driver):
    service = Service(box, "web", box.define(SERVE, driver=driver), 2)
    assert service.created["status"] == "ACTIVE" and service.created["runningCount"] == 0
    first = service.running(2)
    for task in first:
        assert task["group"] == "service:web" and task["startedBy"] == service.primary["id"]
    service.scale(4)
    assert arns(first) < arns(service.running(4))
    service.scale(1)
    service.running(1)
    stopped = service.tasks("STOPPED")
    assert len(stopped) == 3
    assert {task["stopCode"] for task in stopped} == {"ServiceSchedulerInitiated"}
    for task in stopped:
        assert task["stoppedReason"] == f"Scaling activity initiated by (deployment {service.primary['id']})"
    service.scale(0)
    service.running(0)
    service.event(r"^\(service web\) has started 2 tasks: \(task [0-9a-f]{32}\) \(task [0-9a-f]{32}\)\.$")
    service.event(r"^\(service web\) has reached a steady state\.$")
    service.event(r"^\(service web\) has stopped \d running tasks: ")


def test_a_task_that_dies_is_replaced(box, driver):
    gate = box.gate(driver)
    inside = "/gate" if driver == "docker" else gate.folder
    once = f"if mkdir {inside}/first; then {gate.shell}; exit 3; fi; {SERVE}"
    service = Service(box, "web", box.define(once, **gate.arguments))
    first = service.running(1)[0]
    service.completed(service.describe()["taskDefinition"])
    gate.open()
    box.wait_for(first, "STOPPED")
    second = service.running(1)[0]
    assert second["taskArn"] != first["taskArn"] and second["startedBy"] == first["startedBy"]

    box.ecs.stop_task(task=second["taskArn"])
    assert service.running(1)[0]["taskArn"] not in (first["taskArn"], second["taskArn"])


@pytest.mark.parametrize("minimum, maximum", [(100, 200), (0, 100), (50, 100)])
def test_a_rolling_update_keeps_both_percentages(box, driver, minimum, maximum):
    old, new = box.define(SERVE, driver=driver), box.define(SERVE, driver=driver)
    service = Service(box, "web", old, 2, deploymentConfiguration=percents(minimum, maximum))
    service.running(2, old)
    service.deploy(new)
    service.running(2, new)
    found = service.stable()
    assert [one["taskDefinition"] for one in found["deployments"]] == [new]
    eventually(lambda: all(task["lastStatus"] == "STOPPED" for task in service.tasks("STOPPED")))
    everything = service.every_task()
    assert len(everything) == 4, "no task was replaced twice"
    assert_bounds(everything, 2, minimum, maximum)
    service.completed(new)


def test_force_new_deployment_replaces_all_tasks(box, driver):
    service = Service(box, "web", box.define(SERVE, driver=driver), 2)
    first = service.running(2)
    before = service.primary["id"]
    service.update(forceNewDeployment=True)
    assert service.primary["id"] != before
    eventually(lambda: not arns(first) & arns(service.tasks()) or None)
    assert {task["startedBy"] for task in service.running(2)} == {service.primary["id"]}


def test_a_health_check_decides_when_the_old_task_stops(box, driver):
    gate = box.gate(driver)
    inside = "/gate" if driver == "docker" else gate.folder
    # In its start period failed checks do not make the container unhealthy, however long the test takes to open the gate.
    check = {"command": ["CMD-SHELL", f"test -e {inside}/open"], "interval": 5, "timeout": 60, "retries": 10, "startPeriod": 300}
    old = box.define(SERVE, driver=driver)
    new = box.define(SERVE, healthCheck=check, **gate.arguments)
    service = Service(box, "web", old)
    first = service.running(1)
    service.deploy(new)
    second = eventually(lambda: running_of(service, new))
    assert arns(first) < arns(service.tasks())
    gate.open()
    assert arns(service.running(1, new)) == arns(second)


BROKEN = {
    "command": {"entryPoint": ["/no/such/program"], "command": []},
    "image": {"image": "127.0.0.1:1/no/such:image"},
}


@pytest.mark.parametrize("fault", BROKEN)
def test_the_circuit_breaker_rolls_back(box, driver, fault):
    if fault == "image" and driver != "docker":
        pytest.skip("processes have no image")
    good = box.define(SERVE, driver=driver)
    service = Service(box, "web", good, deploymentConfiguration=percents(100, 200, breaker=True))
    first = service.running(1)
    service.completed(good)
    deployment = service.primary["id"]
    bad = box.define(SERVE, driver=driver, **BROKEN[fault])
    service.deploy(bad)
    service.event(r"^\(service web\) \(deployment ecs-svc/\d{19}\) deployment failed: tasks failed to start\.$")
    service.event(rf"^\(service web\) rolling back to deployment {deployment}\.$")
    found = service.completed(good)
    assert found["deployments"][0]["id"] == deployment
    assert arns(service.running(1, good)) == arns(first), "the old task ran all the time"
    failed = [task for task in service.tasks("STOPPED") if task["taskDefinitionArn"] == bad]
    assert len(failed) == 3, "the threshold of one desired task"


def test_a_circuit_breaker_without_rollback_stops_trying(box, driver):
    bad = box.define(SERVE, driver=driver, **BROKEN["command"])
    service = Service(box, "web", bad, deploymentConfiguration=percents(100, 200, breaker=False))
    primary = eventually(lambda: service.primary if service.primary["rolloutState"] == "FAILED" else None)
    assert primary["rolloutStateReason"].startswith("ECS deployment circuit breaker: ")
    assert primary["failedTasks"] == 3
    assert "FAILED" in service.explain()
    good = box.define(SERVE, driver=driver)
    service.deploy(good)
    service.running(1, good)
    service.completed(good)


def test_failing_tasks_are_throttled_until_the_service_is_updated(box, driver):
    bad = box.define(SERVE, driver=driver, **BROKEN["command"])
    service = Service(box, "web", bad)
    service.event(r"^\(service web\) is unable to consistently start tasks successfully\.")
    text = service.explained(r"in a row")
    assert "/no/such/program" in text, text
    assert "failing: " in stoker(box, "services")
    good = box.define(SERVE, driver=driver)
    service.deploy(good)
    service.running(1, good)
    service.completed(good)


def test_draining_a_machine_moves_its_tasks(fleet, driver):
    first = fleet.add("box-a", "none", driver)
    service = Service(fleet, "web", fleet.define(SERVE, driver=driver), 2)
    service.running(2)
    second = fleet.add("box-b", "none", driver)
    fleet.ecs.update_container_instances_state(containerInstances=[first.arn], status="DRAINING")
    eventually(lambda: {t["containerInstanceArn"] for t in service.running(2)} == {second.arn} or None)
    eventually(lambda: all(task["lastStatus"] == "STOPPED" for task in service.tasks("STOPPED")))
    assert_bounds(service.every_task(), 2, 100, 200)


def test_tasks_of_a_machine_that_dies_are_replaced_elsewhere(driver):
    with Cluster(["--lost-after", "3s"]) as fleet:
        first = fleet.add("box-a", "none", driver)
        service = Service(fleet, "web", fleet.define(SERVE, driver=driver), 2)
        lost = arns(service.running(2))
        second = fleet.add("box-b", "none", driver)
        first.kill()
        moved = eventually(lambda: (lambda now: now if not arns(now) & lost else None)(service.running(2)))
        assert {task["containerInstanceArn"] for task in moved} == {second.arn}


def test_protected_tasks_are_not_stopped(box, driver):
    old, new = box.define(SERVE, driver=driver), box.define(SERVE, driver=driver)
    service = Service(box, "web", old, 2)
    kept, other = service.running(2)

    def protect(enabled):
        answer = box.ecs.update_task_protection(cluster="default", tasks=[kept["taskArn"]], protectionEnabled=enabled)
        assert answer["failures"] == [], answer

    protect(True)
    service.scale(1)
    assert arns(service.running(1)) == {kept["taskArn"]}
    service.scale(0)
    service.event(r"^\(service web\) was unable to reach steady state because .*1 tasks under protection")
    service.explained("protected")
    assert arns(service.tasks()) == {kept["taskArn"]}
    service.scale(1)
    service.deploy(new)
    eventually(lambda: running_of(service, new))
    assert kept["taskArn"] in arns(service.tasks())
    protect(False)
    service.running(1, new)
    box.wait_for(other, "STOPPED")


def test_a_service_is_deleted_with_its_tasks(box, driver):
    definition = box.define(SERVE, driver=driver)
    service = Service(box, "web", definition, 2)
    tasks = service.running(2)
    with pytest.raises(box.ecs.exceptions.InvalidParameterException):
        service.delete()
    service.delete(force=True)
    assert service.describe()["status"] in ("DRAINING", "INACTIVE")
    service.inactive()
    assert box.ecs.list_services()["serviceArns"] == []
    for task in tasks:
        box.wait_for(task, "STOPPED")
    again = Service(box, "web", definition)
    again.running(1)
    again.scale(0)
    again.running(0)
    again.delete()
    again.inactive()


def aws(fleet, *arguments):
    key = fleet.server.root_key
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": key.id, "AWS_SECRET_ACCESS_KEY": key.secret, "AWS_PAGER": "",
                   "AWS_DEFAULT_REGION": REGION, "AWS_DEFAULT_OUTPUT": "json"}
    done = subprocess.run(["/usr/bin/aws", "--endpoint-url", fleet.server.endpoint, "ecs", *arguments],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout.strip() else None


def test_the_stock_command_line_has_a_service(fleet):
    fleet.add("box-a")
    definition = fleet.define(SERVE)
    made = aws(fleet, "create-service", "--service-name", "web", "--task-definition", definition,
               "--desired-count", "1")
    assert made["service"]["deploymentConfiguration"]["minimumHealthyPercent"] == 100
    aws(fleet, "wait", "services-stable", "--services", "web")
    assert aws(fleet, "list-services")["serviceArns"] == [made["service"]["serviceArn"]]
    assert len(aws(fleet, "list-tasks", "--service-name", "web")["taskArns"]) == 1
    aws(fleet, "update-service", "--service", "web", "--desired-count", "0")
    aws(fleet, "delete-service", "--service", "web")
    aws(fleet, "wait", "services-inactive", "--services", "web")


def test_our_command_line_has_a_service(fleet):
    fleet.add("box-a")
    one = fleet.define(SERVE, family="web")
    service = Service(fleet, "web", one)
    service.running(1)
    service.completed(one)
    table = stoker(fleet, "services").splitlines()
    assert table[0].split() == ["SERVICE", "DEFINITION", "DESIRED", "RUNNING", "PENDING", "STATE", "AGE"]
    assert table[1].split()[:6] == ["web", "web:1", "1", "1", "0", "steady"]
    assert stoker(fleet, "service", "scale", "web", "2").startswith("web: 2 tasks of web:1 desired")
    service.running(2, one)
    two = fleet.define(SERVE, family="web")
    assert stoker(fleet, "service", "update", "web", "--task-definition", "web").startswith("web: 2 tasks of web:2")
    service.running(2, two)
    service.completed(two)
    lines = stoker(fleet, "ps", "--by-service").splitlines()
    assert lines[0].split()[:3] == ["SERVICE", "TASK", "FAMILY:REV"]
    assert [line.split()[0] for line in lines[1:]] == ["web", "web"]
    assert stoker(fleet, "service", "rollback", "web").startswith("web: 2 tasks of web:1")
    service.running(2, one)
    events = stoker(fleet, "service", "events", "web").splitlines()
    assert "has started 1 tasks" in events[0]
    assert all(len(line) <= 200 for line in events)
    assert "steady" in service.explained("steady")
    stoker(fleet, "service", "delete", "web", "--force")
    service.inactive()


def test_a_rollback_ends_a_deployment_in_progress(fleet):
    fleet.add("box-a")
    gate = fleet.gate()
    good = fleet.define(SERVE, family="web")
    service = Service(fleet, "web", good)
    first = service.running(1)
    service.completed(good)
    check = {"command": ["CMD-SHELL", f"test -e {gate.folder}/open"], "interval": 5, "timeout": 60, "retries": 10}
    never_healthy = fleet.define(SERVE, family="web", healthCheck=check)
    service.deploy(never_healthy)
    eventually(lambda: [task for task in service.tasks() if task["taskDefinitionArn"] == never_healthy])
    assert "rolled back" in stoker(fleet, "service", "rollback", "web")
    assert arns(service.running(1, good)) == arns(first)
    service.completed(good)
    done = run_stoker("service", "rollback", "web", "--data", fleet.server.data)
    assert "no earlier successful deployment" in done.stderr, "what was rolled back is not returned to"


def test_a_service_survives_a_restart_of_the_server(fleet):
    fleet.add("box-a")
    definition = fleet.define(SERVE)
    service = Service(fleet, "web", definition, 2)
    first = service.running(2)
    port = fleet.server.port
    fleet.server.kill()
    fleet.server.listen = f"127.0.0.1:{port}"
    fleet.server.start()
    fleet.machines[0].wait_connected()
    assert arns(service.running(2)) == arns(first)
    fleet.ecs.stop_task(task=first[0]["taskArn"])
    eventually(lambda: first[0]["taskArn"] not in arns(service.running(2)) or None)


def test_an_image_that_cannot_be_pulled_is_explained(fleet):
    if not docker_answers():
        pytest.skip("no Docker engine answers here")
    fleet.add("box-a", driver="docker")
    service = Service(fleet, "web", fleet.define(SERVE, driver="docker", image="127.0.0.1:1/no/such:image"))
    service.explained("CannotPullContainerError")
