#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the time from the call of RunTask to RUNNING in the server with Docker's own create and start of the
same container on the same engine in the same run. The difference is our share: signature, placement, two
syncs of the disk, two messages, the agent's record and its report."""
import argparse
import http.client
import json
import pathlib
import socket
import statistics
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))

from support import cluster  # noqa: E402
from support.waiting import eventually  # noqa: E402

TARGET_MS = 10
SOCKET = "/var/run/docker.sock"


class Engine(http.client.HTTPConnection):
    """Docker's API on its unix socket."""

    def __init__(self):
        super().__init__("docker")

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(SOCKET)

    def call(self, method, path, body=None):
        text = json.dumps(body) if body is not None else None
        self.request(method, path, text, {"Content-Type": "application/json"})
        answer = self.getresponse()
        got = answer.read()
        assert answer.status < 300, (path, answer.status, got)
        return json.loads(got) if got else None


def body_of(engine, agent):
    """The configuration of a container of the agent's, to create another one like it, without the agent's label."""
    filters = urllib.parse.quote(json.dumps({"label": ["stoker.agent"]}))
    listed = engine.call("GET", f"/containers/json?all=1&filters={filters}")
    made = next(one["Id"] for one in listed if one["Labels"]["stoker.agent"].startswith(agent + ":"))
    seen = engine.call("GET", f"/containers/{made}/json")
    labels = {name: value for name, value in seen["Config"]["Labels"].items() if not name.startswith("stoker.")}
    return {**seen["Config"], "Labels": labels, "Hostname": "", "HostConfig": seen["HostConfig"]}


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
