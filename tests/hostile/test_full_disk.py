# SPDX-License-Identifier: Apache-2.0
"""A full disk: nothing acknowledged is lost, and the server continues when there is space again."""
import os
import pathlib
import shutil
import subprocess

import pytest

from support.raw import Caller, Connection
from support.server import Server

BODY = "x" * 50_000


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", disk], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.fixture
def crowded(small_disk):
    """A server on a small disk that another file nearly fills."""
    other = small_disk / "other"
    other.write_bytes(b"\0" * (14 << 20))
    server = Server(data=small_disk / "data").start()
    yield server, other
    server.remove()


def fill(caller, url):
    """Sends until the disk is full; returns the acknowledged ids and the error."""
    acknowledged = []
    with Connection(caller.port) as connection:
        for i in range(1000):
            members = {"QueueUrl": url, "MessageBody": f"{i}:{BODY}"}
            answer = connection.exchange(caller.json_bytes("SendMessage", members))
            assert answer is not None, "the connection broke"
            if answer.status != 200:
                return acknowledged, answer
            acknowledged.append((answer.json["MessageId"], i))
    raise AssertionError("50 MB went on a disk of 24")


def drain(caller, url):
    found, empty = [], 0
    with Connection(caller.port) as connection:
        ask = {"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 600}
        for _ in range(1000):
            answer = connection.exchange(caller.json_bytes("ReceiveMessage", ask))
            assert answer.status == 200, answer
            messages = answer.json.get("Messages", [])
            found += [(message["MessageId"], int(message["Body"].split(":")[0])) for message in messages]
            empty = 0 if messages else empty + 1
            if empty == 2:
                return found
    raise AssertionError("there is no end of messages")


def test_a_full_disk_is_reported_and_survived(crowded):
    server, other = crowded
    caller = Caller(server)
    url = caller.json("CreateQueue", {"QueueName": "full"}).json["QueueUrl"]
    acknowledged, refusal = fill(caller, url)
    assert len(acknowledged) > 10
    assert refusal.status == 503 and refusal.code == "ServiceUnavailableException", refusal
    assert "disk" in refusal.message and "full" in refusal.message
    answer = caller.query({"Action": "SendMessage", "QueueUrl": url, "MessageBody": "0:" + BODY})
    assert answer.status == 503 and b"<Code>ServiceUnavailable</Code>" in answer.body
    assert caller.json("ListQueues", {}).status == 200  # reading needs no space
    assert server.alive

    pathlib.Path(other).unlink()
    after = caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "9999:again"})
    assert after.status == 200, after
    wanted = sorted([*acknowledged, (after.json["MessageId"], 9999)])
    assert sorted(drain(caller, url)) == wanted
    server.stop()


def test_a_full_disk_and_a_kill_lose_nothing(crowded):
    server, other = crowded
    caller = Caller(server)
    url = caller.json("CreateQueue", {"QueueName": "full"}).json["QueueUrl"]
    acknowledged, _ = fill(caller, url)
    server.kill()
    pathlib.Path(other).unlink()
    server.start()
    assert sorted(drain(Caller(server), url)) == sorted(acknowledged)
    server.stop()


def test_starting_on_a_full_disk_reports_it(small_disk):
    (small_disk / "other").write_bytes(b"")
    with open(small_disk / "other", "wb") as other:
        try:
            for _ in range(100):
                other.write(b"\0" * (1 << 20))
        except OSError:
            pass
    server = Server(data=small_disk / "data")
    try:
        with pytest.raises(AssertionError) as caught:
            server.start()
        assert "space" in str(caught.value) or "full" in str(caught.value), caught.value
        lines = server.log.read_text().strip().splitlines()
        assert len(lines) == 1 and lines[0].startswith("stoker: "), lines
    finally:
        server.remove()
