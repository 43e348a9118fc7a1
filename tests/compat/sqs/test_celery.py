# SPDX-License-Identifier: Apache-2.0
"""Celery's SQS transport: tasks that a real worker process executes."""
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from support.queues import unique_name
from support.waiting import eventually

pytest.importorskip("celery")
pytest.importorskip("kombu")
pytest.importorskip("pycurl")

HERE = pathlib.Path(__file__).parent
SEND = (
    "import celery_app as c\n"
    "for i in range(5): c.add.delay(i, i)\n"
    "c.second_try.delay()\n"
)


@pytest.fixture
def environment(server, tmp_path):
    key = server.root_key
    return {
        **os.environ,
        "AWS_ENDPOINT_URL": server.endpoint,
        "AWS_ACCESS_KEY_ID": key.id,
        "AWS_SECRET_ACCESS_KEY": key.secret,
        "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        "TASK_QUEUE": unique_name(),
        "TASK_RESULTS": str(tmp_path),
    }


@pytest.fixture
def worker(environment, tmp_path):
    command = [sys.executable, "-m", "celery", "-A", "celery_app", "worker", "--pool", "solo", "--loglevel", "info"]
    with open(tmp_path / "worker.log", "wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=log, stderr=log)
    yield process
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def test_tasks_are_executed_once_each(sqs, environment, worker, tmp_path):
    subprocess.run([sys.executable, "-c", SEND], env=environment, cwd=tmp_path, check=True, timeout=300)
    wanted = {f"{i}+{i}": str(2 * i) for i in range(5)} | {"second_try": "done"}

    def results():
        assert worker.poll() is None, (tmp_path / "worker.log").read_text()
        return {path.name: path.read_text() for path in tmp_path.iterdir() if path.name in wanted} == wanted

    eventually(results)
    url = sqs.get_queue_url(QueueName=environment["TASK_QUEUE"])["QueueUrl"]
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]

    def empty():
        shown = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return set(shown.values()) == {"0"}

    eventually(empty)
