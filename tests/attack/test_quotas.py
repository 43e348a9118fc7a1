# SPDX-License-Identifier: Apache-2.0
"""An account that stores as much as it can must not take the disk of the others."""
import json
import re

import pytest

from support.raw import Caller, exchange, request_bytes
from support.s3_raw import S3Caller
from support.server import Server, create_key, run_stoker

GREEDY, OTHER, ROOMY = "111111111111", "222222222222", "333333333333"
QUOTAS = ("--account-max-bytes", "100K", "--account-max-queues", "2", "--account-max-objects", "20", "--account-quota",
          f"{ROOMY}:bytes=unlimited,queues=3")


@pytest.fixture
def server():
    running = Server(arguments=QUOTAS).start()
    yield running
    try:
        running.stop()
    finally:
        running.remove()


def usage(server):
    """{account: its row} of `stoker usage`."""
    shown = json.loads(run_stoker("usage", "--data", server.data, "--json").stdout)
    return {row["account"]: row for row in shown["accounts"]}


def fill(objects):
    """Stores objects until one is rejected. Their number, and the rejection."""
    for number in range(1000):
        answer = objects.call("PUT", f"/full/{number}", b"x" * 10_000)
        if answer.status != 200:
            return number, answer
    raise AssertionError("no limit")


def test_an_account_has_its_quota_of_bytes_and_no_more(server):
    keys = {account: create_key(server.data, account) for account in (GREEDY, OTHER, ROOMY)}
    greedy = S3Caller(server, keys[GREEDY])
    assert greedy.call("PUT", "/full").status == 200
    stored, refused = fill(greedy)
    assert stored == 10
    assert (refused.status, refused.code) == (403, "QuotaExceeded")
    assert refused.message == (f"The account {GREEDY} has reached its quota of bytes: 100000 of 102400 are used; this "
                               "request needs 10000 more.")
    queues = Caller(server, keys[GREEDY])
    url = queues.json("CreateQueue", {"QueueName": "q"}).json["QueueUrl"]
    assert queues.json("SendMessage", {"QueueUrl": url, "MessageBody": "x" * 2000}).status == 200
    rejected = queues.json("SendMessage", {"QueueUrl": url, "MessageBody": "x" * 2000})
    assert (rejected.status, rejected.code) == (403, "OverLimit")
    # The others do not notice, and one account has more.
    other = S3Caller(server, keys[OTHER])
    assert other.call("PUT", "/others").status == 200
    assert other.call("PUT", "/others/k", b"x" * 10_000).status == 200
    roomy = S3Caller(server, keys[ROOMY])
    assert roomy.call("PUT", "/roomy").status == 200
    assert roomy.call("PUT", "/roomy/k", b"x" * 200_000).status == 200
    assert usage(server)[GREEDY] == {"account": GREEDY, "bytes": 102_000, "queues": 1, "objects": 10, "maxBytes": 102_400,
                                     "maxQueues": 2, "maxObjects": 20}
    # What is deleted is free at once, also after a kill.
    server.kill()
    server.start()
    greedy = S3Caller(server, keys[GREEDY])
    assert greedy.call("PUT", "/full/more", b"x" * 10_000).code == "QuotaExceeded"
    assert greedy.call("DELETE", "/full/0").status == 204
    assert greedy.call("PUT", "/full/more", b"x" * 10_000).status == 200
    assert usage(server)[GREEDY]["bytes"] == 102_000


def test_an_account_has_its_quota_of_queues_and_objects(server):
    greedy = Caller(server, create_key(server.data, GREEDY))
    assert [greedy.json("CreateQueue", {"QueueName": name}).status for name in ("a", "b", "a")] == [200, 200, 200]
    refused = greedy.json("CreateQueue", {"QueueName": "c"})
    assert (refused.status, refused.code) == (403, "OverLimit")
    assert "quota of queues: 2 of 2 are used; this request needs 1 more" in refused.message
    roomy = Caller(server, create_key(server.data, ROOMY))
    assert [roomy.json("CreateQueue", {"QueueName": name}).status for name in ("a", "b", "c")] == [200, 200, 200]
    objects = S3Caller(server, greedy.key)
    assert objects.call("PUT", "/small").status == 200
    assert [objects.call("PUT", f"/small/{i}").status for i in range(21)] == [200] * 20 + [403]


def test_a_quota_that_is_not_one_is_rejected_at_the_start(tmp_path):
    done = run_stoker("server", "--data", str(tmp_path / "data"), "--account-quota", "222222222222:files=1")
    assert done.returncode == 2
    assert "--account-quota" in done.stderr and "222222222222:bytes=1T,queues=50" in done.stderr


def test_the_metrics_show_use_and_quota(server):
    objects = S3Caller(server, create_key(server.data, GREEDY))
    assert objects.call("PUT", "/full").status == 200
    assert objects.call("PUT", "/full/k", b"x" * 10).status == 200
    text = exchange(server.port, request_bytes("GET", "/metrics", {"Host": "localhost", "Connection": "close"})).body.decode()
    assert re.search(rf'^stoker_account_usage{{account="{GREEDY}",of="bytes"}} 10$', text, re.MULTILINE), text
    assert re.search(rf'^stoker_account_quota{{account="{GREEDY}",of="bytes"}} 102400$', text, re.MULTILINE), text
