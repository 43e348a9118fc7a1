# SPDX-License-Identifier: Apache-2.0
"""Resizes a group again and again while the server and agents are killed. Afterwards: exactly the desired machines run,
and nothing is left of the others."""
import os
import random
import signal
import sys

from support.cluster import processes_with
from support.scaling import ScalingCluster
from support.waiting import ALARM_PATIENCE_SECONDS, eventually

ROUNDS = int(os.environ.get("STOKER_SCALING_CHAOS_ROUNDS", "8"))
MOST = 4
# More GPUs than MOST machines have: those of machines that end are still held while others start, and a start that
# finds none is repeated later and later.
POOL = ["--pool-gpus", "fake:16xV100", "--pool-driver", "process"]


def restart_server(fleet):
    fleet.server.listen = f"127.0.0.1:{fleet.server.port}"
    fleet.server.kill()
    fleet.server.start()


def agents_of(fleet):
    """Agents of all instances of this server, except those that only clean up."""
    found = processes_with(f"--data {fleet.server.data.resolve()}/instances/")
    return [pid for pid, line in found if "--clean-up" not in line]


def disturb(fleet, chance):
    kind = chance.choice(["server", "server", "agent", "none"])
    agents = agents_of(fleet)
    if kind == "server":
        restart_server(fleet)
    elif kind == "agent" and agents:
        try:
            os.kill(chance.choice(agents), signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has just ended
    return kind


def resize(fleet, desired):
    fleet.autoscaling.set_desired_capacity(AutoScalingGroupName="gpu", DesiredCapacity=desired)


def has_exactly(fleet, count):
    """So many machines, all of the group, connected, and nothing of others. One whose agent was killed may still count
    as in service for a moment, so all is read together."""
    ready = sorted(fleet.in_service("gpu"))
    joined = sorted(one["ec2InstanceId"] for one in fleet.instances() if one["agentConnected"])
    return (len(ready) == count and ready == sorted(fleet.live_instances()) == joined
            and len(fleet.group("gpu")["Instances"]) == len(fleet.instances()) == len(agents_of(fleet)) == count)


def test_kills_neither_leak_machines_nor_lose_them():
    seed = int(os.environ.get("STOKER_CHAOS_SEED", random.randrange(1 << 32)))
    print(f"repeat with STOKER_CHAOS_SEED={seed}", file=sys.stderr)
    chance = random.Random(seed)
    with ScalingCluster(arguments=POOL) as fleet:
        fleet.ecs.create_cluster(clusterName="default")
        fleet.create_group("gpu", least=0, most=MOST, DesiredCapacity=0)
        for _ in range(ROUNDS):
            resize(fleet, chance.randrange(MOST + 1))
            if chance.random() < 0.5:  # in the middle of starts and stops, or after them
                fleet.wait_in_service("gpu", fleet.group("gpu")["DesiredCapacity"])
            disturb(fleet, chance)
        resize(fleet, 2)
        eventually(lambda: has_exactly(fleet, 2), ALARM_PATIENCE_SECONDS)
        resize(fleet, 0)
        fleet.wait_in_service("gpu", 0)
        eventually(lambda: not fleet.live_instances())
        eventually(lambda: not agents_of(fleet))
        eventually(lambda: not list((fleet.server.data / "instances").iterdir()))
        eventually(lambda: all("EndTime" in one for one in fleet.activities("gpu")))
