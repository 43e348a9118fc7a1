# SPDX-License-Identifier: Apache-2.0
"""The limits of a task apply to all its containers together."""
import uuid

from support.cluster import TEST_IMAGE

# With cgroups of version 1 Docker watches for kills only when it has started the container.
HOLD_40_MIB = "sleep 3; exec dd if=/dev/zero of=/dev/null bs=40M"


def define(fleet, driver, *commands):
    """A task with 64 MiB and one container for each command, none with a limit of its own."""
    containers = [
        {"name": f"c{i}", "image": TEST_IMAGE if driver == "docker" else "process", "essential": True,
         "entryPoint": ["/bin/sh", "-c"], "command": [command], "stopTimeout": 2}
        for i, command in enumerate(commands)
    ]
    answer = fleet.ecs.register_task_definition(
        family="test-" + uuid.uuid4().hex[:12], memory="64", containerDefinitions=containers
    )
    return answer["taskDefinition"]["taskDefinitionArn"]


def test_containers_that_together_exceed_the_memory_of_their_task_are_killed(fleet, driver):
    fleet.add("box-a", driver=driver)
    alone = fleet.wait_for(fleet.run(define(fleet, driver, HOLD_40_MIB + " count=3")), "STOPPED")
    assert alone["containers"][0]["exitCode"] == 0, alone
    both = fleet.wait_for(fleet.run(define(fleet, driver, HOLD_40_MIB, HOLD_40_MIB)), "STOPPED")
    killed = [c for c in both["containers"] if c.get("reason", "").startswith("OutOfMemoryError")]
    assert killed and all(c["exitCode"] == 137 for c in killed), both["containers"]
