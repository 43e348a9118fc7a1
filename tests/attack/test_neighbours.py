# SPDX-License-Identifier: Apache-2.0
"""While one account does its worst, another one is served."""
import base64
import contextlib
import hashlib
import os
import sqlite3
import threading
import time

import pytest

from support.raw import Caller, Connection
from support.s3_raw import S3Caller
from support.server import Server, create_key
from support.waiting import eventually

ECS = "AmazonEC2ContainerServiceV20141113"


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def noisy(server):
    return create_key(server.data, "111111111111")


@pytest.fixture(scope="module")
def quiet(server):
    return worker(server)


def worker(server):
    """A function that sends and receives as the other account."""
    caller = Caller(server, create_key(server.data, "222222222222"))
    url = caller.json("CreateQueue", {"QueueName": "quiet"}).json["QueueUrl"]

    def work():
        for i in range(10):
            assert caller.json("SendMessage", {"QueueUrl": url, "MessageBody": str(i)}).status == 200
        received = 0
        while received < 10:
            answer = caller.json("ReceiveMessage", {"QueueUrl": url, "MaxNumberOfMessages": 10, "WaitTimeSeconds": 5})
            received += len(answer.json.get("Messages", []))

    return work


class Flood:
    """Sends one request again and again on several connections until it ends."""

    def __init__(self, server, request, connections=4):
        self.port, self.request, self.statuses, self.ends = server.port, request, [], threading.Event()
        self.threads = [threading.Thread(target=self._run) for _ in range(connections)]

    def _run(self):
        with Connection(self.port) as connection:
            while not self.ends.is_set():
                self.statuses.append(connection.exchange(self.request).status)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def test_sends_of_another_account(server, noisy, quiet):
    caller = Caller(server, noisy)
    url = caller.json("CreateQueue", {"QueueName": "noisy"}).json["QueueUrl"]
    with Flood(server, caller.json_bytes("SendMessage", {"QueueUrl": url, "MessageBody": "x"}), 16) as flood:
        quiet()
    assert set(flood.statuses) == {200}


def test_a_hostile_expression(server, noisy, quiet):
    caller = Caller(server, noisy)

    def ecs(operation, members):
        headers = {"Content-Type": "application/x-amz-json-1.1"}
        return caller.json_bytes(operation, members, scope=caller.scope("ecs"), target=ECS, headers=headers)

    resources = [{"name": name, "type": "INTEGER", "integerValue": 1024} for name in ("CPU", "MEMORY")]
    with Connection(server.port) as connection:
        assert connection.exchange(ecs("CreateCluster", {"clusterName": "c"})).status == 200
        machine = {"cluster": "c", "totalResources": resources, "attributes": [{"name": "kind", "value": "a" * 120}]}
        assert connection.exchange(ecs("RegisterContainerInstance", machine)).status == 200
    hostile = {"cluster": "c", "filter": "attribute:kind =~ '([a-z]+)*!'"}
    with Flood(server, ecs("ListContainerInstances", hostile)) as flood:
        quiet()
    assert set(flood.statuses) == {200}


def test_deletions_of_a_thousand_keys(server, noisy, quiet):
    s3 = S3Caller(server, noisy)
    assert s3.call("PUT", "/noisy-versions").status == 200
    enabled = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    assert s3.call("PUT", "/noisy-versions?versioning=", enabled).status == 200
    body = ("<Delete>" + "".join(f"<Object><Key>k{i}</Key></Object>" for i in range(1000)) + "</Delete>").encode()
    digest = base64.b64encode(hashlib.md5(body).digest()).decode()
    request = s3.bytes("POST", "/noisy-versions?delete=", body, headers={"Content-MD5": digest})
    with Connection(server.port) as connection:
        answer = connection.exchange(request)
    # Sliced, and one answer in the order of the request.
    keys = [part.split(b"<")[0] for part in answer.body.split(b"<Key>")[1:]]
    assert keys == [b"k%d" % i for i in range(1000)]
    with Flood(server, request, 2) as flood:
        quiet()
    assert set(flood.statuses) == {200}


def fill(server, url, count):
    """Puts so many messages into a queue of a stopped server: by requests that would take minutes."""
    with contextlib.closing(sqlite3.connect(server.data / "stoker.db")) as database, database:
        (lot,) = database.execute("SELECT lot FROM sqs_queues WHERE name = ?", (url.rsplit("/", 1)[1],)).fetchone()
        database.execute(
            "INSERT INTO sqs_messages (lot, visible_at, receive_count, sent_at, receipt, message_id, sender, body)"
            " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
            " SELECT ?2, ?3, 0, ?3, 0, '', '', '' FROM n",
            (count, lot, int(time.time() * 1000)),
        )


@pytest.mark.skipif(bool(os.environ.get("STOKER_TEST_STORE")), reason="changes SQLite's file")
def test_counts_of_a_large_queue():
    """They are kept for a moment: at this length, for 0.3 s."""
    messages = 300_000
    with Server() as server:
        caller = Caller(server, create_key(server.data, "111111111111"))
        url = caller.json("CreateQueue", {"QueueName": "deep"}).json["QueueUrl"]
        server.stop()
        fill(server, url, messages)
        server.start()
        caller = Caller(server, caller.key)
        request = {"QueueUrl": url, "AttributeNames": ["ApproximateNumberOfMessages"]}
        with Connection(server.port) as connection:

            def count():
                answer = connection.exchange(caller.json_bytes("GetQueueAttributes", request))
                return int(answer.json["Attributes"]["ApproximateNumberOfMessages"])

            def count_that_was_kept():
                before = count()
                sent = caller.json_bytes("SendMessage", {"QueueUrl": url, "MessageBody": "one more"})
                assert connection.exchange(sent).status == 200
                return count() == before

            assert count() == messages
            eventually(count_that_was_kept)
        with Flood(server, caller.json_bytes("GetQueueAttributes", request)) as flood:
            worker(server)()
        assert set(flood.statuses) == {200}
