#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for session-manager-plugin 1.2.677, which `aws ecs execute-command` starts: the same frames byte for byte,
the same rules of acknowledgement and resending, the same texts.

STANDIN_SIGN=1 signs the upgrade, as plugins since 1.2.764 do. STANDIN_CUT=N closes the socket after N messages of
output, once: the session is then resumed. STANDIN_RESUME_TRIES=N tries that more often than the plugin's 6 times.
"""
import base64
import hashlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.parse
import uuid

HEADER_LENGTH = 116
INPUT, OUTPUT, ACKNOWLEDGE, CLOSED = "input_stream_data", "output_stream_data", "acknowledge", "channel_closed"
KEYS, SIZE, HANDSHAKE_REQUEST, HANDSHAKE_RESPONSE, HANDSHAKE_COMPLETE = 1, 3, 5, 6, 7
RESEND_SECONDS, FIRST_TIMEOUT_SECONDS, SIZE_SECONDS, DIAL_TRIES, RESUME_TRIES = 0.1, 0.2, 0.5, 6, 6
VERSION = "1.2.677.0"


def encode(kind, sequence, flags, payload_type, payload):
    head = struct.pack(">I32sIqqQ", HEADER_LENGTH, kind.encode().ljust(32), 1, int(time.time() * 1000), sequence, flags)
    name = uuid.uuid4().bytes
    digest = hashlib.sha256(payload).digest()
    return head + name[8:] + name[:8] + digest + struct.pack(">II", payload_type, len(payload)) + payload


class Message:
    def __init__(self, data):
        length, kind, _, created, self.sequence, self.flags = struct.unpack(">I32sIqqQ", data[:64])
        assert created != 0, "CreatedDate is missing"
        self.kind = kind.rstrip(b"\0 ").decode()
        self.id = str(uuid.UUID(bytes=data[72:80] + data[64:72]))
        self.payload_type, size = struct.unpack(">II", data[112:120])
        self.payload = data[length + 4 :]
        assert len(self.payload) == size
        assert not self.payload or hashlib.sha256(self.payload).digest() == data[80:112], "payload Hash is not valid"

    def json(self):
        return json.loads(self.payload)


class Socket:
    """A client's WebSocket (RFC 6455)."""

    def __init__(self, url, headers):
        parts = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port or 80), timeout=45)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {parts.path}?{parts.query} HTTP/1.1", f"Host: {parts.netloc}", "Connection: Upgrade"]
        lines += ["Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise OSError("bad handshake")

    def fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise OSError("EOF")
        self.buffer += data

    def send(self, payload, opcode):
        mask = os.urandom(4)
        size = len(payload)
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | (size if size < 126 else 126))
        if size >= 126:
            head += struct.pack("!H", size)
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
        self.socket.sendall(head + mask + masked)

    def messages(self):
        """Those that are complete in the buffer. Pings are answered."""
        while len(self.buffer) >= 2:
            size, start = self.buffer[1] & 0x7F, 2
            if size >= 126:
                width = 2 if size == 126 else 8
                if len(self.buffer) < 2 + width:
                    return
                size, start = int.from_bytes(self.buffer[2 : 2 + width], "big"), 2 + width
            if len(self.buffer) < start + size:
                return
            opcode, payload = self.buffer[0] & 0x0F, self.buffer[start : start + size]
            self.buffer = self.buffer[start + size :]
            if opcode == 9:
                self.send(payload, 10)
            elif opcode == 8:
                raise OSError("closed")
            elif opcode in (1, 2):
                yield payload


