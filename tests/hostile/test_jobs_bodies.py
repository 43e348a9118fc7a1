# SPDX-License-Identifier: Apache-2.0
"""Bodies of the job API: huge, false, slow, and abandoned ones."""
import hashlib
import os

import pytest

from support.job_requests import Jobs, problem, rejected
from support import sigv4
from support.raw import Caller, Connection, exchange, request_bytes
from support.waiting import eventually

GIB = 2**30
MOST = 5 * GIB
FORM = {"Content-Type": "multipart/form-data; boundary=cut"}
FORM_HEAD = b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'


def memory_mib(server):
    for line in open(f"/proc/{server.process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("no VmRSS")


@pytest.fixture(autouse=True)
def nothing_left_behind(server):
    """No incomplete upload remains on the disk."""
    yield
    incoming = server.data / "objects" / "incoming"
    eventually(lambda: not list(incoming.iterdir()))


@pytest.fixture(params=["bearer", "signed"])
def either(request, server, jobs):
    return Jobs(server, jobs.pipeline, jobs.secret if request.param == "bearer" else None)


@pytest.mark.parametrize("length", [MOST + 1, 10**13, 2**63 - 1])
def test_more_than_the_limit_is_rejected_before_it_is_sent(jobs, server, no_new_job, length):
    with Connection(server.port) as connection:
        connection.send(jobs.bytes("POST", jobs.path, length=length))
        problem(connection.read_answer(), 413)


@pytest.mark.parametrize("fields, status", [({}, 413), ({"Authorization": "Bearer stk_wrong"}, 401)], ids=["too large", "wrong key"])
def test_more_than_five_gib_that_are_sent_after_a_rejection_are_not_held(jobs, server, no_new_job, fields, status):
    """As much of it as the server still reads."""
    before, piece, left = memory_mib(server), b"x" * 2**20, MOST + 1
    with Connection(server.port) as connection:
        connection.send(jobs.bytes("POST", jobs.path, headers=fields, length=left))
        problem(connection.read_answer(), status)
        while left > 0 and connection.send(piece[:left]):
            left -= len(piece)
    assert memory_mib(server) - before < 200


@pytest.mark.parametrize("length", ["-1", "words", "", "1e3", "0x10", "99999999999999999999999", "5, 6"])
def test_an_invalid_length_is_rejected(jobs, no_new_job, length):
    fields = {**jobs.fields("POST", jobs.path), "Content-Length": length}
    rejected(exchange(jobs.port, request_bytes("POST", jobs.path, fields, b"hello")))


@pytest.mark.parametrize("sent", [0, 1, 100_000, 20_000_000])
@pytest.mark.parametrize("is_form", [False, True], ids=["raw", "form"])
def test_five_gib_that_are_announced_and_abandoned_leave_nothing(jobs, server, no_new_job, sent, is_form):
    before = memory_mib(server)
    with Connection(server.port) as connection:
        connection.send(jobs.bytes("POST", jobs.path, headers=FORM if is_form else None, length=MOST))
        connection.send((FORM_HEAD if is_form else b"") + b"x" * sent)
    assert memory_mib(server) - before < 200


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
def test_a_long_body_is_stored_whole_and_not_held_in_memory(jobs, server, chunked):
    """256 MiB would show in the memory. (5 GiB were sent by hand: they took 2 MiB.)"""
    size, piece, before = 256 * 2**20, b"x" * 2**20, memory_mib(server)
    fields = {**jobs.fields("POST", jobs.path), **({"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(size)})}
    with Connection(server.port) as connection:
        connection.send(request_bytes("POST", jobs.path, fields))
        for _ in range(size // len(piece)):
            assert connection.send(b"100000\r\n" + piece + b"\r\n" if chunked else piece)
        connection.send(b"0\r\n\r\n" if chunked else b"")
        answer = connection.read_answer()
    assert answer.status == 202 and answer.json["input"]["size"] == size, answer
    assert memory_mib(server) - before < 200
    assert jobs.call("POST", f"/jobs/{answer.json['task_id']}/cancel").status == 200


def test_fifty_clients_that_announce_five_gib_do_not_fill_the_memory(jobs, server, no_new_job):
    before = memory_mib(server)
    open_ones = []
    try:
        for _ in range(50):
            connection = Connection(server.port)
            connection.send(jobs.bytes("POST", jobs.path, length=MOST))
            connection.send(b"x" * 200_000)
            open_ones.append(connection)
        assert memory_mib(server) - before < 200
        assert jobs.call("GET", f"/pipelines/{jobs.pipeline}").status == 200  # others are served meanwhile
    finally:
        for connection in open_ones:
            connection.socket.close()


def test_without_a_key_no_byte_of_a_body_is_stored(jobs, server):
    """It is rejected before the body is sent."""
    for fields in ({}, {"Authorization": "Bearer stk_wrong"}):
        with Connection(server.port) as connection:
            head = {"Host": jobs.host, "Content-Length": str(GIB), "Expect": "100-continue", **fields}
            connection.send(request_bytes("POST", jobs.path, head))
            answer = connection.read_until(b"\r\n\r\n")
            assert b" 401 " in answer.split(b"\r\n")[0], answer


def test_a_missing_pipeline_is_reported_before_the_body_is_sent(jobs, server):
    with Connection(server.port) as connection:
        connection.send(jobs.bytes("POST", "/pipelines/absent/jobs", length=GIB, headers={"Expect": "100-continue"}))
        problem(connection.read_answer(), 404)


def test_chunks_without_an_end_are_bounded(jobs, server, no_new_job):
    before = memory_mib(server)
    fields = {**jobs.fields("POST", jobs.path), "Transfer-Encoding": "chunked"}
    with Connection(server.port) as connection:
        connection.send(request_bytes("POST", jobs.path, fields))
        for _ in range(200):
            if not connection.send(b"10000\r\n" + b"x" * 65536 + b"\r\n"):
                break
    assert memory_mib(server) - before < 200


@pytest.mark.parametrize("chunks", [b"zz\r\nx\r\n", b"-1\r\nx\r\n", b"ffffffffffffffffff\r\nx\r\n", b"3\r\nabcd\r\n0\r\n\r\n", b"3;" + b"x" * 100_000])
def test_malformed_chunks_are_rejected(jobs, server, no_new_job, chunks):
    fields = {**jobs.fields("POST", jobs.path), "Transfer-Encoding": "chunked"}
    with Connection(server.port) as connection:
        connection.send(request_bytes("POST", jobs.path, fields) + chunks)
        rejected(connection.read_answer())


def test_both_a_length_and_chunks_are_rejected(jobs, no_new_job):
    fields = {**jobs.fields("POST", jobs.path), "Transfer-Encoding": "chunked", "Content-Length": "5"}
    rejected(exchange(jobs.port, request_bytes("POST", jobs.path, fields, b"0\r\n\r\n")))


@pytest.mark.parametrize("document", [b"", b"{", b"[1,]", b"nul", b'{"a": 1} x', b"\xff", b'"\xed\xa0\x80"', b"[" * 100_000,
                                      b'{"a":' * 50_000, b"NaN", b"{'a': 1}"], ids=lambda text: repr(text[:16]))
def test_a_document_that_is_no_json_is_an_error_or_stored_as_it_is(jobs, document):
    """The server need not parse it: that is the processor's part."""
    answer = jobs.submit(document, headers={"Content-Type": "application/json"})
    if answer.status == 202:
        assert answer.json["input"]["size"] == len(document), answer
    else:
        problem(answer, 400)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "nonsense", "gzip, gzip"])
def test_a_compressed_body_is_stored_as_it_is_or_rejected(jobs, encoding):
    """It is never inflated: a few bytes could be many gigabytes."""
    answer = jobs.submit(b"not compressed", headers={"Content-Encoding": encoding})
    if answer.status == 202:
        assert answer.json["input"]["size"] == 14
    else:
        problem(answer, 400, 415)


def test_another_body_than_the_signed_one_is_no_job(server, jobs, no_new_job):
    caller, body = Caller(server), os.urandom(300_000)
    for wrong in (hashlib.sha256(b"other").hexdigest(), "0" * 64, "nonsense", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"):
        fields = {"Host": jobs.host, "X-Amz-Content-Sha256": wrong}
        fields = sigv4.signed_headers(caller.scope("pipelines"), "POST", jobs.path, fields, body, wrong)
        fields["Content-Length"] = str(len(body))
        rejected(exchange(server.port, request_bytes("POST", jobs.path, fields, body)), 400, 401, 403)


def test_the_same_id_with_other_content_is_a_conflict(either):
    name = "conflict-" + os.urandom(4).hex()
    first = either.submit(b"one", f"id={name}")
    assert first.status == 202, first
    assert either.submit(b"one", f"id={name}").status == 200
    problem(either.submit(b"two", f"id={name}"), 409)
    assert either.call("GET", f"/jobs/{name}").json["input"] == first.json["input"]


def test_a_slow_body_does_not_block_others(jobs, server):
    slow = []
    try:
        for _ in range(50):
            connection = Connection(server.port)
            connection.send(jobs.bytes("POST", jobs.path, length=1_000_000))
            slow.append(connection)
        for _ in range(3):
            for connection in slow:
                connection.send(b"x" * 100)
            assert jobs.submit().status == 202
    finally:
        for connection in slow:
            connection.socket.close()
