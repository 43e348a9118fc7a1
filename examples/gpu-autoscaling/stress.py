#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""usage: stress.py CLUSTER SERVICE BUCKET FILE

Puts load on a service, as clients would: FILE has the load of all clients, in percent of one GPU, and the service's tasks
share it. 210 keeps one GPU at 100 %, two as well, and three at 70 %. The file may be changed at any time.

The share of a task goes to the object `share` of the bucket, and as utilization to the simulated GPUs of the tasks
(below $STOKER_DATA/instances, see docs/simulated-gpus.md), if there are any.
"""
import contextlib
import json
import os
import pathlib
import sys
import time

import boto3

cluster, service, bucket, file = sys.argv[1:]
instances = pathlib.Path(os.environ.get("STOKER_DATA", pathlib.Path.home() / ".stoker"), "instances")
ecs, s3 = (boto3.client(name, endpoint_url=os.environ.get("AWS_ENDPOINT_URL")) for name in ("ecs", "s3"))


def busy_gpus():
    """The GPUs of the service's running tasks."""
    arns = ecs.list_tasks(cluster=cluster, serviceName=service)["taskArns"]
    tasks = ecs.describe_tasks(cluster=cluster, tasks=arns)["tasks"] if arns else []
    return [gpu for task in tasks if task["lastStatus"] == "RUNNING"
            for container in task["containers"] for gpu in container.get("gpuIds", [])]


def simulate(gpus, percent):
    """Each machine's gpus.json, whole at every moment. GPUs of other machines in it are ignored."""
    text = json.dumps({gpu: {"utilization": round(percent)} for gpu in gpus})
    for smi in instances.glob("*/agent/gpus/bin/nvidia-smi"):
        script = smi.parents[1] / "gpus.json"
        with contextlib.suppress(FileNotFoundError):  # a machine that ends
            if not script.exists() or script.read_text() != text:
                new = script.with_suffix(".new")
                new.write_text(text)
                new.rename(script)


before = None
while True:
    gpus = busy_gpus()
    load = float(pathlib.Path(file).read_text())
    percent = min(100, load / max(1, len(gpus)))
    if percent != before:
        s3.put_object(Bucket=bucket, Key="share", Body=f"{percent}")
        print(f"load {load:.0f} %, {len(gpus)} GPUs: {percent:.0f} % each", flush=True)
    before = percent
    simulate(gpus, percent)
    time.sleep(1)