class Plugin:
    def __init__(self, session, region, endpoint):
        self.id, self.url, self.token = session["sessionId"], session["streamUrl"], session["tokenValue"]
        self.region, self.endpoint = region, endpoint
        self.sequence, self.expected = 0, 0
        self.open_messages, self.early = {}, {}
        self.handler_up = self.handshaken = False
        self.dropped_one = False
        self.printed = 0
        self.cut_after = int(os.environ.get("STANDIN_CUT", "0"))
        self.size, self.size_at, self.resend_at = None, 0, 0
        self.socket = None
        self.signal_keys = []

    # Connections

    def dial(self):
        for attempt in range(DIAL_TRIES + 1):
            try:
                self.socket = Socket(self.url, self.signature())
                break
            except OSError:
                if attempt == DIAL_TRIES:
                    signal.pause()  # the plugin hangs here without a word
                time.sleep(0.1 * 2**attempt)
        opening = {"MessageSchemaVersion": "1.0", "RequestId": str(uuid.uuid4()), "TokenValue": self.token,
                   "ClientId": str(uuid.uuid4()), "ClientVersion": VERSION}
        self.socket.send(json.dumps(opening).encode(), 1)

    def signature(self):
        if not os.environ.get("STANDIN_SIGN"):
            return {}
        import botocore.auth
        import botocore.awsrequest
        import botocore.session

        credentials = botocore.session.Session().get_credentials()
        request = botocore.awsrequest.AWSRequest("GET", self.url.replace("ws", "http", 1))
        botocore.auth.SigV4Auth(credentials, "ssmmessages", self.region).add_auth(request)
        return dict(request.headers.items())

    def resume(self):
        import boto3

        ssm = boto3.client("ssm", endpoint_url=self.endpoint, region_name=self.region)
        for attempt in range(int(os.environ.get("STANDIN_RESUME_TRIES", RESUME_TRIES))):
            try:
                answer = ssm.resume_session(SessionId=self.id)
            except Exception as error:  # the plugin logs it and tries again
                sys.stderr.write(f"resume: {error}\n")
                time.sleep(0.1 * 2 ** min(attempt, 5))
                continue
            if not answer.get("TokenValue"):
                self.leave(f"Session: {self.id} timed out.\n")
            self.token = answer["TokenValue"]
            self.dial()
            return
        self.leave("Cannot resume.\n", 1)

    # Messages

    def send_input(self, payload_type, payload):
        if payload == b"\n":
            payload = b"\r"
        data = encode(INPUT, self.sequence, 0, payload_type, payload)
        self.open_messages[self.sequence] = data
        self.resend_at = max(self.resend_at, time.monotonic() + FIRST_TIMEOUT_SECONDS if len(self.open_messages) == 1 else 0)
        self.sequence += 1
        self.socket.send(data, 2)

    def acknowledge(self, message):
        content = {"AcknowledgedMessageType": message.kind, "AcknowledgedMessageId": message.id,
                   "AcknowledgedMessageSequenceNumber": message.sequence, "IsSequentialMessage": True}
        self.socket.send(encode(ACKNOWLEDGE, 0, 3, 0, json.dumps(content).encode()), 2)

    def receive(self, message):
        if message.kind == ACKNOWLEDGE:
            self.open_messages.pop(message.json()["AcknowledgedMessageSequenceNumber"], None)
        elif message.kind == CLOSED:
            text = message.json()["Output"]
            self.leave(f"\n\nSessionId: {self.id} : {text}\n\n" if text else f"\n\nExiting session with sessionId: {self.id}.\n\n")
        elif message.kind == OUTPUT:
            self.receive_output(message)

    def receive_output(self, message):
        if message.sequence < self.expected:
            return  # a duplicate is dropped and not acknowledged
        if message.sequence > self.expected:
            self.early[message.sequence] = message
            self.acknowledge(message)
            return
        if not self.process(message):
            return
        self.acknowledge(message)
        self.expected += 1
        while self.expected in self.early:
            self.process(self.early.pop(self.expected))
            self.expected += 1
        if self.cut_after and self.printed >= self.cut_after:
            self.cut_after = 0
            raise OSError("cut")

    def process(self, message):
        if message.payload_type == HANDSHAKE_REQUEST:
            done = []
            for action in message.json()["RequestedClientActions"]:
                kind = action["ActionParameters"]["SessionType"]
                known = kind in ("Standard_Stream", "InteractiveCommands", "NonInteractiveCommands")
                done.append({"ActionType": action["ActionType"], "ActionStatus": 1 if known else 2, "ActionResult": None,
                             "Error": "" if known else f"Unknown session type {kind}"})
            answer = {"ClientVersion": VERSION, "ProcessedClientActions": done, "Errors": None}
            self.send_input(HANDSHAKE_RESPONSE, json.dumps(answer).encode())
        elif message.payload_type == HANDSHAKE_COMPLETE:
            assert isinstance(message.json()["HandshakeTimeToComplete"], int)
            self.handler_up = True
        elif not self.dropped_one:
            self.dropped_one = True  # what comes before the handler is up is dropped, and must come again
            return False
        else:
            rest = message.payload
            while rest:
                rest = rest[os.write(1, rest) :]
            self.printed += 1
        return True

    # Terminal

    def send_size(self):
        try:
            columns, rows = os.get_terminal_size(0)
        except OSError:
            columns, rows = 300, 100
        if (columns, rows) != self.size:
            self.size = (columns, rows)
            self.send_input(SIZE, json.dumps({"cols": columns, "rows": rows}).encode())

    def read_keys(self):
        keys = os.read(0, 1024)
        if not keys:
            self.leave("Cannot perform start session: EOF\n")
        self.send_input(KEYS, keys)

    def leave(self, text, status=0):
        sys.stdout.write(text)
        sys.stdout.flush()
        if self.saved:
            subprocess.run(["stty", self.saved], check=False)
        os._exit(status)

    def run(self):
        self.saved = None
        if os.isatty(0):
            self.saved = subprocess.run(["stty", "-g"], capture_output=True, text=True, check=True).stdout.strip()
            subprocess.run(["stty", "cbreak"], check=True)
            subprocess.run(["stty", "-echo"], check=True)
        for number, key in ((signal.SIGINT, b"\x03"), (signal.SIGQUIT, b"\x1c"), (signal.SIGTSTP, b"\x1a")):
            # Only noted: it may come in the middle of another message.
            signal.signal(number, lambda *_, key=key: self.signal_keys.append(key))
        sys.stdout.write(f"\nStarting session with SessionId: {self.id}\n")
        sys.stdout.flush()
        self.dial()
        while True:
            try:
                self.step()
            except OSError:
                self.socket.socket.close()
                self.resume()

    def step(self):
        for payload in self.socket.messages():
            self.receive(Message(payload))
        now = time.monotonic()
        if self.open_messages and now >= self.resend_at:
            self.resend_at = now + RESEND_SECONDS
            self.socket.send(self.open_messages[min(self.open_messages)], 2)
        if self.handler_up and now >= self.size_at:
            self.size_at = now + SIZE_SECONDS
            self.send_size()
        watched = [self.socket.socket] + ([0] if self.handler_up else [])
        ready = select.select(watched, [], [], RESEND_SECONDS)[0]
        if self.socket.socket in ready:
            self.socket.fill()
        while self.signal_keys:
            self.send_input(KEYS, self.signal_keys.pop(0))
        if 0 in ready:
            self.read_keys()


def main():
    if len(sys.argv) == 1:
        print("\nThe Session Manager plugin was installed successfully. Use the AWS CLI to start a session.\n")
        return
    session, region, operation = sys.argv[1:4]
    assert operation == "StartSession", sys.argv
    given = json.loads(session)
    Plugin({name[0].lower() + name[1:]: value for name, value in given.items()}, region, sys.argv[6]).run()


if __name__ == "__main__":
    main()
