# SPDX-License-Identifier: Apache-2.0
"""One client must not take the connections or the memory of the others."""
import re
import socket

import pytest

from support import polls
from support.raw import Caller, Connection, exchange, request_bytes
from support.s3_raw import S3Caller
from support.server import Key, Server, create_key
from support.waiting import PATIENCE_SECONDS, eventually

HEALTH = request_bytes("GET", "/health", {"Host": "localhost"})
HEALTH_BEGIN, HEALTH_END = HEALTH[:-2], HEALTH[-2:]
OTHER_ADDRESS = "127.0.0.2"


class OtherAddress(Connection):
    """A connection from another address of this machine."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS, (OTHER_ADDRESS, 0))
        self.buffer = b""


@pytest.fixture
def start():
    """start(*arguments) -> a server; all end with the test."""
    running = []

    def start_one(*arguments):
        running.append(Server(arguments=arguments).start())
        return running[-1]

    yield start_one
    for server in running:
        try:
            server.stop()
        finally:
            server.remove()


def metrics(server, headers=None):
    with OtherAddress(server.port) as connection:
        fields = {"Host": "localhost", "Connection": "close", **(headers or {})}
        return connection.exchange(request_bytes("GET", "/metrics", fields))


def metric(server, name):
    """The value of one line: 'stoker_connections{kind="agent"}'."""
    found = re.search(rf"^{re.escape(name)} (\S+)$", metrics(server).body.decode(), re.MULTILINE)
    return float(found.group(1)) if found else None


def renew(held):
    """Ends the request of each and begins its next one: without a key, a silent connection ends soon."""
    for one in held:
        assert one.exchange(HEALTH_END).status == 200
        one.send(HEALTH_BEGIN)


def memory_mib(server):
    for line in open(f"/proc/{server.process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("no VmRSS")


def test_an_address_without_a_key_gets_a_share_of_the_connections(start):
    server = start("--max-connections", "120", "--max-connections-per-address", "8")
    caller = Caller(server)
    with Connection(server.port) as known:
        assert known.exchange(caller.json_bytes("ListQueues", {})).status == 200
        held = [Connection(server.port) for _ in range(8)]
        for one in held:
            one.send(HEALTH_BEGIN)
        renew(held)
        with Connection(server.port) as refused:
            assert refused.read_answer().status == 503
        # Whoever has shown a key, another address and the unix socket are served.
        assert known.exchange(caller.json_bytes("ListQueues", {})).status == 200
        with OtherAddress(server.port) as other:
            assert other.exchange(caller.json_bytes("ListQueues", {})).status == 200
        create_key(server.data, "222222222222")
        eventually(lambda: metric(server, 'stoker_connections_refused_total{reason="address"}') == 1)
        eventually(lambda: metric(server, 'stoker_connections{kind="client"}') == 1)
        for one in held:
            one.socket.close()
    # Until the server has noticed that they left, it rejects the connection, with a response or without.
    eventually(lambda: (lambda answer: answer and answer.status == 200)(exchange(server.port, HEALTH)))


def test_an_account_gets_a_share_of_the_connections(start):
    server = start("--max-connections-per-account", "5")
    # A key of an account of its own: the command line uses the root key's.
    greedy = Caller(server, create_key(server.data, "111111111111"))
    other = Caller(server, create_key(server.data, "222222222222"))
    held = [Connection(server.port) for _ in range(5)]
    for one in held:
        assert one.exchange(greedy.json_bytes("ListQueues", {})).status == 200
    with Connection(server.port) as sixth:
        refused = sixth.exchange(greedy.json_bytes("ListQueues", {}))
        assert (refused.status, refused.code) == (400, "ThrottlingException")
        assert sixth.closed()
    with Connection(server.port) as sixth:
        refused = sixth.exchange(S3Caller(server, greedy.key).bytes("GET", "/"))
        assert (refused.status, refused.code) == (503, "SlowDown")
    assert other.json("ListQueues", {}).status == 200
    assert held[0].exchange(greedy.json_bytes("ListQueues", {})).status == 200
    eventually(lambda: metric(server, 'stoker_connections_refused_total{reason="account"}') == 2)
    for one in held:
        one.socket.close()


def forged(server, size, headers=None):
    """A request of `size` bytes with the id of a real key and a wrong secret."""
    key = server.root_key
    caller = Caller(server, Key(key.id, "a wrong secret"))
    return caller.json_bytes("ListQueues", b"x" * size, headers=headers)


def test_unverified_bodies_share_one_budget(start):
    server = start("--max-unverified-bodies", "1")
    whole = forged(server, 200000)
    with Connection(server.port) as first, Connection(server.port) as second, OtherAddress(server.port) as third:
        first.send(whole[:-100])
        rest = iter(whole[-100:-1])  # a byte before each step: it never ends, and does not stop for long
        first.send(bytes([next(rest)]))
        eventually(lambda: metric(server, "stoker_unverified_body_bytes"))
        first.send(bytes([next(rest)]))
        refused = second.exchange(whole)
        assert (refused.status, refused.code) == (503, "ServiceUnavailableException")
        # Another address has a share of its own, and short requests need none.
        first.send(bytes([next(rest)]))
        assert third.exchange(whole).code == "InvalidSignatureException"
        assert Caller(server).json("ListQueues", {}).status == 200
        waits = forged(server, 200000, {"Expect": "100-continue"})
        first.send(bytes([next(rest)]))
        with Connection(server.port) as waiting:
            waiting.send(waits[:waits.index(b"\r\n\r\n") + 4])
            assert waiting.read_until(b"\r\n").startswith(b"HTTP/1.1 503 ")
    eventually(lambda: metric(server, "stoker_bodies_refused_total") == 2)
    eventually(lambda: metric(server, "stoker_unverified_body_bytes") == 0)
    assert exchange(server.port, whole).code == "InvalidSignatureException"


def test_listings_that_nobody_reads_do_not_stop_others(start):
    server = start()
    s3, other = S3Caller(server), Caller(server, create_key(server.data, "222222222222"))
    assert s3.call("PUT", "/bucket").status == 200
    for i in range(50):
        assert s3.call("PUT", f"/bucket/{i:0500}", b"x").status == 200
    url = other.json("CreateQueue", {"QueueName": "q"}).json["QueueUrl"]
    listing = s3.bytes("GET", "/bucket?list-type=2")
    held = []
    for _ in range(20):
        connection = Connection(server.port)
        connection.socket.setblocking(False)
        for _ in range(300):
            try:
                connection.socket.send(listing)
            except BlockingIOError:
                break
        held.append(connection)
    sent = [other.json("SendMessage", {"QueueUrl": url, "MessageBody": str(i)}).status for i in range(30)]
    assert sent == [200] * 30
    eventually(lambda: metric(server, 'stoker_connections{kind="client"}') >= 20)
    for one in held:
        one.socket.close()


def test_responses_that_nobody_reads_share_one_budget(start):
    """Each is 10 MiB. What does not fit the buffers of the sockets stays in the server's memory."""
    server = start("--max-bodies", "64")
    greedy, other = (Caller(server, create_key(server.data, account)) for account in ("111111111111", "222222222222"))

    def large_response(caller):
        url = caller.json("CreateQueue", {"QueueName": "q"}).json["QueueUrl"]
        for _ in range(10):
            assert caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "x" * (1 << 20)}).status == 200
        members = {"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}
        return caller.json_bytes("ReceiveMessage", members)

    receive = large_response(greedy)
    held, status = [], b"200"
    while status == b"200":
        assert len(held) < 20
        held.append(Connection(server.port))
        held[-1].socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        held[-1].send(receive)
        status = held[-1].read_until(b"\r\n").split()[1]  # it is being sent
    assert status == b"503"
    eventually(lambda: metric(server, "stoker_account_bodies_refused_total"))
    assert metric(server, "stoker_account_body_bytes") <= 32 << 20
    assert exchange(server.port, large_response(other)).status == 200
    assert greedy.json("ListQueues", {}).status == 200
    for one in held:
        one.socket.close()
    eventually(lambda: metric(server, "stoker_account_body_bytes") == 0)
    assert exchange(server.port, receive).status == 200


def test_many_long_polls_wait_side_by_side(start):
    server = start()
    caller = Caller(server)
    url = caller.json("CreateQueue", {"QueueName": "q"}).json["QueueUrl"]
    poll = caller.json_bytes("ReceiveMessage", {"QueueUrl": url, "WaitTimeSeconds": 20})
    held = [Connection(server.port) for _ in range(200)]
    for one in held:
        one.send(poll)
    eventually(lambda: metric(server, 'stoker_connections{kind="client"}') == 200)
    for i in range(200):
        assert caller.json("SendMessage", {"QueueUrl": url, "MessageBody": str(i)}).status == 200

    def received(connection):
        """Polls again where the messages took longer than the poll."""
        while not (messages := connection.read_answer().json.get("Messages")):
            connection.send(poll)
        return messages[0]["Body"]

    assert sorted(int(received(one)) for one in held) == list(range(200))
    for one in held:
        one.socket.close()


def test_the_bodies_of_long_polls_are_not_kept(start):
    """24 bodies of 3 MiB would show in the memory."""
    server = start()
    caller = Caller(server)
    held = [Connection(server.port) for _ in range(25)]
    long = {"Unknown": "x" * (3 << 20)}
    polls.start_poll(caller, held[0], "first", **long)
    before = memory_mib(server)
    for number, one in enumerate(held[1:]):
        polls.start_poll(caller, one, f"q{number}", **long)
    assert memory_mib(server) - before < 36
    for one in held:
        one.socket.close()


def test_metrics_can_require_a_token(start, tmp_path):
    token = tmp_path / "token"
    token.write_text("a-token-of-some-length\n")
    server = start("--metrics-token-file", str(token))
    assert metrics(server).status == 401
    assert metrics(server, {"Authorization": "Bearer another-token-of-length"}).status == 401
    assert metrics(server, {"Authorization": "Bearer a-token-of-some-length"}).status == 200
    assert exchange(server.port, HEALTH).status == 200
