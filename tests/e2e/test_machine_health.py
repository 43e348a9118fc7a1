# SPDX-License-Identifier: Apache-2.0
"""Machines that can't run tasks get none, report the reason, and recover by themselves."""
import pytest

from support import cluster, server
from support.engine import Engine
from support.waiting import eventually


def health(fleet, machine):
    answer = fleet.ecs.describe_container_instances(
        containerInstances=[machine.arn], include=["CONTAINER_INSTANCE_HEALTH"]
    )
    checks = answer["containerInstances"][0]["healthStatus"]["details"]
    return next(check for check in checks if check["type"] == "CONTAINER_RUNTIME")


def reported(fleet, machine, status):
    """Waits for the status of the machine's container runtime."""
    def reached():
        check = health(fleet, machine)
        return check if check["status"] == status else None

    return eventually(reached)


def stoker(fleet, *arguments):
    done = server.run_stoker(arguments[0], "--data", fleet.server.data, *arguments[1:])
    return done.stdout


def rejected(fleet, definition):
    answer = fleet.ecs.run_task(taskDefinition=definition)
    assert answer["tasks"] == [], answer
    return [failure["reason"] for failure in answer["failures"]]


def test_an_engine_that_stops_and_returns(fleet):
    if not cluster.docker_answers():
        pytest.skip("no Docker engine answers here")
    with Engine(fleet.folder / "engine.sock") as engine:
        machine = fleet.add("box-a", driver="docker", wrapper=("env", f"DOCKER_HOST=unix://{engine.path}"))
        gate = fleet.gate("docker")
        running = fleet.run(fleet.define(gate.shell, **gate.arguments))
        fleet.wait_for(running, "RUNNING")
        short = fleet.define("exit 3", driver="docker")

        engine.stop()
        reported(fleet, machine, "IMPAIRED")
        assert rejected(fleet, short) == ["AGENT"]
        assert "its container engine does not respond" in stoker(fleet, "explain", short.rsplit("/", 1)[1])
        assert "box-a accepts no tasks: its container engine does not respond" in stoker(fleet, "nodes")
        assert machine.instance()["status"] == "ACTIVE" and machine.instance()["agentConnected"]
        assert fleet.describe(running)["lastStatus"] == "RUNNING"

        engine.start()
        reported(fleet, machine, "OK")
        assert fleet.wait_for(fleet.run(short), "STOPPED")["containers"][0]["exitCode"] == 3
        gate.open()
        assert fleet.wait_for(running, "STOPPED")["containers"][0]["exitCode"] == 0


def test_a_machine_with_a_full_disk_gets_no_tasks(fleet):
    machine = fleet.add("box-a", arguments=["--min-free-disk", "1000000000"])
    reported(fleet, machine, "IMPAIRED")
    assert "box-a accepts no tasks: its disk is full" in stoker(fleet, "nodes")  # older clients do not show the reason
    assert rejected(fleet, fleet.define("true")) == ["AGENT"]
    fleet.add("box-b")
    fleet.wait_for(fleet.run(fleet.define("true")), "STOPPED")
