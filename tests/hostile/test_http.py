# SPDX-License-Identifier: Apache-2.0
"""Invalid HTTP, requests that are too large, and slow clients."""
import random
import socket

import pytest

from expect import refused, plain_rejection
from support.polls import start_poll
from support.raw import Connection, request_bytes

HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
SQS_LIMIT = 4 << 20

GARBAGE = [
    b"\x00",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a TLS client
    b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET /\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    b"GET / HTTP/2.0\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTPS/1.1\r\nHost: x\r\n\r\n",
    b"GET  /  HTTP/1.1\r\nHost: x\r\n\r\n",
    b" GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
    b"GET / HTTP/1.1\r\n: x\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost : x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHo\x00st: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\x00y\r\n\r\n",
    b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",  # a folded header
    b"GET / HTTP/1.1\r\nHost: x\r\n\tA: b\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",  # no Host
    b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\nab",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x10\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: words\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;" + b"e" * 20_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nExpect: something\r\n\r\n",
]


@pytest.mark.parametrize("data", GARBAGE, ids=lambda data: repr(data[:40]))
def test_an_invalid_request_is_rejected(server, data):
    with Connection(server.port) as connection:
        connection.send(data)
        connection.socket.shutdown(socket.SHUT_WR)
        plain_rejection(connection.read_answer())
        assert connection.closed()


def test_random_bytes_are_rejected(server):
    chance = random.Random(20260101)
    for _ in range(200):
        with Connection(server.port) as connection:
            connection.send(bytes(chance.randrange(256) for _ in range(chance.randrange(1, 400))) + b"\r\n\r\n")
            connection.socket.shutdown(socket.SHUT_WR)
            plain_rejection(connection.read_answer())


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
def test_an_incomplete_request_does_no_harm(caller, server, url, cut):
    data = caller.json_bytes("SendMessage", {"QueueUrl": url, "MessageBody": "never whole" * 100})
    with Connection(server.port) as connection:
        connection.send(data[: int(len(data) * cut)])
        connection.socket.shutdown(socket.SHUT_WR)
        answer = connection.read_answer()
        assert answer is None or 400 <= answer.status < 500, answer
    got = caller.json("ReceiveMessage", {"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}).json
    assert not any("never whole" in message["Body"] for message in got.get("Messages", []))


def test_a_half_closed_client_gets_its_response(caller, server):
    with Connection(server.port) as connection:
        connection.send(caller.json_bytes("ListQueues", {}))
        connection.socket.shutdown(socket.SHUT_WR)
        answer = connection.read_answer()
        assert answer is not None and answer.status == 200, answer


def test_a_client_that_disconnects_early_does_no_harm(caller, server, url):
    for _ in range(20):
        connection = Connection(server.port)
        connection.send(caller.json_bytes("ReceiveMessage", {"QueueUrl": url, "WaitTimeSeconds": 20}))
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.socket.close()


def test_a_message_is_not_lost_to_a_client_that_has_gone(caller, server):
    for number in range(5):
        with Connection(server.port) as connection:
            url = start_poll(caller, connection, f"gone-clients-{number}")
        caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "for the living"})
        got = caller.json("ReceiveMessage", {"QueueUrl": url, "WaitTimeSeconds": 20}).json
        assert [message["Body"] for message in got.get("Messages", [])] == ["for the living"]


def head_of(size):
    return b"GET / HTTP/1.1\r\nHost: x\r\nBig: " + b"b" * size + b"\r\n\r\n"


@pytest.mark.parametrize("size", [70_000, 1_000_000, 20_000_000])
def test_a_head_that_is_too_large_is_rejected(server, size):
    with Connection(server.port) as connection:
        connection.send(head_of(size))
        plain_rejection(connection.read_answer(), 431, 400, None)


def test_ten_thousand_headers(server):
    with Connection(server.port) as connection:
        connection.send(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"H%d: v\r\n" % i for i in range(10_000)) + b"\r\n")
        plain_rejection(connection.read_answer(), 431, 400)


def test_many_headers_do_no_harm(server):
    with Connection(server.port) as connection:
        answer = connection.exchange(b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"A:b\r\n" * 10_000 + b"\r\n")
        assert answer.status == 200 or 400 <= answer.status < 500


def test_an_endless_head_is_rejected(server):
    with Connection(server.port) as connection:
        for _ in range(1000):
            if not connection.send(b"Endless: " + b"x" * 1000 + b"\r\n"):
                break
        plain_rejection(connection.read_answer(), 431, 400, None)


