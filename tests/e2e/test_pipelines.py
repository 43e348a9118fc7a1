# SPDX-License-Identifier: Apache-2.0
"""A pipeline's workers follow its items from zero, and end when there are none."""
import json
import pathlib
import shutil
import uuid

import pytest

from support import server
from support.cluster import TEST_IMAGE, Cluster, docker_answers
from support.job_requests import Jobs
from support.pipelines import Pipelines
from support.waiting import ALARM_PATIENCE_SECONDS, eventually

# Holds an item until the test opens the gate.
HELD = "while [ ! -e {gate}/open ]; do sleep 0.1; done; wc -c < {{input}}"
# An item of this content hangs; all others are counted.
HANGING = "grep -q hang {input} && sleep 600; wc -c < {input}"
# An item that fails each time, one that hangs, and all others.
MIXED = "case $(cat {input}) in poison) echo 'bad header' >&2; exit 3;; hang) sleep 600;; esac; wc -c < {input}"


@pytest.fixture
def cluster():
    with Cluster() as made:
        made.add("box", arguments=["--cpu", "8192", "--memory", "8192"])
        yield made


@pytest.fixture
def pipelines(cluster):
    return Pipelines(cluster.server.data)


def workers(pipelines, name):
    return pipelines.show(name)["workers"]


def put(cluster, bucket, count):
    s3 = cluster.client("s3")
    for i in range(count):
        s3.put_object(Bucket=bucket, Key=f"in/{uuid.uuid4().hex}.txt", Body=b"x" * (i + 1))


def results(cluster, bucket):
    return cluster.client("s3").list_objects_v2(Bucket=bucket, Prefix="out/").get("Contents", [])


def test_workers_follow_the_items_from_zero_and_back(cluster, pipelines):
    gate = cluster.gate()
    pipelines.apply({"name": "count", "image": "process", "exec": HELD.format(gate=gate.folder), "max": 3,
                     "items_per_task": 2, "idle": "10s", "timeout": "10m", "cpu": 128})
    bucket = pipelines.show("count")["bucket"]
    assert workers(pipelines, "count")["desired"] == 0

    put(cluster, bucket, 1)
    eventually(lambda: workers(pipelines, "count")["running"] == 1, ALARM_PATIENCE_SECONDS)
    # A larger backlog is an alarm of its own: nothing waits for the first one to be repeated after a minute.
    put(cluster, bucket, 5)
    eventually(lambda: workers(pipelines, "count")["running"] == 3, ALARM_PATIENCE_SECONDS)
    causes = scaling_causes(cluster)
    assert any("stoker-count-scale-out-1" in cause for cause in causes), causes
    assert any("stoker-count-scale-out-3" in cause or "stoker-count-scale-out-2" in cause for cause in causes), causes

    gate.open()
    eventually(lambda: len(results(cluster, bucket)) == 6)
    eventually(lambda: workers(pipelines, "count")["desired"] == 0, ALARM_PATIENCE_SECONDS)
    eventually(lambda: workers(pipelines, "count")["running"] == 0, ALARM_PATIENCE_SECONDS)
    assert any("stoker-count-scale-in" in cause for cause in scaling_causes(cluster))
    items = pipelines.show("count")["items"]
    assert items == {"queued": 0, "inFlight": 0, "failed": 0}
    contents = {json.loads(cluster.client("s3").get_object(Bucket=bucket, Key=one["Key"])["Body"].read())
                for one in results(cluster, bucket)}
    assert contents == {1, 1, 2, 3, 4, 5}


def test_items_that_fail_or_hang_end_failed_and_the_others_succeed(cluster, pipelines):
    # The test waits for this timeout twice. Another item that a busy machine holds up for as long is tried again.
    pipelines.apply({"name": "mixed", "image": "process", "exec": MIXED, "timeout": "20s", "retries": 1, "idle": "10s",
                     "cpu": 128})
    jobs = Jobs(cluster.server, "mixed", pipelines.json("key", "create", "mixed")["secret"])
    for name in ("poison", "hang", "a", "bb", "ccc"):
        assert jobs.submit(name.encode(), f"id={name}").status == 202

    def ended():
        found = {one["task_id"]: one for one in jobs.call("GET", jobs.path).json["jobs"]}
        # The machine of a job that fails at once is reported a moment later.
        return found if all(one["finished_at"] and one["machine"] for one in found.values()) else None

    found = eventually(ended, ALARM_PATIENCE_SECONDS)
    assert {name: one["status"] for name, one in found.items()} == {
        "poison": "FAILED", "hang": "FAILED", "a": "SUCCEEDED", "bb": "SUCCEEDED", "ccc": "SUCCEEDED"}
    poison, hang = found["poison"], found["hang"]
    assert poison["error"] == {"type": "CommandFailed", "message": "exit code 3: bad header"}
    assert hang["error"] == {"type": "Timeout", "message": "no result within 20 s; the command was killed"}
    assert poison["attempts"] == hang["attempts"] == 2 and {one["machine"] for one in found.values()} == {"box"}
    assert jobs.call("GET", "/jobs/ccc/result").json == 3
    assert pipelines.show("mixed")["items"] == {"queued": 0, "inFlight": 0, "failed": 2}


