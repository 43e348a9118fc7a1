# SPDX-License-Identifier: Apache-2.0
"""Daemons: one task on each machine that is suitable, as machines join, drain, return and die."""
from support import cluster
from support.services import SERVE, Service
from support.waiting import eventually


def daemon(fleet, driver, **more):
    return Service(fleet, "probe", fleet.define(SERVE, driver=driver), schedulingStrategy="DAEMON", **more)


def runs_on(service, *machines):
    """Waits until one task runs on each of these machines, and on no other."""
    wanted = sorted(machine.arn for machine in machines)
    eventually(lambda: sorted(task["containerInstanceArn"] for task in service.running(len(wanted))) == wanted or None)
    eventually(lambda: (lambda now: now["desiredCount"] == now["runningCount"] == len(wanted))(service.describe()))


def test_a_daemon_follows_the_machines(driver):
    with cluster.Cluster(["--lost-after", "3s"]) as fleet:
        fleet.ecs.create_cluster()
        service = daemon(fleet, driver)
        assert service.created["desiredCount"] == 0
        assert service.created["deploymentConfiguration"]["maximumPercent"] == 100
        first = fleet.add("box-a", "none", driver)
        runs_on(service, first)
        second = fleet.add("box-b", "none", driver)
        runs_on(service, first, second)

        fleet.ecs.update_container_instances_state(containerInstances=[first.arn], status="DRAINING")
        runs_on(service, second)
        fleet.ecs.update_container_instances_state(containerInstances=[first.arn], status="ACTIVE")
        runs_on(service, first, second)

        second.kill()
        runs_on(service, first)
        second.start()
        runs_on(service, first, second)

        fleet.ecs.deregister_container_instance(containerInstance=second.arn, force=True)
        runs_on(service, first)
        second.stop()


def test_a_daemon_is_updated_machine_by_machine(fleet, driver):
    machines = [fleet.add(name, "none", driver) for name in ("box-a", "box-b")]
    service = daemon(fleet, driver)
    runs_on(service, *machines)
    new = fleet.define(SERVE, driver=driver)
    service.deploy(new)
    service.running(2, new)
    service.completed(new)
    runs_on(service, *machines)
    for machine in machines:
        times = [(task["createdAt"], task.get("stoppingAt")) for task in service.every_task()
                 if task["containerInstanceArn"] == machine.arn]
        (_, stopped), (created, _) = sorted(times, key=lambda pair: pair[0])
        assert created >= stopped, "a machine never has two tasks of a daemon that are to run"


def test_a_daemon_runs_only_where_its_constraint_allows(fleet, driver):
    fleet.add("box-a", "none", driver)
    chosen = fleet.add("box-b", "none", driver)
    service = daemon(
        fleet, driver, placementConstraints=[{"type": "memberOf", "expression": "attribute:rack == two"}]
    )
    assert service.describe()["desiredCount"] == 0
    fleet.ecs.put_attributes(attributes=[{"name": "rack", "value": "two", "targetId": chosen.arn}])
    runs_on(service, chosen)


def test_a_daemon_is_stopped_last_when_its_machine_drains(fleet, driver):
    gate = fleet.gate(driver)
    machine = fleet.add("box-a", "none", driver)
    service = daemon(fleet, driver)
    runs_on(service, machine)
    stubborn = fleet.define(f"trap '' TERM; {gate.shell}", **{**gate.arguments, "stopTimeout": 115})
    web = Service(fleet, "web", stubborn)
    old = web.running(1)[0]
    fleet.add("box-b", "none", driver)
    fleet.ecs.update_container_instances_state(containerInstances=[machine.arn], status="DRAINING")
    eventually(lambda: fleet.describe(old)["desiredStatus"] == "STOPPED" or None)
    on_machine = [task for task in service.tasks() if task["containerInstanceArn"] == machine.arn]
    assert len(on_machine) == 1, "the daemon runs as long as other tasks of services stop there"
    gate.open()
    eventually(lambda: machine.arn not in {task["containerInstanceArn"] for task in service.tasks()} or None)
    assert fleet.wait_for(on_machine[0], "STOPPED")["stoppingAt"] >= fleet.describe(old)["stoppedAt"]


def test_a_daemon_is_deleted(fleet, driver):
    machine = fleet.add("box-a", "none", driver)
    service = daemon(fleet, driver)
    runs_on(service, machine)
    service.delete(force=True)
    service.inactive()
