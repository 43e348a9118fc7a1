# SPDX-License-Identifier: Apache-2.0
"""Updates a service of GPU tasks again and again while agents and the server are killed. Afterwards: the last revision
runs, with exactly the desired tasks, and no GPU was held twice."""
import collections
import os
import pathlib
import random
import sys

import botocore.exceptions

from support import cluster
from support.services import Service, percents
from support.waiting import eventually
from test_chaos import grants_that_overlap
from test_scaling_queue import HOST_FOLDERS

UPDATES = int(os.environ.get("STOKER_SERVICE_UPDATES", "200"))
MACHINES = 2
GPUS = 2
PROGRAM = pathlib.Path(__file__).with_name("hold_gpus.py")
FOREVER = 100_000
NO_ANSWER = (botocore.exceptions.EndpointConnectionError, botocore.exceptions.HTTPClientError)


class Chaos:
    def __init__(self, fleet, driver, seed):
        self.fleet, self.driver, self.random = fleet, driver, random.Random(seed)
        self.locks = fleet.common_folder("locks")
        self.done = collections.Counter()

    def define(self):
        """A new revision, whose tasks lock their GPUs."""
        where, python = {"driver": self.driver}, "/usr/bin/python3"
        if self.driver == "docker":
            # The image has no Python, so it uses this machine's. Not /usr as a whole: the engine would create its
            # mount point for the GPUs' tool there, on this machine.
            python = "env PYTHONHOME=/usr /host/python3"
            folders = {f"/usr/{name}": paths for name, paths in HOST_FOLDERS.items()}
            folders |= {str(folder): [str(folder)] for folder in (PROGRAM.parent, self.locks)}
            where["task"] = {"volumes": [
                {"name": f"v{i}", "host": {"sourcePath": folder}} for i, folder in enumerate(folders)]}
            where["mountPoints"] = [
                {"sourceVolume": f"v{i}", "containerPath": path, "readOnly": folder != str(self.locks)}
                for i, (folder, paths) in enumerate(folders.items()) for path in paths
            ]
        shell = f"exec {python} {PROGRAM} {self.locks} {FOREVER}"
        return self.fleet.define(shell, gpus=1, family="chaos", **where)

    def kill_agent(self):
        machine = self.random.choice(self.fleet.machines)
        machine.kill()
        machine.start(wait=False)

    def kill_server(self):
        port = self.fleet.server.port
        self.fleet.server.kill()
        self.fleet.server.listen = f"127.0.0.1:{port}"
        self.fleet.server.start()

    def stop_task(self, service):
        tasks = service.tasks()
        if tasks:
            self.fleet.ecs.stop_task(task=self.random.choice(tasks)["taskArn"])

    def disturb(self, service):
        kind = self.random.choice(["agent", "server", "task", "none"])
        if kind == "agent":
            self.kill_agent()
        elif kind == "server":
            self.kill_server()
        elif kind == "task":
            self.stop_task(service)
        self.done[kind] += 1


def acknowledged(call):
    """Repeats a call until it is answered."""
    def attempt():
        try:
            return call() or True
        except NO_ANSWER:
            return None

    return eventually(attempt)


def test_the_last_of_many_updates_wins_whatever_is_killed(driver):
    updates = UPDATES if driver == "process" else max(UPDATES // 5, 1)
    seed = int(os.environ.get("STOKER_CHAOS_SEED", random.randrange(1 << 30)))
    print(f"STOKER_CHAOS_SEED={seed}", file=sys.stderr)
    with cluster.Cluster() as fleet:
        for number in range(MACHINES):
            fleet.add(f"box-{number}", f"fake:{GPUS}xV100", driver)
        chaos = Chaos(fleet, driver, seed)
        service = Service(fleet, "chaos", chaos.define())
        for _ in range(updates):
            chaos.disturb(service)
            definition = acknowledged(chaos.define)
            desired = chaos.random.randint(1, MACHINES * GPUS)
            change = {"taskDefinition": definition, "desiredCount": desired}
            if chaos.random.random() < 0.3:
                minimum, maximum = chaos.random.choice([(0, 100), (0, 200), (50, 100), (50, 200)])
                change["deploymentConfiguration"] = percents(minimum, maximum)
            acknowledged(lambda: service.update(**change))
            chaos.disturb(service)
        print(dict(chaos.done), file=sys.stderr)
        # Whatever the last percentages were, the last revision must win.
        service.update(deploymentConfiguration=percents(0, 200))
        for machine in fleet.machines:
            machine.wait_connected()

        tasks = service.running(desired, definition)
        service.completed(definition)
        assert {task["taskArn"] for task in service.tasks()} == {task["taskArn"] for task in tasks}
        assert list(chaos.locks.glob("*.lock")), "no task locked its GPU"
        violations = chaos.locks / "violations"
        assert not violations.exists(), violations.read_text()
        for machine in fleet.machines:
            assert grants_that_overlap(machine.log) == []
        service.delete(force=True)
        service.inactive()
        eventually(lambda: not cluster.processes_with(str(chaos.locks)) or None)
