#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a deployment of 100 tasks, from CreateService to the last RUNNING task, with what starts them: the container
engine's own create and start of as many containers like them, or as many processes, in the same run. Tasks are small
and only sleep, so that the machine's share is as small as it gets."""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "start"))

from engine_api import Engine, body_of  # noqa: E402
from support import cluster  # noqa: E402
from support.services import Service  # noqa: E402

COMMAND = "sleep 300"


def by_stoker(fleet, definition, count):
    """Seconds from the call until the last task of the service runs."""
    began = time.time()
    service = Service(fleet, "bench", definition, count)
    started = [task["startedAt"].timestamp() for task in service.running(count)]
    return service, max(started) - began


def by_docker(body, count, parallel):
    """Seconds for create and start of so many containers, so many at a time."""
    def start(_):
        engine = Engine()
        made = engine.call("POST", "/containers/create", body)["Id"]
        engine.call("POST", f"/containers/{made}/start")
        return made

    began = time.time()
    with concurrent.futures.ThreadPoolExecutor(parallel) as pool:
        containers = list(pool.map(start, range(count)))
    took = time.time() - began
    for made in containers:
        Engine().call("DELETE", f"/containers/{made}?force=1")
    return took


def by_processes(count):
    """Seconds for so many shells."""
    began = time.time()
    started = [subprocess.Popen(["/bin/sh", "-c", COMMAND]) for _ in range(count)]
    took = time.time() - began
    for process in started:
        process.kill()
        process.wait()
    return took


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", type=int, default=100)
    options.add_argument("--parallel", type=int, default=8, help="containers that the engine starts at a time")
    options.add_argument("--driver", choices=["docker", "process"],
                         default="docker" if cluster.docker_answers() else "process")
    options.add_argument("--quick", action="store_true", help="does the benchmark still work?")
    given = options.parse_args()
    count = 5 if given.quick else given.tasks
    with cluster.Cluster() as fleet:
        fleet.add("bench", "none", given.driver, arguments=["--cpu", "65536", "--memory", "65536"])
        definition = fleet.define(COMMAND, driver=given.driver, memory=16)
        service, ours = by_stoker(fleet, definition, count)
        body = body_of(Engine(), "bench") if given.driver == "docker" else None
        service.delete(force=True)
        service.inactive()
        fleet.stop_all()
        theirs = by_docker(body, count, given.parallel) if body else by_processes(count)
    print(f"a deployment of {count} tasks   {ours:8.2f} s, {ours / count * 1000:.1f} ms for each")
    print(f"the same by {given.driver:7} alone {theirs:8.2f} s, {theirs / count * 1000:.1f} ms for each")
    print(f"ratio                      {ours / theirs:8.2f}")


main()
