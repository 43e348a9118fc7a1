# SPDX-License-Identifier: Apache-2.0
"""The limits of a task apply to all its containers together."""
import uuid

from support.cluster import TEST_IMAGE

HOLD_40_MIB = "exec dd if=/dev/zero of=/dev/null bs=40M"


def run_to_end(fleet, driver, *commands):
    """A task with 64 MiB and one container for each command, none with a limit of its own."""
    # With cgroups of version 1 Docker watches for kills only when it has started the container.
    gate = fleet.gate(driver)
    containers = [
        {"name": f"c{i}", "image": TEST_IMAGE if driver == "docker" else "process", "essential": True,
         "entryPoint": ["/bin/sh", "-c"], "command": [f"{gate.shell}; {command}"], "stopTimeout": 2,
         "mountPoints": gate.arguments.get("mountPoints", [])}
        for i, command in enumerate(commands)
    ]
    answer = fleet.ecs.register_task_definition(
        family="test-" + uuid.uuid4().hex[:12], memory="64", containerDefinitions=containers,
        **gate.arguments.get("task", {}),
    )
    task = fleet.run(answer["taskDefinition"]["taskDefinitionArn"])
    fleet.wait_for(task, "RUNNING")
    gate.open()
    return fleet.wait_for(task, "STOPPED")


def test_containers_that_together_exceed_the_memory_of_their_task_are_killed(fleet, driver):
    fleet.add("box-a", driver=driver)
    alone = run_to_end(fleet, driver, HOLD_40_MIB + " count=3")
    assert alone["containers"][0]["exitCode"] == 0, alone
    both = run_to_end(fleet, driver, HOLD_40_MIB, HOLD_40_MIB)
    killed = [c for c in both["containers"] if c.get("reason", "").startswith("OutOfMemoryError")]
    assert killed and all(c["exitCode"] == 137 for c in killed), both["containers"]
