#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much one account's worst slows another down: p50 and p99 of account B, alone and beside account A.

Requests are signed once and sent again and again: the load costs the machine little beside the server.
Usage: STOKER_BIN=build/release/src/stoker bench/neighbours/neighbours_bench.py [--only NAME] [--messages N]
"""
import argparse
import base64
import hashlib
import multiprocessing
import os
import pathlib
import selectors
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
from support.raw import Caller  # noqa: E402
from support.s3_raw import S3Caller  # noqa: E402
from support.server import Server, create_key  # noqa: E402

KEYS, LOG_EVENTS, MACHINES = 20000, 20000, 40


class Reader:
    """The responses of one connection, as they arrive."""

    def __init__(self, connection):
        self.socket, self.buffer = connection, bytearray()

    def ended(self):
        """Reads what is there; the status of the response once it is complete."""
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise ConnectionError("closed")
        self.buffer += piece
        head = self.buffer.find(b"\r\n\r\n")
        if head < 0:
            return None
        length = 0
        for line in bytes(self.buffer[:head]).split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if len(self.buffer) < head + 4 + length:
            return None
        status = int(self.buffer[9:12])
        del self.buffer[:head + 4 + length]
        return status


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), 60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def run_load(port, requests, connections, stop, done):
    """Keeps one request under way on each connection."""
    os.nice(10)
    chooser, turn, statuses = selectors.DefaultSelector(), 0, {}
    for _ in range(connections):
        reader = Reader(connect(port))
        chooser.register(reader.socket, selectors.EVENT_READ, reader)
        reader.socket.sendall(requests[turn % len(requests)])
        turn += 1
    while not stop.is_set():
        for key, _ in chooser.select(0.1):
            status = key.data.ended()
            if status is None:
                continue
            statuses[status] = statuses.get(status, 0) + 1
            key.data.socket.sendall(requests[turn % len(requests)])
            turn += 1
    done.put(statuses)


def leave_unread(port, requests, connections, stop, done):
    """Sends many requests on each connection and never reads."""
    held = []
    for _ in range(connections):
        connection = connect(port)
        connection.setblocking(False)
        try:
            for _ in range(200):
                connection.send(requests[0])
        except BlockingIOError:
            pass
        held.append(connection)
    stop.wait()
    done.put({"unread": len(held)})


class Load:
    """Account A at work, in processes of its own."""

    def __init__(self, port, requests, connections=16, processes=1, body=run_load):
        self.stop, self.done = multiprocessing.Event(), multiprocessing.Queue()
        arguments = (port, requests, connections, self.stop, self.done)
        self.processes = [multiprocessing.Process(target=body, args=arguments, daemon=True) for _ in range(processes)]

    def __enter__(self):
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.statuses = {}
        for process in self.processes:
            for status, count in self.done.get(timeout=60).items():
                self.statuses[status] = self.statuses.get(status, 0) + count
            process.join(60)


def measure(port, request, seconds):
    """The latencies of one request after the other, in ms."""
    reader, latencies = Reader(connect(port)), []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        reader.socket.sendall(request)
        status = None
        while status is None:
            status = reader.ended()
        assert status == 200, status
        latencies.append((time.perf_counter() - began) * 1000)
    reader.socket.close()
    return sorted(latencies)


def at(latencies, share):
    return latencies[min(int(len(latencies) * share), len(latencies) - 1)]


def call(caller, operation, members):
    answer = caller.json(operation, members)
    assert answer.status == 200, answer
    return answer.json


def json_11(caller, service, target, operation, members):
    headers = {"Content-Type": "application/x-amz-json-1.1"}
    return caller.json_bytes(operation, members, scope=caller.scope(service), target=target, headers=headers)


def ecs(caller, operation, members):
    return json_11(caller, "ecs", "AmazonEC2ContainerServiceV20141113", operation, members)


def logs(caller, operation, members):
    return json_11(caller, "logs", "Logs_20140328", operation, members)


def fill(port, requests, count):
    """Sends `count` requests, cyclically, on a few connections."""
    chooser, sent, left = selectors.DefaultSelector(), 0, count
    for _ in range(min(16, count)):
        reader = Reader(connect(port))
        chooser.register(reader.socket, selectors.EVENT_READ, reader)
        reader.socket.sendall(requests[sent % len(requests)])
        sent += 1
    while left:
        for key, _ in chooser.select(60):
            status = key.data.ended()
            if status is None:
                continue
            assert status == 200, status
            left -= 1
            if sent < count:
                key.data.socket.sendall(requests[sent % len(requests)])
                sent += 1
    for key in list(chooser.get_map().values()):
        key.fileobj.close()


class World:
    """What account A has."""

    def __init__(self, server, key, messages):
        self.port, self.a, self.s3 = server.port, Caller(server, key), S3Caller(server, key)
        self.messages = messages
        self.queue = call(self.a, "CreateQueue", {"QueueName": "a"})["QueueUrl"]

    def sends(self):
        body = self.a.json_bytes("SendMessage", {"QueueUrl": self.queue, "MessageBody": "x" * 500})
        return Load(self.port, [body], connections=64, processes=2)

    def counts(self):
        url = call(self.a, "CreateQueue", {"QueueName": "deep"})["QueueUrl"]
        entries = [{"Id": str(i), "MessageBody": "m"} for i in range(10)]
        fill(self.port, [self.a.json_bytes("SendMessageBatch", {"QueueUrl": url, "Entries": entries})], self.messages // 10)
        return Load(self.port, [self.a.json_bytes("GetQueueAttributes", {"QueueUrl": url, "AttributeNames": ["All"]})])

    def bucket(self):
        if self.s3.call("HEAD", "/neighbours").status == 404:
            assert self.s3.call("PUT", "/neighbours").status == 200
            puts = [self.s3.bytes("PUT", f"/neighbours/{i % 100:02}/{i:06}", b"x") for i in range(KEYS)]
            fill(self.port, puts, KEYS)

    def listings(self):
        self.bucket()
        return Load(self.port, [self.s3.bytes("GET", "/neighbours?list-type=2&max-keys=1000"),
                                self.s3.bytes("GET", "/neighbours?delimiter=%2F&list-type=2")])

    def unread(self):
        self.bucket()
        return Load(self.port, [self.s3.bytes("GET", "/neighbours?list-type=2&max-keys=1000")], connections=64,
                    body=leave_unread)

    def deletes(self):
        assert self.s3.call("PUT", "/versions").status == 200
        enabled = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
        assert self.s3.call("PUT", "/versions?versioning=", enabled).status == 200
        objects = "".join(f"<Object><Key>key-{i:05}</Key></Object>" for i in range(1000))
        body = f"<Delete>{objects}</Delete>".encode()
        digest = base64.b64encode(hashlib.md5(body).digest()).decode()
        return Load(self.port, [self.s3.bytes("POST", "/versions?delete=", body, headers={"Content-MD5": digest})], connections=4)

    def expressions(self):
        resources = [{"name": name, "type": "INTEGER", "integerValue": 1024} for name in ("CPU", "MEMORY")]
        requests = [ecs(self.a, "CreateCluster", {"clusterName": "default"})]
        for i in range(MACHINES):
            attributes = [{"name": "kind", "value": "a" * 120 + str(i)}]
            machine = {"cluster": "default", "totalResources": resources, "attributes": attributes}
            requests.append(ecs(self.a, "RegisterContainerInstance", machine))
        for request in requests:
            fill(self.port, [request], 1)
        hostile = {"cluster": "default", "filter": "attribute:kind =~ '([a-z]+)*!'"}
        return Load(self.port, [ecs(self.a, "ListContainerInstances", hostile)])

    def logs(self):
        at_once, now = 5000, int(time.time() * 1000)
        stream = {"logGroupName": "g", "logStreamName": "s"}
        requests = [logs(self.a, "CreateLogGroup", {"logGroupName": "g"}), logs(self.a, "CreateLogStream", stream)]
        for first in range(0, LOG_EVENTS, at_once):
            events = [{"timestamp": now, "message": f"line {first + i} " + "word " * 20} for i in range(at_once)]
            requests.append(logs(self.a, "PutLogEvents", {**stream, "logEvents": events}))
        for request in requests:
            fill(self.port, [request], 1)
        return Load(self.port, [logs(self.a, "FilterLogEvents", {"logGroupName": "g", "filterPattern": "absent"})])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="sends, counts, listings, unread, deletes, expressions, logs")
    parser.add_argument("--messages", type=int, default=100000)
    parser.add_argument("--seconds", type=float, default=4, help="of each measurement")
    options = parser.parse_args()
    with Server() as server:
        world = World(server, create_key(server.data, "111111111111"), options.messages)
        b = Caller(server, create_key(server.data, "222222222222"))
        url = call(b, "CreateQueue", {"QueueName": "b"})["QueueUrl"]
        requests = {"send": b.json_bytes("SendMessage", {"QueueUrl": url, "MessageBody": "b"}),
                    "read": b.json_bytes("GetQueueUrl", {"QueueName": "b"})}
        print("A does        B's    idle p50   p99 ms   beside A p50   p99 ms   ratio p99   A's responses", flush=True)
        for name in options.only or ("sends", "counts", "listings", "unread", "deletes", "expressions", "logs"):
            load = getattr(world, name)()
            time.sleep(1)  # the sweep and the checkpoint of what was filled
            idle = {kind: measure(server.port, request, options.seconds) for kind, request in requests.items()}
            with load:
                time.sleep(0.5)
                beside = {kind: measure(server.port, request, options.seconds) for kind, request in requests.items()}
            for kind in requests:
                alone, busy = idle[kind], beside[kind]
                ratio = at(busy, 0.99) / at(alone, 0.99)
                print(f"{name:12} {kind:5} {at(alone, 0.5):9.2f} {at(alone, 0.99):8.2f} {at(busy, 0.5):14.2f}"
                      f" {at(busy, 0.99):8.2f} {ratio:11.1f}   {load.statuses}", flush=True)


if __name__ == "__main__":
    main()
