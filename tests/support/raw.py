# SPDX-License-Identifier: Apache-2.0
"""HTTP on raw sockets: requests that no client library sends, and unprocessed responses."""
import json
import socket
import urllib.parse
import xml.etree.ElementTree

from support import sigv4
from support.waiting import PATIENCE_SECONDS

JSON = "application/x-amz-json-1.0"
FORM = "application/x-www-form-urlencoded"


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The error's code: __type in JSON without its namespace, Code in XML."""
        if self.headers.get("content-type", "").startswith("application/x-amz-json"):
            return self.json["__type"].split("#")[-1]
        return self._xml("Code")

    @property
    def message(self):
        if self.headers.get("content-type", "").startswith("application/x-amz-json"):
            return self.json["message"]
        return self._xml("Message")

    def _xml(self, wanted):
        root = xml.etree.ElementTree.fromstring(self.body)
        if root.tag == "UnknownOperationException":  # Amazon's whole response to a request without an operation
            return root.tag
        assert root.tag.split("}")[-1] in ("ErrorResponse", "Error"), self  # S3's errors have no wrapper
        return next(element.text for element in root.iter() if element.tag.split("}")[-1] == wanted)


class Connection:
    """One TCP connection; reads any bytes."""

    def __init__(self, port, timeout=PATIENCE_SECONDS):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """False if the server has closed the connection: it need not read all of a request that it rejects."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def _more(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            piece = b""
        self.buffer += piece
        return bool(piece)

    def read_until(self, mark):
        while mark not in self.buffer:
            if not self._more():
                return None
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def read_answer(self, head_only=False):
        """The next response; None if the connection ends first."""
        head = self.read_until(b"\r\n\r\n")
        if head is None:
            return None
        lines = head.decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        if status == 100:
            return self.read_answer(head_only)
        bare = head_only or status in (204, 304)
        length = 0 if bare else int(headers.get("content-length", "0"))
        while len(self.buffer) < length and self._more():
            pass
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Answer(status, headers, body)

    def closed(self):
        """Reads the remaining bytes until the server ends the connection, then returns True."""
        while self._more():
            pass
        return True

    def exchange(self, data, head_only=False):
        self.send(data)
        return self.read_answer(head_only)


def request_bytes(method, target, headers, body=b""):
    """`headers`: a dict, or pairs if a name occurs twice."""
    pairs = headers.items() if isinstance(headers, dict) else headers
    head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in pairs) + "\r\n"
    return head.encode("latin-1") + body


def exchange(port, data, head_only=False):
    """One request on its own connection."""
    with Connection(port) as connection:
        return connection.exchange(data, head_only)


class Caller:
    """Signed requests of one key. The defaults make a valid request."""

    def __init__(self, server, key=None, region="us-east-1"):
        self.port, self.key, self.region = server.port, key or server.root_key, region
        self.host = f"127.0.0.1:{server.port}"

    def scope(self, service="sqs", time=None, region=None):
        return sigv4.Scope(self.key, service, region or self.region, time)

    def json_bytes(self, operation, members, scope=None, headers=None, target="AmazonSQS", payload_hash=None, path="/"):
        body = members if isinstance(members, bytes) else json.dumps(members).encode()
        fields = {"Host": self.host, "Content-Type": JSON, "X-Amz-Target": f"{target}.{operation}", **(headers or {})}
        fields = sigv4.signed_headers(scope or self.scope(), "POST", path, fields, body, payload_hash)
        fields["Content-Length"] = str(len(body))
        return request_bytes("POST", path, fields, body)

    def query_bytes(self, parameters, scope=None, path="/", headers=None, payload_hash=None):
        body = parameters if isinstance(parameters, bytes) else urllib.parse.urlencode(parameters).encode()
        fields = {"Host": self.host, "Content-Type": FORM, **(headers or {})}
        fields = sigv4.signed_headers(scope or self.scope(), "POST", path, fields, body, payload_hash)
        fields["Content-Length"] = str(len(body))
        return request_bytes("POST", path, fields, body)

    def json(self, operation, members, **more):
        return exchange(self.port, self.json_bytes(operation, members, **more))

    def query(self, parameters, **more):
        return exchange(self.port, self.query_bytes(parameters, **more))
