# SPDX-License-Identifier: Apache-2.0
"""Jobs while workers, agents and the server are killed: each ends with one result and at least one webhook, which has
the same id each time, and none is lost."""
import collections
import http.client
import json
import os
import random
import signal
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from support import cluster, server
from support.pipelines import Pipelines
from support.waiting import eventually
from support.webhooks import receiver  # noqa: F401

JOBS = int(os.environ.get("STOKER_PIPELINE_JOBS", "2000"))
KILLS = int(os.environ.get("STOKER_PIPELINE_KILLS", "12"))
SERVE = str(server.ROOT / "examples/serve/serve.py")
# All jobs together; a busy machine is slow, and a killed worker's items wait for their visibility timeout.
ALL_SECONDS = 900


class Api:
    """The job API, with calls that are repeated until they are answered."""

    def __init__(self, fleet, key):
        self.fleet, self.key = fleet, key

    def call(self, method, path, body=None, headers=None):
        def attempt():
            url = f"http://127.0.0.1:{self.fleet.server.port}{path}"
            request = urllib.request.Request(url, body, {"Authorization": f"Bearer {self.key}", **(headers or {})},
                                             method=method)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                return (error.code, error.read()) if error.code < 500 else None
            except (OSError, http.client.HTTPException):
                return None  # killed while it answered

        return eventually(attempt)

    def submit(self, number):
        status, body = self.call("POST", f"/pipelines/chaos/jobs?id=job-{number}&filename=f.txt", b"word " * (number % 7),
                                 {"Content-Type": "text/plain"})
        assert status in (200, 202), body

    def summary(self):
        return json.loads(self.call("GET", "/pipelines/chaos")[1])


class Chaos:
    def __init__(self, fleet, seed):
        self.fleet, self.random = fleet, random.Random(seed)
        self.done = collections.Counter()

    def workers(self):
        """Processes of workers, which end with their own machine's folder in their environment."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{pid}/environ", "rb") as file:
                    ours = str(self.fleet.server.port).encode() in file.read()
            except OSError:
                continue
            if ours and any(word.endswith((b"stoker-work", b"stoker")) for word in words[:1]) and b"--queue" in words:
                found.append(int(pid))
        return found

    def kill_worker(self):
        workers = self.workers()
        if workers:
            os.kill(self.random.choice(workers), signal.SIGKILL)
            self.done["worker"] += 1

    def kill_agent(self):
        machine = self.random.choice(self.fleet.machines)
        machine.kill()
        machine.start(wait=False)
        self.done["agent"] += 1

    def kill_server(self):
        port = self.fleet.server.port
        self.fleet.server.kill()
        self.fleet.server.listen = f"127.0.0.1:{port}"
        self.fleet.server.start()
        self.done["server"] += 1


def deliveries(receiver):  # noqa: F811
    """The ids of the webhooks that were accepted for each job: those that the receiver has rejected must come again."""
    ids = collections.defaultdict(set)
    for headers, body in list(receiver.accepted):
        ids[json.loads(body)["data"]["task_id"]].add(headers["webhook-id"])
    return ids


def test_every_job_ends_with_one_result_whatever_is_killed(receiver):  # noqa: F811
    seed = int(os.environ.get("STOKER_CHAOS_SEED", random.randrange(1 << 30)))
    print(f"STOKER_CHAOS_SEED={seed}", file=sys.stderr)
    receiver.statuses = [503] * 20  # it is down for a while
    with cluster.Cluster(arguments=["--webhook-private-networks"]) as fleet:
        for number in range(2):
            fleet.add(f"box-{number}", arguments=["--cpu", "8192", "--memory", "8192"])
        pipelines = Pipelines(fleet.server.data)
        # A kill is a receive without an answer: many of them must not be taken for a poison item.
        pipelines.apply({"name": "chaos", "image": "process", "serve": f"{sys.executable} {SERVE}", "batch": 16,
                         "max": 3, "items_per_task": 50, "timeout": "10s", "retries": 99, "cpu": 128, "memory": 256,
                         "webhook": f"http://127.0.0.1:{receiver.server_port}/hook"})
        bucket = pipelines.show("chaos")["bucket"]
        fleet.client("s3").put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        api, chaos = Api(fleet, pipelines.json("key", "create", "chaos")["secret"]), Chaos(fleet, seed)

        with ThreadPoolExecutor(4) as pool:
            submitted = [pool.submit(api.submit, number) for number in range(JOBS)]
            for _ in range(KILLS):
                eventually(lambda: chaos.random.random() < 0.03)  # a random moment
                chaos.random.choice([chaos.kill_worker, chaos.kill_worker, chaos.kill_agent, chaos.kill_server])()
            for one in submitted:
                one.result()
        print("killed:", dict(chaos.done), file=sys.stderr)

        eventually(lambda: api.summary()["succeeded"] == JOBS, ALL_SECONDS)
        assert {name: api.summary()[name] for name in ("queued", "running", "failed")} == {
            "queued": 0, "running": 0, "failed": 0}
        written = collections.Counter()
        for page in fleet.client("s3").get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix="out/"):
            written.update(one["Key"] for one in page.get("Versions", []))
        assert len(written) == JOBS and set(written.values()) == {1}, written.most_common(3)

        eventually(lambda: len(deliveries(receiver)) == JOBS, ALL_SECONDS)
        assert all(len(ids) == 1 for ids in deliveries(receiver).values())
        assert len(set.union(*deliveries(receiver).values())) == JOBS
