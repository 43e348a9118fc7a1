# SPDX-License-Identifier: Apache-2.0
"""`stoker work` with a real queue and bucket: both processors, workers that are killed, a poison item, and the worker
in containers and as a process of an agent."""
import json
import os
import pathlib
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import boto3
import botocore.config
import pytest

from support import cluster, server
from support.queues import Queue, unique_name
from support.waiting import PATIENCE_SECONDS, eventually

ITEMS = 300
KILLS = 12
# The pause after a failure doubles, so the next one is as long as all before it.
BACKOFF_PATIENCE_SECONDS = 3 * PATIENCE_SECONDS
SERVE = str(server.ROOT / "examples/serve/serve.py")
POISON = """
import json, os, signal, sys
for line in sys.stdin:
    item = json.loads(line)
    text = open(item["input"]).read()
    if text == "poison":
        os.kill(os.getpid(), signal.SIGSEGV)
    print(json.dumps({"id": item["id"], "result": {"length": len(text), "key": item["key"]}}), flush=True)
"""


class Bench:
    """A server, a bucket whose inputs are messages, and workers."""

    def __init__(self, folder, service):
        self.folder, self.server = folder, service
        key = service.root_key
        config = botocore.config.Config(max_pool_connections=16)
        make = lambda name: boto3.client(
            name, region_name="us-east-1", endpoint_url=service.endpoint, aws_access_key_id=key.id,
            aws_secret_access_key=key.secret, config=config)
        self.s3, self.sqs = make("s3"), make("sqs")
        self.environment = {**os.environ, "AWS_ENDPOINT_URL": service.endpoint, "AWS_ACCESS_KEY_ID": key.id,
                            "AWS_SECRET_ACCESS_KEY": key.secret, "AWS_REGION": "us-east-1"}
        self.bucket = unique_name()
        self.s3.create_bucket(Bucket=self.bucket)
        self.s3.put_bucket_versioning(Bucket=self.bucket, VersioningConfiguration={"Status": "Enabled"})
        self.failed = Queue(self.sqs, unique_name("-failed"))
        self.queue = Queue(self.sqs, unique_name(), {"RedrivePolicy": json.dumps(
            {"deadLetterTargetArn": self.failed.arn, "maxReceiveCount": 3})})
        statement = {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage",
                     "Resource": self.queue.arn}
        self.queue.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
        rules = [{"Name": "prefix", "Value": "in/"}]
        self.s3.put_bucket_notification_configuration(Bucket=self.bucket, NotificationConfiguration={
            "QueueConfigurations": [{"QueueArn": self.queue.arn, "Events": ["s3:ObjectCreated:*"],
                                     "Filter": {"Key": {"FilterRules": rules}}}]})
        self.workers = []

    def start(self, *arguments, program=None):
        command = [*(program or [server.binary(), "work"]), "--queue", self.queue.name, "--workdir", str(self.folder),
                   *arguments]
        with open(self.folder / "worker.log", "ab") as log:
            worker = server.start_process(command, env=self.environment, stdout=log, stderr=log)
        self.workers.append(worker)
        return worker

    def log(self):
        return (self.folder / "worker.log").read_text(errors="replace")

    def put(self, name, body):
        self.s3.put_object(Bucket=self.bucket, Key="in/" + name, Body=body)

    def names(self, prefix):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return {one["Key"] for page in pages for one in page.get("Contents", [])}

    def document(self, key):
        return json.loads(self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read())

    def versions(self, prefix):
        """How many times each key was written."""
        counts = {}
        for page in self.s3.get_paginator("list_object_versions").paginate(Bucket=self.bucket, Prefix=prefix):
            for one in page.get("Versions", []):
                counts[one["Key"]] = counts.get(one["Key"], 0) + 1
        return counts

    def is_idle(self):
        found = self.queue.attributes()
        return all(found["ApproximateNumberOfMessages" + kind] == "0" for kind in ("", "NotVisible", "Delayed"))

    def close(self):
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()


@pytest.fixture
def bench(tmp_path):
    service = server.Server().start()
    made = Bench(tmp_path, service)
    yield made
    made.close()
    service.remove()


def test_exec_and_a_clean_end(bench):
    worker = bench.start("--exec", "tr a-z A-Z < {input} > {output}")
    bench.put("a b/é+.txt", "hello")
    eventually(lambda: bench.names("out/"))
    assert bench.document("out/a b/é+.txt.json") == {"output": "HELLO"}
    eventually(bench.is_idle)
    worker.terminate()
    assert worker.wait(PATIENCE_SECONDS) == 0
    assert [path.name for path in bench.folder.iterdir()] == ["worker.log"]


def test_the_example_serves_batches(bench):
    bench.start("--serve", f"{sys.executable} {SERVE}", "--batch", "8", "--linger", "20ms")
    for i in range(40):
        bench.put(f"{i}.txt", "word " * i)
    eventually(lambda: len(bench.names("out/")) == 40)
    assert bench.document("out/7.txt.json")["words"] == 7


