# SPDX-License-Identifier: Apache-2.0
"""A minimal WebSocket like an agent's: signed upgrades, arbitrary frames."""
import base64
import json
import os
import struct

from support import sigv4
from support.raw import Connection, request_bytes

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


def upgrade_bytes(caller, target, scope=None, drop=()):
    """`drop`: headers to omit."""
    fields = {
        "Host": caller.host,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
    }
    fields = {name: value for name, value in fields.items() if name not in drop}
    return request_bytes("GET", target, sigv4.signed_headers(scope or caller.scope("ecs"), "GET", target, fields, b""))


def frame_bytes(payload, opcode=TEXT):
    payload = payload.encode() if isinstance(payload, str) else payload
    mask = os.urandom(4)
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
    elif size < 65536:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
    repeated = (mask * (size // 4 + 1))[:size]
    masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big")
    return head + mask + masked


class Socket:
    """A WebSocket; `refusal` is the server's response if it rejected the upgrade."""

    def __init__(self, caller, target, **more):
        self.connection = Connection(caller.port)
        answer = self.connection.exchange(upgrade_bytes(caller, target, **more))
        self.refusal = None if answer is not None and answer.status == 101 else answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.socket.close()

    def send(self, payload, opcode=TEXT):
        return self.connection.send(frame_bytes(payload, opcode))

    def send_message(self, kind, **members):
        return self.send(json.dumps({"type": kind, "message": members}))

    def _take(self, size):
        while len(self.connection.buffer) < size:
            if not self.connection._more():
                return None
        data, self.connection.buffer = self.connection.buffer[:size], self.connection.buffer[size:]
        return data

    def read(self):
        """(opcode, payload) of the next frame; None at the end."""
        head = self._take(2)
        if head is None:
            return None
        size = head[1] & 0x7F
        if size == 126:
            size = struct.unpack("!H", self._take(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", self._take(8))[0]
        return head[0] & 0x0F, self._take(size)

    def next_message(self, kind):
        """The next message of this type; None if the session ends first."""
        while True:
            frame = self.read()
            if frame is None or frame[0] == CLOSE:
                return None
            message = json.loads(frame[1])
            if message["type"] == kind:
                return message["message"]

    def close_code(self):
        """The code of the server's close frame; None if there was none."""
        while True:
            frame = self.read()
            if frame is None:
                return None
            if frame[0] == CLOSE:
                return struct.unpack("!H", frame[1][:2])[0] if len(frame[1]) >= 2 else 0
