# SPDX-License-Identifier: Apache-2.0
"""Deployments on machines whose GPUs are busy: they make progress where the percentages allow it, and explain
themselves where not."""
import re

from support.cluster import gpus_of
from support.services import SERVE, Service, assert_bounds, percents, stoker
from support.waiting import eventually
from test_chaos import grants_that_overlap


def id_of(task):
    return task["taskArn"].rsplit("/", 1)[1]


def assert_no_gpu_was_held_twice(fleet):
    for machine in fleet.machines:
        assert grants_that_overlap(machine.log) == []


def test_one_machine_with_one_gpu_is_deployed_by_default(fleet, driver):
    machine = fleet.add("box-a", "fake:1xV100", driver)
    old, new = (fleet.define(SERVE, gpus=1, driver=driver) for _ in range(2))
    service = Service(fleet, "ocr", old)
    assert service.created["deploymentConfiguration"]["minimumHealthyPercent"] == 0
    assert service.created["deploymentConfiguration"]["maximumPercent"] == 200
    service.running(1, old)
    service.deploy(new)
    assert gpus_of(service.running(1, new)[0]) == machine.gpu_ids
    service.completed(new)
    assert_no_gpu_was_held_twice(fleet)


def test_a_minimum_of_100_percent_is_explained_and_can_be_lowered(fleet, driver):
    machine = fleet.add("box-a", "fake:1xV100", driver)
    old, new = (fleet.define(SERVE, gpus=1, driver=driver, family="ocr") for _ in range(2))
    service = Service(fleet, "ocr", old, deploymentConfiguration=percents(100, 200))
    holder = service.running(1, old)[0]
    service.deploy(new)
    service.event(r"unable to place a task because no container instance met all of its requirements\."
                  r".*insufficient GPU resource available\.")
    text = service.explained("minimumHealthyPercent")
    short = id_of(holder)[:12]
    for word in ("box-a", machine.gpu_ids[0], short, "ocr:1", "ocr:2", "--min 0"):
        assert word in text, (word, text)
    assert [id_of(task) for task in service.tasks()] == [id_of(holder)]

    stoker(fleet, "service", "update", "ocr", "--min", "0")
    service.running(1, new)
    service.completed(new)
    assert_no_gpu_was_held_twice(fleet)


def test_a_second_machine_takes_the_new_task_first(fleet, driver):
    fleet.add("box-a", "fake:1xV100", driver)
    fleet.add("box-b", "fake:1xV100", driver)
    old, new = (fleet.define(SERVE, gpus=1, driver=driver) for _ in range(2))
    service = Service(fleet, "ocr", old, deploymentConfiguration=percents(100, 200))
    first = service.running(1, old)[0]
    service.deploy(new)
    second = service.running(1, new)[0]
    assert second["containerInstanceArn"] != first["containerInstanceArn"]
    assert second["startedAt"] <= fleet.describe(first)["stoppingAt"]
    assert_no_gpu_was_held_twice(fleet)


def test_two_full_machines_are_deployed_by_default(fleet, driver):
    machines = [fleet.add(name, "fake:1xV100", driver) for name in ("box-a", "box-b")]
    old, new = (fleet.define(SERVE, gpus=1, driver=driver) for _ in range(2))
    service = Service(fleet, "ocr", old, 2)
    service.running(2, old)
    service.deploy(new)
    tasks = service.running(2, new)
    assert sorted(gpu for task in tasks for gpu in gpus_of(task)) == sorted(gpu for m in machines for gpu in m.gpu_ids)
    service.completed(new)
    assert_no_gpu_was_held_twice(fleet)


def test_half_of_a_service_works_while_all_gpus_are_exchanged(fleet, driver):
    fleet.add("box-a", "fake:4xV100", driver)
    old, new = (fleet.define(SERVE, gpus=1, driver=driver) for _ in range(2))
    service = Service(fleet, "ocr", old, 4)
    service.running(4, old)
    service.deploy(new)
    service.running(4, new)
    assert service.created["deploymentConfiguration"]["minimumHealthyPercent"] == 0
    assert_bounds(service.every_task(), 4, 50, 200)
    assert_no_gpu_was_held_twice(fleet)


def test_two_full_machines_are_deployed_one_by_one_with_a_minimum_of_50_percent(fleet, driver):
    for name in ("box-a", "box-b"):
        fleet.add(name, "fake:1xV100", driver)
    old, new = (fleet.define(SERVE, gpus=1, driver=driver) for _ in range(2))
    service = Service(fleet, "ocr", old, 2, deploymentConfiguration=percents(50, 200))
    service.running(2, old)
    service.deploy(new)
    service.running(2, new)
    replaced = sorted(service.tasks("STOPPED"), key=lambda task: task["stoppingAt"])
    started = sorted(task["startedAt"] for task in service.tasks())
    assert len(replaced) == 2
    assert replaced[1]["stoppingAt"] >= started[0], "the second was stopped before its predecessor was replaced"
    assert_no_gpu_was_held_twice(fleet)


def test_a_gpu_that_another_task_holds_is_named_and_awaited(fleet, driver):
    machine = fleet.add("box-a", "fake:1xV100", driver)
    other = fleet.run(fleet.define(SERVE, gpus=1, driver=driver, family="train"))
    fleet.wait_for(other, "RUNNING")
    service = Service(fleet, "ocr", fleet.define(SERVE, gpus=1, driver=driver))
    service.event("insufficient GPU resource available")
    text = service.explained("no service")
    for word in ("box-a", machine.gpu_ids[0], id_of(other)[:12], "train:1"):
        assert word in text, (word, text)
    fleet.stop(other)
    assert gpus_of(service.running(1)[0]) == machine.gpu_ids
    assert_no_gpu_was_held_twice(fleet)


def test_a_task_that_ignores_sigterm_is_awaited_and_named(fleet, driver):
    fleet.add("box-a", "fake:1xV100", driver)
    gate = fleet.gate(driver)
    stubborn = fleet.define(f"trap '' TERM; {gate.shell}", gpus=1, **{**gate.arguments, "stopTimeout": 115})
    new = fleet.define(SERVE, gpus=1, driver=driver)
    service = Service(fleet, "ocr", stubborn)
    old = service.running(1)[0]
    service.deploy(new)
    eventually(lambda: fleet.describe(old)["desiredStatus"] == "STOPPED" or None)
    text = service.explained("stopping")
    assert id_of(old)[:12] in text and re.search("stopTimeout", text), text
    assert [task for task in service.tasks() if task["lastStatus"] == "RUNNING"] == []
    assert fleet.describe(old)["lastStatus"] == "RUNNING"
    gate.open()
    service.running(1, new)
    assert_no_gpu_was_held_twice(fleet)


def test_a_machine_that_joins_takes_what_waits(fleet, driver):
    fleet.add("box-cpu", "none", driver)
    service = Service(fleet, "ocr", fleet.define(SERVE, gpus=1, driver=driver), 2)
    service.event("unable to place a task")
    fleet.add("box-a", "fake:2xV100", driver)
    service.running(2)
    service.event("has reached a steady state")