def test_workers_that_are_killed_leave_one_result_for_each_item(bench, tmp_path):
    """And a poison item ends in the dead-letter queue without stopping the others."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    script = tmp_path / "poison.py"
    script.write_text(POISON)
    common = ["--visibility", "10s", "--backoff", "100ms", "--drain", "2s"]
    kinds = [["--serve", f"{sys.executable} {script}", "--batch", "4", *common],
             ["--serve", f"{sys.executable} {script}", *common]]
    # Its receives must be failures of the item, not deaths of the worker: others are killed, too.
    bench.queue.set(RedrivePolicy=json.dumps({"deadLetterTargetArn": bench.failed.arn, "maxReceiveCount": 100}))
    running = [bench.start(*kinds[i % 2]) for i in range(3)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: bench.put(f"{i:03}", "x" * i), range(ITEMS // 2)))
    bench.put("poison", "poison")
    for turn in range(KILLS):
        eventually(lambda: chance.random() < 0.2)  # a random moment
        which = chance.randrange(len(running))
        running[which].kill() if chance.random() < 0.7 else running[which].terminate()
        running[which].wait()
        running[which] = bench.start(*kinds[which % 2])
        for i in range(ITEMS // 2, ITEMS):
            if i % KILLS == turn:
                bench.put(f"{i:03}", "x" * i)
    expected = {f"out/{i:03}.json" for i in range(ITEMS)}
    eventually(lambda: bench.names("out/") == expected, BACKOFF_PATIENCE_SECONDS)
    for i in (0, 1, ITEMS // 2, ITEMS - 1):
        assert bench.document(f"out/{i:03}.json") == {"length": i, "key": f"in/{i:03}"}
    # The messages of finished items must be deleted first: they may have been received as often.
    eventually(lambda: sum(bench.queue.counts().values()) == 1, BACKOFF_PATIENCE_SECONDS)
    # From now on every receive of the poison item is its failure.
    bench.queue.set(RedrivePolicy=json.dumps({"deadLetterTargetArn": bench.failed.arn, "maxReceiveCount": 3}))
    eventually(bench.is_idle, BACKOFF_PATIENCE_SECONDS)
    failed = bench.failed.receive_all(int(bench.failed.attribute("ApproximateNumberOfMessages")))
    assert [json.loads(one["Body"])["Records"][0]["s3"]["object"]["key"] for one in failed] == ["in/poison"]
    # A result is written once, however often its item was worked on.
    assert set(bench.versions("out/").values()) == {1}
    error = bench.document("errors/poison.json")
    assert error["error"]["type"] == "ProcessDied" and "exit code 139" in error["error"]["message"]
    assert bench.names("out/") == expected


def static_worker():
    program = pathlib.Path(server.binary()).parent / "stoker-work"
    if not program.exists():
        pytest.skip("stoker-work is not built with sanitizers")
    return str(program)


def test_the_static_worker_does_the_same(bench):
    program = static_worker()
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    assert "not a dynamic executable" in linked.stderr + linked.stdout
    bench.start("--exec", "wc -c < {input}", program=[program])
    bench.put("a", "12345")
    eventually(lambda: bench.names("out/"))
    assert bench.document("out/a.json") == 5


def task_for(fleet, queue, image):
    """A definition as pipelines make it."""
    return fleet.ecs.register_task_definition(
        family=unique_name(), taskRoleArn="arn:aws:iam::000000000000:role/worker",
        containerDefinitions=[{
            "name": "worker", "image": image, "memory": 128, "essential": True,
            "entryPoint": ["/stoker/stoker-work"],
            "command": ["--queue", queue.name, "--exec", "wc -c < {input}"],
            "dockerLabels": {"stoker.worker": "1"}}])["taskDefinition"]["taskDefinitionArn"]


def test_a_task_with_the_label_gets_the_worker(fleet, driver):
    static_worker()
    image = cluster.TEST_IMAGE if driver == "docker" else "process"  # busybox: no libc, no certificates
    fleet.add("box-a", driver=driver)
    s3, queue = fleet.client("s3"), Queue(fleet.client("sqs"), unique_name())
    bucket = unique_name()
    s3.create_bucket(Bucket=bucket)
    statement = {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage",
                 "Resource": queue.arn}
    queue.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={
        "QueueConfigurations": [{"QueueArn": queue.arn, "Events": ["s3:ObjectCreated:*"]}]})
    s3.put_object(Bucket=bucket, Key="in/a", Body=b"12345")
    started = fleet.ecs.run_task(taskDefinition=task_for(fleet, queue, image))
    assert not started["failures"]
    task = started["tasks"][0]["taskArn"]
    eventually(lambda: s3.list_objects_v2(Bucket=bucket, Prefix="out/").get("KeyCount"))
    assert s3.get_object(Bucket=bucket, Key="out/a.json")["Body"].read() == b"5\n"
    fleet.ecs.stop_task(task=task)
    eventually(lambda: fleet.ecs.describe_tasks(tasks=[task])["tasks"][0]["lastStatus"] == "STOPPED")
    container = fleet.ecs.describe_tasks(tasks=[task])["tasks"][0]["containers"][0]
    assert container["exitCode"] == 0, container