def test_a_cancelled_job_frees_its_worker(cluster, pipelines):
    """The worker notices it when it extends the message's visibility, and kills the command."""
    pipelines.apply({"name": "count", "image": "process", "exec": HANGING, "timeout": "1h", "idle": "10s", "cpu": 128})
    jobs = Jobs(cluster.server, "count", pipelines.json("key", "create", "count")["secret"])
    assert jobs.submit(b"hang", "id=stuck").status == 202
    status = lambda name: jobs.call("GET", f"/jobs/{name}").json["status"]
    eventually(lambda: status("stuck") == "RUNNING", ALARM_PATIENCE_SECONDS)
    assert jobs.submit(b"text", "id=next").status == 202
    assert jobs.call("POST", "/jobs/stuck/cancel").status == 200
    eventually(lambda: status("next") == "SUCCEEDED", ALARM_PATIENCE_SECONDS)
    assert status("stuck") == "CANCELLED"
    assert not [one for one in results(cluster, pipelines.show("count")["bucket"]) if "stuck" in one["Key"]]


def test_a_pipeline_with_an_image_runs_in_containers():
    """The image has a shell and nothing of Stoker's: the agent mounts the worker. Broken items fail at once."""
    if not docker_answers():
        pytest.skip("no Docker engine")
    if not (pathlib.Path(server.binary()).parent / "stoker-work").exists():
        pytest.skip("stoker-work is not built with sanitizers")
    with Cluster() as made:
        made.add("box", driver="docker")
        pipelines = Pipelines(made.server.data)
        pipelines.apply({"name": "upper", "image": TEST_IMAGE, "max": 1, "idle": "10s", "cpu": 128, "memory": 128,
                         "exec": "grep -q broken {input} && exit 65; tr a-z A-Z < {input} > {output}"})
        bucket = pipelines.show("upper")["bucket"]
        s3 = made.client("s3")
        for name, text in (("a", b"text"), ("b", b"broken")):
            s3.put_object(Bucket=bucket, Key=f"in/{name}.txt", Body=text)
        eventually(lambda: len(results(made, bucket)) == 1, ALARM_PATIENCE_SECONDS)
        stored = s3.get_object(Bucket=bucket, Key="out/a.txt.json")["Body"].read()
        assert json.loads(stored) == {"output": "TEXT"}
        eventually(lambda: pipelines.show("upper")["items"] == {"queued": 0, "inFlight": 0, "failed": 1})
        error = json.loads(s3.get_object(Bucket=bucket, Key="errors/b.txt.json")["Body"].read())
        assert error["error"]["permanent"] and error["attempt"] == 1 and error["machine"] == "box"
        eventually(lambda: workers(pipelines, "upper")["running"] == 0, ALARM_PATIENCE_SECONDS)


def scaling_causes(cluster):
    client = cluster.client("application-autoscaling")
    activities = client.describe_scaling_activities(ServiceNamespace="ecs")["ScalingActivities"]
    return [one["Cause"] for one in activities]


def test_items_of_a_paused_pipeline_wait(cluster, pipelines):
    pipelines.apply({"name": "count", "image": "process", "exec": "wc -c < {input}", "cpu": 128, "idle": "10s"})
    bucket = pipelines.show("count")["bucket"]
    pipelines.run("pause", "count")
    put(cluster, bucket, 2)
    assert pipelines.show("count")["items"]["queued"] == 2
    assert workers(pipelines, "count")["desired"] == 0
    pipelines.run("resume", "count")
    eventually(lambda: len(results(cluster, bucket)) == 2, ALARM_PATIENCE_SECONDS)


def test_a_builtin_processor_waits_for_a_machine_that_has_it(tmp_path, monkeypatch):
    """The agent has no stoker-ocr beside it, and the pipeline shows that."""
    shutil.copy2(server.binary(), tmp_path / "stoker")
    monkeypatch.setenv("STOKER_BIN", str(tmp_path / "stoker"))
    with Cluster() as alone:
        alone.add("box")
        pipelines = Pipelines(alone.server.data)
        pipelines.apply({"name": "scan", "builtin": "ocr", "min": 1, "cpu": 128})
        eventually(lambda: "stoker.builtin.ocr" in (pipelines.show("scan").get("lastEvent") or ""))
