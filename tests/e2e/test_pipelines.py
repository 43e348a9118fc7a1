# SPDX-License-Identifier: Apache-2.0
"""A pipeline's workers follow its items from zero, and end when there are none."""
import json
import shutil
import uuid

import pytest

from support import server
from support.cluster import Cluster
from support.pipelines import Pipelines
from support.waiting import eventually

# Holds an item until the test opens the gate.
HELD = "while [ ! -e {gate}/open ]; do sleep 0.1; done; wc -c < {{input}}"


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
                     "items_per_task": 2, "idle": "10s", "timeout": "2m", "cpu": 128})
    bucket = pipelines.show("count")["bucket"]
    assert workers(pipelines, "count")["desired"] == 0

    put(cluster, bucket, 1)
    eventually(lambda: workers(pipelines, "count")["running"] == 1)
    # A larger backlog is an alarm of its own: nothing waits for the first one to be repeated after a minute.
    put(cluster, bucket, 5)
    eventually(lambda: workers(pipelines, "count")["running"] == 3)
    causes = scaling_causes(cluster)
    assert any("stoker-count-scale-out-1" in cause for cause in causes), causes
    assert any("stoker-count-scale-out-3" in cause or "stoker-count-scale-out-2" in cause for cause in causes), causes

    gate.open()
    eventually(lambda: len(results(cluster, bucket)) == 6)
    eventually(lambda: workers(pipelines, "count")["desired"] == 0)
    eventually(lambda: workers(pipelines, "count")["running"] == 0)
    assert any("stoker-count-scale-in" in cause for cause in scaling_causes(cluster))
    items = pipelines.show("count")["items"]
    assert items == {"queued": 0, "inFlight": 0, "failed": 0}
    contents = {json.loads(cluster.client("s3").get_object(Bucket=bucket, Key=one["Key"])["Body"].read())
                for one in results(cluster, bucket)}
    assert contents == {1, 1, 2, 3, 4, 5}


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
    eventually(lambda: len(results(cluster, bucket)) == 2)


def test_a_builtin_processor_waits_for_a_machine_that_has_it(tmp_path, monkeypatch):
    """The agent has no stoker-ocr beside it, and the pipeline says so."""
    shutil.copy2(server.binary(), tmp_path / "stoker")
    monkeypatch.setenv("STOKER_BIN", str(tmp_path / "stoker"))
    with Cluster() as alone:
        alone.add("box")
        pipelines = Pipelines(alone.server.data)
        pipelines.apply({"name": "scan", "builtin": "ocr", "min": 1, "cpu": 128})
        eventually(lambda: "stoker.builtin.ocr" in (pipelines.show("scan").get("lastEvent") or ""))
