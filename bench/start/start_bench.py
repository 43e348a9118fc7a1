#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the time from the call of RunTask to RUNNING in the server with Docker's own create and start of the
same container on the same engine in the same run. The difference is our share: signature, placement, two
syncs of the disk, two messages, the agent's record and its report."""
import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))

from engine_api import Engine, body_of  # noqa: E402
from support import cluster  # noqa: E402
from support.waiting import eventually  # noqa: E402

TARGET_MS = 10


def by_docker(engine, body):
    """Milliseconds for create and start."""
    began = time.time()
    made = engine.call("POST", "/containers/create", body)["Id"]
    engine.call("POST", f"/containers/{made}/start")
    took = (time.time() - began) * 1000
    engine.call("DELETE", f"/containers/{made}?force=1")
    return took


def by_stoker(fleet, ecs, definition):
    """Milliseconds from the call until the server reports the task as running."""
    began = time.time()
    task = ecs.run_task(taskDefinition=definition)["tasks"][0]["taskArn"]

    def running():
        return ecs.describe_tasks(tasks=[task])["tasks"][0].get("startedAt")

    took = (eventually(running).timestamp() - began) * 1000
    ecs.stop_task(task=task)
    eventually(lambda: fleet.describe(task)["lastStatus"] == "STOPPED")
    return took


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=40)
    options.add_argument("--quick", action="store_true", help="does the benchmark still work?")
    options.add_argument("--driver", choices=["docker", "process"], default="docker")
    given = options.parse_args()
    rounds = 3 if given.quick else given.rounds
    docker = given.driver == "docker"
    if docker and not cluster.docker_answers():
        print("no Docker engine answers here: nothing to compare with")
        return
    with cluster.Cluster() as fleet:
        fleet.add("bench", "none", given.driver)
        definition = fleet.define("sleep 300", driver=given.driver)
        ecs, ours, theirs, body = fleet.ecs, [], [], None
        for number in range(rounds + 1):
            mine = by_stoker(fleet, ecs, definition)
            body = body or (body_of(Engine(), "bench") if docker else None)
            its = by_docker(Engine(), body) if docker else 0
            if number > 0:  # the first is a warm-up
                ours.append(mine)
                theirs.append(its)
        share = statistics.median(ours) - statistics.median(theirs)
        print(f"RunTask to RUNNING      {statistics.median(ours):7.1f} ms median, {max(ours):.1f} ms most")
        if docker:
            print(f"Docker create and start {statistics.median(theirs):7.1f} ms median, {max(theirs):.1f} ms most")
            print(f"ratio                   {statistics.median(ours) / statistics.median(theirs):7.2f}")
        verdict = "pass" if share <= TARGET_MS else "MISS"
        print(f"our share               {share:7.1f} ms, at most {TARGET_MS} ms: {verdict}")


main()
