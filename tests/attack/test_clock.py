# SPDX-License-Identifier: Apache-2.0
"""A start with a clock that is earlier than at the last stop. The time that the last server recorded is moved forward,
which is the same for the server."""
import contextlib
import os
import sqlite3
import time

import pytest

from support.raw import Caller
from support.s3_raw import S3Caller
from support.server import Server
from support.waiting import eventually

HOUR = 3600 * 1000

pytestmark = pytest.mark.skipif(bool(os.environ.get("STOKER_TEST_STORE")), reason="changes SQLite's file")


def done(answer):
    assert answer is not None and answer.status == 200, answer
    return answer


def database(server):
    return contextlib.closing(sqlite3.connect(server.data / "stoker.db"))


def recorded(server):
    with database(server) as rows:
        return rows.execute("SELECT at FROM server_clock").fetchone()


@pytest.fixture
def server(tmp_path):
    running = Server(data=tmp_path / "data").start()
    eventually(lambda: recorded(running))
    yield running
    running.remove()


def restart_later(server, milliseconds, *changes):
    """As if the last server's clock had been ahead by this time."""
    server.stop()
    with database(server) as rows, rows:
        rows.execute("UPDATE server_clock SET at = at + ?", (milliseconds,))
        for change in changes:
            rows.execute(change, (milliseconds,))
    server.start()


def receive(caller, url):
    members = {"QueueUrl": url, "MaxNumberOfMessages": 10, "AttributeNames": ["SentTimestamp"]}
    return {message["Body"]: int(message["Attributes"]["SentTimestamp"])
            for message in done(caller.json("ReceiveMessage", members)).json.get("Messages", [])}


def test_two_hours_earlier_the_server_continues_from_its_last_time(server):
    caller = Caller(server)
    url = done(caller.json("CreateQueue", {"QueueName": "q"})).json["QueueUrl"]
    done(caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "before"}))
    before = recorded(server)[0]
    restart_later(server, 2 * HOUR, "UPDATE sqs_messages SET sent_at = sent_at + ?1, visible_at = visible_at + ?1")
    assert "the clock is earlier than at the last stop" in server.log.read_text()
    caller = Caller(server)  # its signatures have the machine's time
    done(caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "after"}))
    found = receive(caller, url)
    assert set(found) == {"before", "after"}
    assert found["after"] >= before + 2 * HOUR
    assert found["after"] > time.time() * 1000 + HOUR
    done(S3Caller(server).call("PUT", "/bucket"))
    restart_later(server, 0)
    done(Caller(server).json("SendMessage", {"QueueUrl": url, "MessageBody": "again"}))
    assert receive(Caller(server), url)["again"] >= found["after"], "it never goes back"
    server.stop()


@pytest.mark.parametrize("hours", [26, 30 * 24])
def test_more_than_a_day_earlier_hidden_messages_become_visible(server, hours):
    caller = Caller(server)
    url = done(caller.json("CreateQueue", {"QueueName": "q"})).json["QueueUrl"]
    done(caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "before"}))
    restart_later(server, hours * HOUR, "UPDATE sqs_messages SET sent_at = sent_at + ?1, visible_at = visible_at + ?1")
    assert "more than a day earlier" in server.log.read_text()
    caller = Caller(server)
    done(caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "after"}))
    found = receive(caller, url)
    assert set(found) == {"before", "after"}
    assert found["after"] < time.time() * 1000 + HOUR
    server.stop()
