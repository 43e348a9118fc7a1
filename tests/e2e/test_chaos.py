# SPDX-License-Identifier: Apache-2.0
"""Cuts networks and kills agents and the server while tasks start and end. Afterwards: no GPU was
held twice, no task is lost, nothing runs any more."""
import collections
import os
import pathlib
import random
import re
import sys
import time
import uuid

import botocore.exceptions
import pytest

import network
from support import cluster
from support.waiting import eventually

SECONDS = float(os.environ.get("STOKER_CHAOS_SECONDS", "120"))
LOST_AFTER = "12s"
MACHINES = 3
GPUS = 4
PROGRAM = pathlib.Path(__file__).with_name("hold_gpus.py")


class Chaos:
    def __init__(self, fleet, net, seed):
        self.fleet, self.net = fleet, net
        self.random = random.Random(seed)
        self.locks = fleet.common_folder("locks")
        self.tasks = set()  # every ARN that was acknowledged
        self.unsure = set()  # startedBy of requests whose responses were lost
        self.cut_until = {}
        self.dead_until = {}
        self.done = collections.Counter()

    def define(self):
        self.definitions = [self._definition(gpus) for gpus in (1, 2, 4)]

    def _definition(self, gpus):
        return self.fleet.define(f"exec /usr/bin/python3 {PROGRAM} {self.locks} $SECONDS_TO_RUN", gpus=gpus, memory=64)

    def run(self):
        seconds = self.random.choice([0.2, 0.7, 1.5, 3.1, 300])
        request = {
            "taskDefinition": self.random.choice(self.definitions),
            "count": self.random.randint(1, 3),
            "startedBy": uuid.uuid4().hex,
            "overrides": {
                "containerOverrides": [
                    {"name": "main", "environment": [{"name": "SECONDS_TO_RUN", "value": str(seconds)}]}
                ]
            },
        }
        self.unsure.add(request["startedBy"])
        try:
            answer = self.fleet.ecs.run_task(**request)
        except botocore.exceptions.ClientError as error:
            # No machine is registered now, and nothing was started.
            assert error.response["Error"]["Code"] == "InvalidParameterException", error
            answer = {"tasks": []}
        self.unsure.remove(request["startedBy"])
        self.tasks.update(task["taskArn"] for task in answer["tasks"])
        self.done["placed"] += len(answer["tasks"])

    def stop_some(self):
        live = self.fleet.list_tasks()
        for arn in self.random.sample(live, min(len(live), 2)):
            self.fleet.ecs.stop_task(task=arn)
            self.done["stopped"] += 1

    def kill_agent(self):
        machine = self.random.choice(self.fleet.machines)
        if machine.alive:
            machine.kill()
            self.dead_until[machine] = time.monotonic() + self.random.uniform(0, 4)
            self.done["agents killed"] += 1

    def kill_server(self):
        port = self.fleet.server.port
        self.fleet.server.kill()
        time.sleep(self.random.uniform(0, 2))
        self.fleet.server.listen = f"{self.net.address}:{port}"
        self.fleet.server.start()
        self.done["servers killed"] += 1

    def cut(self):
        machine = self.random.choice(self.fleet.machines)
        self.net.cut(machine.name)
        # Some outages are longer than LOST_AFTER.
        self.cut_until[machine] = time.monotonic() + self.random.choice([1, 3, 6, 20])
        self.done["cables cut"] += 1

    def mend(self, everything=False):
        now = time.monotonic()
        for machine, until in list(self.cut_until.items()):
            if everything or now >= until:
                self.net.heal(machine.name)
                del self.cut_until[machine]
        for machine, until in list(self.dead_until.items()):
            if everything or now >= until:
                machine.start(wait=False)
                del self.dead_until[machine]

    def turn(self):
        action = self.random.choices(
            [self.run, self.stop_some, self.kill_agent, self.kill_server, self.cut], [10, 3, 2, 1, 2]
        )[0]
        try:
            action()
        except (botocore.exceptions.EndpointConnectionError, botocore.exceptions.HTTPClientError):
            self.done["answers lost"] += 1
        self.mend()
        time.sleep(self.random.uniform(0, 0.5))

    def settle(self):
        self.mend(everything=True)
        for started_by in self.unsure:  # tasks of requests without a response count, too
            for status in ("RUNNING", "STOPPED"):
                self.tasks.update(self.fleet.list_tasks(startedBy=started_by, desiredStatus=status))
        for machine in self.fleet.machines:
            machine.wait_connected()

        def all_stopped():
            for arn in self.fleet.list_tasks():
                self.fleet.ecs.stop_task(task=arn)
            return not self.fleet.list_tasks(desiredStatus="STOPPED", live=True) or None

        eventually(all_stopped, 300)


def grants_that_overlap(log):
    """From an agent's log: GPUs that were granted while another task held them. Grants end
    with the agent's process, and adopted tasks are granted their GPUs again."""
    holders, wrong = {}, []
    for line in log.read_text(errors="replace").splitlines():
        fields = dict(re.findall(r"(\w+)=(\S+)", line))
        if "agent started" in line:
            holders.clear()
        elif "gpu granted" in line:
            holder = holders.setdefault(fields["gpu"], fields["task"])
            if holder != fields["task"]:
                wrong.append(line)
        elif "gpu released" in line and holders.get(fields["gpu"]) == fields["task"]:
            del holders[fields["gpu"]]
    return wrong


@pytest.mark.skipif(not network.available(), reason="making network namespaces takes root")
def test_no_task_is_lost_and_no_gpu_is_held_twice():
    seed = int(os.environ.get("STOKER_CHAOS_SEED", random.randrange(1 << 30)))
    print(f"STOKER_CHAOS_SEED={seed}", file=sys.stderr)
    with network.Network() as net, cluster.Cluster(["--lost-after", LOST_AFTER], f"{net.address}:0") as fleet:
        for number in range(MACHINES):
            name = f"box-{number}"
            fleet.add(name, f"fake:{GPUS}xV100", wrapper=net.add(name))
        chaos = Chaos(fleet, net, seed)
        chaos.define()
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            chaos.turn()
        chaos.settle()

        print(dict(chaos.done), file=sys.stderr)
        assert chaos.done["placed"] > 0
        violations = chaos.locks / "violations"
        assert not violations.exists(), violations.read_text()
        for machine in fleet.machines:
            assert grants_that_overlap(machine.log) == []
        described = {task["taskArn"]: task for task in fleet.describe_all(sorted(chaos.tasks))}
        assert set(described) == chaos.tasks, "tasks are lost"
        assert {task["lastStatus"] for task in described.values()} == {"STOPPED"}
        assert all(task["stoppedReason"] for task in described.values())
        eventually(lambda: not cluster.processes_with(str(chaos.locks)) or None)
        # Every GPU is free again.
        for machine in fleet.machines:
            task = fleet.run(chaos.definitions[2], overrides=machine_only())
            fleet.wait_for(task, "STOPPED")


def machine_only():
    return {"containerOverrides": [{"name": "main", "environment": [{"name": "SECONDS_TO_RUN", "value": "0.1"}]}]}
