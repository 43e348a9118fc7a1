# SPDX-License-Identifier: Apache-2.0
"""Agent, server or both die: tasks go on, ends are told, nothing is forgotten."""
import time

import pytest

from support.cluster import gpus_of


@pytest.fixture
def box(fleet, driver):
    return fleet.add("box-" + driver, "fake:2xT4", driver)


def restart_server(fleet):
    port = fleet.server.port
    fleet.server.kill()
    fleet.server.listen = f"127.0.0.1:{port}"
    fleet.server.start()


def test_a_running_task_is_adopted_after_the_agent_was_killed(fleet, driver, box):
    task = fleet.run(fleet.define("echo up; sleep 300", driver=driver, gpus=1))
    fleet.wait_for(task, "RUNNING")
    before = fleet.describe(task)["containers"][0]["runtimeId"]
    box.kill()
    box.start()
    now = fleet.describe(task)
    assert now["lastStatus"] == "RUNNING"
    assert now["containers"][0]["runtimeId"] == before
    refused = fleet.ecs.run_task(taskDefinition=fleet.define("true", driver=driver, gpus=2))
    assert refused["failures"][0]["reason"] == "RESOURCE:GPU"
    fleet.stop(task)


def test_an_end_that_nobody_saw_is_told_with_its_exit_code(fleet, driver, box):
    task = fleet.run(fleet.define("sleep 2; echo last words; exit 9", driver=driver))
    fleet.wait_for(task, "RUNNING")
    box.kill()
    eventually_gone(fleet, task)
    box.start()
    done = fleet.wait_for(task, "STOPPED")
    assert done["containers"][0]["exitCode"] == 9
    assert "last words" in fleet.logs(task)


def eventually_gone(fleet, task):
    """The command has ended by itself; there is no agent to ask."""
    time.sleep(4)
    assert fleet.describe(task)["lastStatus"] == "RUNNING"


def test_the_server_may_die_while_tasks_run_and_end(fleet, driver, box):
    goes_on = fleet.run(fleet.define("sleep 300", driver=driver, gpus=1))
    ends = fleet.run(fleet.define("sleep 2; exit 4", driver=driver))
    for task in (goes_on, ends):
        fleet.wait_for(task, "RUNNING")
    restart_server(fleet)
    box.wait_connected()
    done = fleet.wait_for(ends, "STOPPED")
    assert done["containers"][0]["exitCode"] == 4
    assert fleet.describe(goes_on)["lastStatus"] == "RUNNING"
    other = fleet.run(fleet.define("sleep 300", driver=driver, gpus=1))
    assert not set(gpus_of(other)) & set(gpus_of(goes_on))


def test_both_may_die(fleet, driver, box):
    task = fleet.run(fleet.define("sleep 300", driver=driver, gpus=2))
    fleet.wait_for(task, "RUNNING")
    box.kill()
    restart_server(fleet)
    box.start()
    assert fleet.describe(task)["lastStatus"] == "RUNNING"
    fleet.stop(task)
    fleet.wait_for(fleet.run(fleet.define("true", driver=driver, gpus=2)), "STOPPED")


def test_a_stop_that_the_agent_missed_is_done_when_it_comes_back(fleet, driver, box):
    task = fleet.run(fleet.define("sleep 300", driver=driver))
    fleet.wait_for(task, "RUNNING")
    box.kill()
    fleet.ecs.stop_task(task=task["taskArn"])
    box.start()
    fleet.wait_for(task, "STOPPED")


def test_a_machine_that_was_deregistered_by_force_stops_what_it_ran_and_comes_back_empty(fleet, driver, box):
    task = fleet.run(fleet.define("sleep 300", driver=driver, gpus=2))
    fleet.wait_for(task, "RUNNING")
    fleet.ecs.deregister_container_instance(containerInstance=box.arn, force=True)
    assert fleet.describe(task)["lastStatus"] == "STOPPED"
    box.wait_connected()
    again = fleet.run(fleet.define("true", driver=driver, gpus=2))
    fleet.wait_for(again, "STOPPED")
