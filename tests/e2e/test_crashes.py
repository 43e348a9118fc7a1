# SPDX-License-Identifier: Apache-2.0
"""The agent, the server or both are killed: tasks go on, and their ends are reported."""
import pytest

from support.cluster import gpus_of
from support.waiting import PATIENCE_SECONDS


@pytest.fixture
def box(fleet, driver):
    return fleet.add("box-" + driver, "fake:2xT4", driver)


def kill_server(fleet):
    fleet.server.listen = f"127.0.0.1:{fleet.server.port}"
    fleet.server.kill()


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


def test_a_task_that_ended_without_its_agent_is_reported_with_its_exit_code(fleet, driver, box):
    gate = fleet.gate(driver)
    task = fleet.run(fleet.define(f"{gate.shell}; echo last words; {gate.mark}; exit 9", **gate.arguments))
    fleet.wait_for(task, "RUNNING")
    box.kill()
    gate.open()
    gate.reached()
    assert fleet.describe(task)["lastStatus"] == "RUNNING"  # there is no agent to report the end
    box.start()
    done = fleet.wait_for(task, "STOPPED")
    assert done["containers"][0]["exitCode"] == 9
    assert "last words" in fleet.logs(task)


def test_tasks_run_and_end_while_the_server_is_down(fleet, driver, box):
    gate = fleet.gate(driver)
    goes_on = fleet.run(fleet.define("sleep 300", driver=driver, gpus=1))
    ends = fleet.run(fleet.define(f"{gate.shell}; {gate.mark}; exit 4", **gate.arguments))
    for task in (goes_on, ends):
        fleet.wait_for(task, "RUNNING")
    kill_server(fleet)
    gate.open()
    gate.reached()
    fleet.server.start()
    box.wait_connected()
    done = fleet.wait_for(ends, "STOPPED")
    assert done["containers"][0]["exitCode"] == 4
    assert fleet.describe(goes_on)["lastStatus"] == "RUNNING"
    other = fleet.run(fleet.define("sleep 300", driver=driver, gpus=1))
    assert not set(gpus_of(other)) & set(gpus_of(goes_on))


def test_a_task_survives_the_death_of_agent_and_server(fleet, driver, box):
    task = fleet.run(fleet.define("sleep 300", driver=driver, gpus=2))
    fleet.wait_for(task, "RUNNING")
    box.kill()
    kill_server(fleet)
    fleet.server.start()
    box.start()
    assert fleet.describe(task)["lastStatus"] == "RUNNING"
    fleet.stop(task)
    fleet.wait_for(fleet.run(fleet.define("true", driver=driver, gpus=2)), "STOPPED")


def test_an_agent_stops_what_was_stopped_in_its_absence(fleet, driver, box):
    task = fleet.run(fleet.define("sleep 300", driver=driver))
    fleet.wait_for(task, "RUNNING")
    box.kill()
    fleet.ecs.stop_task(task=task["taskArn"])
    box.start()
    fleet.wait_for(task, "STOPPED")


def test_a_machine_that_was_deregistered_by_force_stops_its_tasks_and_joins_again_with_a_new_token(fleet, driver, box):
    task = fleet.run(fleet.define("sleep 300", driver=driver, gpus=2))
    fleet.wait_for(task, "RUNNING")
    fleet.ecs.deregister_container_instance(containerInstance=box.arn, force=True)
    assert fleet.describe(task)["lastStatus"] == "STOPPED"
    assert box.process.wait(PATIENCE_SECONDS) == 1
    fleet.renew_token()
    box.start()
    again = fleet.run(fleet.define("true", driver=driver, gpus=2))
    fleet.wait_for(again, "STOPPED")
