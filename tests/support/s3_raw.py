# SPDX-License-Identifier: Apache-2.0
"""Raw S3 requests: signed, unsigned, and aws-chunked. The defaults make a valid request."""
import hashlib

from support import sigv4
from support.raw import exchange, request_bytes

SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_CHUNKS_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"
UNSIGNED_CHUNKS_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()


class S3Caller:
    def __init__(self, server, key=None, region="us-east-1"):
        self.port, self.key, self.region = server.port, key or server.root_key, region
        self.host = f"127.0.0.1:{server.port}"

    def scope(self, time=None):
        return sigv4.Scope(self.key, "s3", self.region, time)

    def fields(self, method, target, headers=None, payload_hash=None, body=b"", scope=None):
        """Headers with a signature."""
        fields = {"Host": self.host, **(headers or {})}
        hashed = payload_hash or hashlib.sha256(body).hexdigest()
        return sigv4.signed_headers(scope or self.scope(), method, target, fields, body, hashed)

    def bytes(self, method, target, body=b"", headers=None, payload_hash=None, scope=None, length=None):
        """`length`: the Content-Length if it differs from the body's; "" for none."""
        fields = self.fields(method, target, headers, payload_hash, body, scope)
        promised = str(len(body)) if length is None else str(length)
        if promised and (body or length is not None or method in ("PUT", "POST")):
            fields["Content-Length"] = promised
        return request_bytes(method, target, fields, body)

    def call(self, method, target, body=b"", **more):
        return exchange(self.port, self.bytes(method, target, body, **more), head_only=method == "HEAD")

    def anonymous(self, method, target, body=b"", headers=None):
        fields = {"Host": self.host, **(headers or {})}
        if body or method in ("PUT", "POST"):
            fields.setdefault("Content-Length", str(len(body)))
        return exchange(self.port, request_bytes(method, target, fields, body), head_only=method == "HEAD")


class Chunks:
    """Builds an aws-chunked body; the signature of each chunk covers the previous one."""

    def __init__(self, scope, seed, kind=SIGNED_CHUNKS):
        self.scope, self.previous, self.kind = scope, seed, kind

    @property
    def signs(self):
        return self.kind != UNSIGNED_CHUNKS_TRAILER

    def _sign(self, algorithm, *hashes):
        text = "\n".join([algorithm, sigv4.stamp(self.scope.time), self.scope.text, self.previous, *hashes])
        self.previous = self.scope.seal(text)
        return self.previous

    def chunk(self, data, signature=None):
        if not self.signs:
            return b"%x\r\n%s\r\n" % (len(data), data) if data else b"0\r\n"
        made = self._sign("AWS4-HMAC-SHA256-PAYLOAD", EMPTY_SHA256, hashlib.sha256(data).hexdigest())
        head = b"%x;chunk-signature=%s\r\n" % (len(data), (signature or made).encode())
        return head + data + b"\r\n" if data or self.kind == SIGNED_CHUNKS else head

    def trailer(self, fields, signature=None):
        """The bytes after the last chunk."""
        lines = b"".join(f"{name}:{value}\r\n".encode() for name, value in fields.items())
        if self.signs:
            made = self._sign("AWS4-HMAC-SHA256-TRAILER", hashlib.sha256(lines.replace(b"\r\n", b"\n")).hexdigest())
            lines += b"x-amz-trailer-signature:%s\r\n" % (signature or made).encode()
        return lines + b"\r\n"


def chunked_head(caller, target, pieces, kind, trailers=(), decoded=None, headers=None, method="PUT"):
    """The headers of a chunked request, and the Chunks that continue its signature."""
    size = sum(map(len, pieces)) if decoded is None else decoded
    fields = {"Content-Encoding": "aws-chunked", "X-Amz-Decoded-Content-Length": str(size), **(headers or {})}
    if trailers:
        fields["X-Amz-Trailer"] = ",".join(trailers)
    scope = caller.scope()
    fields = caller.fields(method, target, fields, payload_hash=kind, scope=scope)
    return fields, Chunks(scope, fields["Authorization"].rsplit("=", 1)[1], kind)


def chunked_bytes(caller, target, pieces, kind=SIGNED_CHUNKS, trailers=None, **more):
    """A complete request with these chunks."""
    trailers = trailers or {}
    fields, chunks = chunked_head(caller, target, pieces, kind, tuple(trailers), **more)
    body = b"".join(chunks.chunk(piece) for piece in pieces) + chunks.chunk(b"")
    if kind != SIGNED_CHUNKS:
        body += chunks.trailer(trailers)
    fields["Content-Length"] = str(len(body))
    return request_bytes("PUT", target, fields, body)