def test_a_content_length_that_is_too_large_is_rejected(caller, server):
    for data in (caller.json_bytes("ListQueues", {}), caller.query_bytes({"Action": "ListQueues"})):
        head = data.split(b"\r\n\r\n")[0]
        length = head.index(b"Content-Length")
        with Connection(server.port) as connection:
            connection.send(head[:length] + b"Content-Length: %d\r\n\r\n" % (SQS_LIMIT + 1))
            answer = connection.read_answer()
            refused(answer, ("RequestEntityTooLargeException", "RequestEntityTooLarge"), 413)


@pytest.mark.parametrize("promised", [10**12, 2**63 - 1])
def test_an_absurd_content_length_is_rejected(server, promised):
    """An unsigned request is rejected before its body is read."""
    with Connection(server.port) as connection:
        connection.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % promised)
        refused(connection.read_answer(), "MissingAuthenticationToken", 403)


def test_a_body_that_is_too_large_is_rejected(caller, server):
    with Connection(server.port) as connection:
        connection.send(caller.json_bytes("SendMessage", b'{"MessageBody":"' + b"x" * SQS_LIMIT + b'"}'))
        answer = connection.read_answer()
        refused(answer, "RequestEntityTooLargeException", 413)


def test_endless_chunks_are_rejected(caller, server):
    with Connection(server.port) as connection:
        connection.send(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        for _ in range(200):
            if not connection.send(chunk):
                break
        refused(connection.read_answer(), "MissingAuthenticationToken", 403)


def chunked(caller, pieces):
    data = caller.json_bytes("ListQueues", b"".join(pieces))
    head = data.split(b"\r\n\r\n")[0]
    head = head[: head.index(b"Content-Length")] + b"Transfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def test_a_body_in_chunks_of_one_byte(caller, send):
    body = b'{"QueueNamePrefix":"none"}'
    answer = send(chunked(caller, [body[i : i + 1] for i in range(len(body))]))
    assert answer.status == 200, answer


def test_pipelined_requests_are_answered_in_order(caller, server):
    with Connection(server.port) as connection:
        connection.send(HEALTH + caller.json_bytes("ListQueues", {}) + HEALTH + caller.json_bytes("Nothing", {}))
        answers = [connection.read_answer() for _ in range(4)]
        assert [answer.status for answer in answers[:3]] == [200, 200, 200]
        refused(answers[3], "UnknownOperationException")


def test_garbage_after_a_request_ends_the_connection(caller, server):
    with Connection(server.port) as connection:
        connection.send(HEALTH + b"\x00\x01garbage\r\n\r\n" + HEALTH)
        assert connection.read_answer().status == 200
        plain_rejection(connection.read_answer())
        assert connection.closed()


def test_a_smuggled_request_is_not_served(server):
    hidden = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
    with Connection(server.port) as connection:
        lengths = b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" % (5 + len(hidden))
        connection.send(b"POST /health HTTP/1.1\r\nHost: x\r\n" + lengths + hidden)
        connection.socket.shutdown(socket.SHUT_WR)
        plain_rejection(connection.read_answer())
        assert connection.read_answer() is None


def test_many_pipelined_requests(server):
    with Connection(server.port) as connection:
        connection.send(HEALTH * 500)
        assert all(connection.read_answer().status == 200 for _ in range(500))


def test_slow_clients_do_not_block_others(caller, server):
    """A short Slowloris attack: heads that never end."""
    slow = [Connection(server.port) for _ in range(200)]
    try:
        for round_number in range(5):
            for connection in slow:
                connection.send(b"GET / HTTP/1.1\r\nX: "[round_number * 4 : round_number * 4 + 4])
            assert caller.json("ListQueues", {}).status == 200
    finally:
        for connection in slow:
            connection.socket.close()


def test_a_head_that_arrives_too_slowly_times_out(server):
    with Connection(server.port) as connection:
        connection.send(b"GET / HTTP/1.1\r\n")
        plain_rejection(connection.read_answer(), 408, None)
        assert connection.closed()


def test_a_header_is_not_taken_from_a_trailer(caller, server):
    data = chunked(caller, [b"{}"])
    with Connection(server.port) as connection:
        answer = connection.exchange(data[:-2] + b"X-Amz-Target: AmazonSQS.PurgeQueue\r\n\r\n")
        assert answer.status == 200 or refused(answer)


@pytest.mark.parametrize("host", ["", "a b", "evil.example\\", "'\"<>", "x" * 10_000, "[::1", "é"])
def test_an_odd_host_does_no_harm(server, host):
    with Connection(server.port) as connection:
        connection.send(request_bytes("GET", "/health", {"Host": host, "Connection": "close"}))
        answer = connection.read_answer()
        assert answer is None or answer.status == 200 or 400 <= answer.status < 500
