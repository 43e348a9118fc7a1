# SPDX-License-Identifier: Apache-2.0
"""Waiting, listening and listing with nonsense, and by very many at once."""
import resource
import select

import pytest

from support.job_requests import problem
from support.raw import Connection
from support.waiting import eventually

LISTENERS = 10_000
TRIES = 3
MOST_GROWTH_MIB = 1024  # 100 KiB each


@pytest.fixture(scope="module")
def job(jobs):
    """A job that is never over."""
    return jobs.submit(query="id=waiting").json["task_id"]


@pytest.mark.parametrize("value", ["wait", "wait=", "wait=-1", "wait=x", "wait=1e9", "wait=99999999999999999999", "wait=0x10", "wait=1.5",
                                   "wait=\xff", "wait=0", "wait=00", "wait; wait", ";;;", "respond-async, wait=0", "wait=0, wait=60", "x" * 20_000],
                         ids=lambda value: value[:30])
def test_nonsense_in_prefer_neither_waits_nor_fails(jobs, job, value):
    """RFC 7240: a preference that is not understood is ignored."""
    for _ in range(TRIES):
        with Connection(jobs.port) as waiting:
            waiting.send(jobs.bytes("GET", f"/jobs/{job}", headers={"Prefer": "wait=60"}))
            answer = jobs.call("GET", f"/jobs/{job}", headers={"Prefer": value})
            assert answer is not None and answer.status in (200, 400, 431), answer
            still_waits = not select.select([waiting.socket], [], [], 0)[0]
        if still_waits:
            return
        # It waited as well, or the machine stood still for a minute.
    raise AssertionError("each answer came after that of a request which waits for 60 seconds")


def test_many_waits_do_not_block_others(jobs, job):
    waiting = []
    try:
        for _ in range(500):
            connection = Connection(jobs.port)
            connection.send(jobs.bytes("GET", f"/jobs/{job}", headers={"Prefer": "wait=60"}))
            waiting.append(connection)
        assert jobs.call("GET", f"/jobs/{job}").status == 200
        assert jobs.submit().status == 202
    finally:
        for connection in waiting:
            connection.socket.close()


@pytest.mark.parametrize("query", [
    "limit=0", "limit=-1", "limit=1001", "limit=x", "limit=", "limit=99999999999999999999", "status=", "status=queued%00", "status=NONE",
    "status=QUEUED&status=FAILED", "created_after=", "created_after=yesterday", "created_after=9999999999999",
    "created_after=2026-99-99T00:00:00Z", "cursor=x", "cursor=%00", "cursor=" + "A" * 10_000, "cursor=AAAA", "cursor=-1",
    "cursor=%27%20OR%201=1", "pipeline=..", "pipeline=%00", "unknown=1", "limit=1&limit=2"], ids=lambda query: query[:40])
def test_invalid_parameters_of_a_list_are_rejected(jobs, query):
    problem(jobs.call("GET", f"/jobs?{query}"), 400, 404)


def test_a_cursor_of_one_pipeline_shows_nothing_of_another(jobs, other_jobs):
    for one in (jobs, other_jobs):
        one.submit(query="id=page-1")
        one.submit(query="id=page-2")
    cursor = jobs.call("GET", "/jobs?limit=1").json["next_cursor"]
    answer = other_jobs.call("GET", f"/jobs?limit=1000&cursor={cursor}")
    if answer.status == 200:
        assert {job["pipeline"] for job in answer.json["jobs"]} <= {other_jobs.pipeline}
    else:
        problem(answer, 400)


@pytest.mark.parametrize("value", ["x", "-1", "", "9" * 18, "9" * 19, "1e3", "\xff", "0", "1, 2", " "], ids=repr)
@pytest.mark.parametrize("path", ["/jobs/waiting/events", "/pipelines/hostile/events"])
def test_nonsense_in_last_event_id_does_no_harm(jobs, job, path, value):
    with Connection(jobs.port) as connection:
        connection.send(jobs.bytes("GET", path, headers={"Last-Event-ID": value}))
        head = connection.read_until(b"\r\n\r\n")
        assert head is not None and head.split(b" ")[1] in (b"200", b"400"), head


def memory_mib(server):
    for line in open(f"/proc/{server.process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("no VmRSS")


def listen(jobs, path):
    """A connection with the status of its answer; None if it was closed."""
    connection = Connection(jobs.port)
    connection.send(jobs.bytes("GET", path))
    return connection


def status_of(connection):
    head = connection.read_until(b"\r\n\r\n")
    return None if head is None else int(head.split(b" ")[1])


def is_refused(connection, statuses):
    """Whether there is an answer other than a stream; then the connection is closed, like any client's."""
    status = status_of(connection)
    connection.buffer = f"HTTP/1.1 {status} seen\r\n\r\n".encode()
    if status == 200:
        return False
    statuses[status] = statuses.get(status, 0) + 1
    connection.socket.close()
    return True


def test_very_many_listeners_are_bounded(jobs, server):
    """Each is served or refused, the server's memory stays within bounds, and all others are served meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(LISTENERS, hard - 1000)
    before = memory_mib(server)
    listeners, statuses = [], {}
    try:
        for i in range(count):
            listeners.append(listen(jobs, f"/pipelines/{jobs.pipeline}/events"))
            if i % 500 == 499:  # beyond the server's limit of connections they are refused at once
                listeners = [one for one in listeners if not is_refused(one, statuses)]
                assert jobs.call("GET", f"/pipelines/{jobs.pipeline}").status == 200
        for connection in listeners:
            status = status_of(connection)
            statuses[status] = statuses.get(status, 0) + 1
        assert statuses.keys() <= {200, 429, 503, None}, statuses
        assert statuses.get(200, 0) > 0, statuses
        assert memory_mib(server) - before < MOST_GROWTH_MIB, statuses
        assert jobs.submit().status == 202  # wakes all of them
        assert jobs.call("GET", f"/pipelines/{jobs.pipeline}").status == 200
    finally:
        for connection in listeners:
            connection.socket.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    # Places of those that left are free again.
    def is_served():
        with listen(jobs, f"/pipelines/{jobs.pipeline}/events") as connection:
            return status_of(connection) == 200
    eventually(is_served)


def test_a_listener_that_does_not_read_does_not_fill_the_memory(jobs, server):
    before = memory_mib(server)
    silent = [listen(jobs, f"/pipelines/{jobs.pipeline}/events") for _ in range(20)]
    try:
        for _ in range(200):
            assert jobs.submit(query="metadata.a=" + "x" * 1000).status == 202
        assert memory_mib(server) - before < 200
    finally:
        for connection in silent:
            connection.socket.close()
