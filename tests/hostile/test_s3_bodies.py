# SPDX-License-Identifier: Apache-2.0
"""Bodies that contradict their headers: chunks, lengths, checksums. A rejected body is not stored."""
import base64
import hashlib
import os

import pytest

from expect import refused, plain_rejection
from support import s3_raw
from support.raw import Connection, exchange, request_bytes
from support.s3_raw import SIGNED_CHUNKS, SIGNED_CHUNKS_TRAILER, UNSIGNED_CHUNKS_TRAILER
from support.waiting import eventually

PIECE_BYTES = 1024 * 1024  # read at once: when there are more, the first ones are in a file

KINDS = [SIGNED_CHUNKS, SIGNED_CHUNKS_TRAILER, UNSIGNED_CHUNKS_TRAILER]
CRC = "x-amz-checksum-crc32"


@pytest.fixture
def key(s3, bucket):
    """An unused key, which is deleted after the test."""
    target = f"{bucket}/{os.urandom(8).hex()}"
    yield target
    answer = s3.call("GET", target)
    assert answer.status == 404, f"it was stored: {answer}"


@pytest.fixture(autouse=True)
def nothing_left_behind(server):
    """No incomplete upload remains on the disk."""
    yield
    incoming = server.data / "objects" / "incoming"
    eventually(lambda: not list(incoming.iterdir()))


def crc_of(data):
    import zlib

    return base64.b64encode(zlib.crc32(data).to_bytes(4, "big")).decode()


def send(s3, key, pieces, body, kind=SIGNED_CHUNKS, **more):
    """A chunked request with a hand-made body."""
    fields, _ = s3_raw.chunked_head(s3, key, pieces, kind, **more)
    fields["Content-Length"] = str(len(body))
    return exchange(s3.port, request_bytes("PUT", key, fields, body))


def chunks(s3, key, pieces, kind=SIGNED_CHUNKS, **more):
    return s3_raw.chunked_head(s3, key, pieces, kind, **more)


def finish(s3, key, fields, body):
    fields["Content-Length"] = str(len(body))
    return exchange(s3.port, request_bytes("PUT", key, fields, body))


PIECES = [b"a" * 70_000, b"b" * 8192, b"c" * 10]


@pytest.mark.parametrize("wrong", ["0" * 64, "", "zz", "0" * 5000])
@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_a_chunk_with_a_wrong_signature_is_rejected(s3, key, at, wrong):
    fields, made = chunks(s3, key, PIECES)
    body = b""
    for i, piece in enumerate([*PIECES, b""]):
        body += made.chunk(piece, signature=wrong if i == at and wrong else None)
        if i == at and not wrong:
            body = body[: body.rindex(b";chunk-signature=") + 17] + b"\r\n" + piece + b"\r\n"
    refused(finish(s3, key, fields, body))


def test_chunks_in_another_order_are_rejected(s3, key):
    fields, made = chunks(s3, key, [b"a" * 100, b"b" * 100])
    one, two, end = made.chunk(b"a" * 100), made.chunk(b"b" * 100), made.chunk(b"")
    refused(finish(s3, key, fields, two + one + end), "SignatureDoesNotMatch", 403)


def test_a_changed_chunk_is_rejected(s3, key):
    fields, made = chunks(s3, key, [b"a" * 100])
    body = (made.chunk(b"a" * 100) + made.chunk(b"")).replace(b"aaa", b"aba", 1)
    refused(finish(s3, key, fields, body), "SignatureDoesNotMatch", 403)


def test_a_missing_chunk_is_rejected(s3, key):
    fields, made = chunks(s3, key, [b"a" * 100, b"b" * 100], decoded=100)
    one, _, end = made.chunk(b"a" * 100), made.chunk(b"b" * 100), made.chunk(b"")
    refused(finish(s3, key, fields, one + end))


def test_a_changed_trailer_is_rejected(s3, key):
    data = b"a" * 100
    good = {CRC: crc_of(data)}
    for bend in ("value", "signature", "left out", "unsigned"):
        fields, made = chunks(s3, key, [data], SIGNED_CHUNKS_TRAILER, trailers=(CRC,))
        body = made.chunk(data) + made.chunk(b"")
        trailer = made.trailer(good, signature="0" * 64 if bend == "signature" else None)
        if bend == "value":
            trailer = trailer.replace(good[CRC].encode(), crc_of(b"other").encode())
        elif bend == "left out":
            trailer = b"\r\n"
        elif bend == "unsigned":
            trailer = b"".join(f"{name}:{value}\r\n".encode() for name, value in good.items()) + b"\r\n"
        refused(finish(s3, key, fields, body + trailer))


@pytest.mark.parametrize("value", ["", "!!!!", "AAAA", "A" * 10_000, "AAAAAA==\r\nx-evil: 1"])
def test_an_invalid_checksum_in_a_trailer_is_rejected(s3, key, value):
    data = b"a" * 70_000
    fields, made = chunks(s3, key, [data], UNSIGNED_CHUNKS_TRAILER, trailers=(CRC,))
    refused(finish(s3, key, fields, made.chunk(data) + made.chunk(b"") + made.trailer({CRC: value})))


def test_missing_and_unannounced_trailers_are_rejected(s3, key):
    data = b"a" * 100
    fields, made = chunks(s3, key, [data], UNSIGNED_CHUNKS_TRAILER, trailers=(CRC,))
    refused(finish(s3, key, fields, made.chunk(data) + made.chunk(b"") + b"\r\n"))
    fields, made = chunks(s3, key, [data], UNSIGNED_CHUNKS_TRAILER, trailers=("x-amz-checksum-sha1",))
    refused(finish(s3, key, fields, made.chunk(data) + made.chunk(b"") + made.trailer({CRC: crc_of(data)})))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"garbage",
        b"zz;chunk-signature=00\r\nx\r\n",
        b"-1\r\nx\r\n0\r\n\r\n",
        b"ffffffffffffffff\r\nx\r\n0\r\n\r\n",
        b"fffffffffffffffffffffffffffffff\r\nx\r\n0\r\n\r\n",
        b"0x3\r\nabc\r\n0\r\n\r\n",
        b"3\r\nabcd\r\n0\r\n\r\n",
        b"3\nabc\n0\n\n",
        b"3\r\nabc0\r\n\r\n",
        b"3\r\nabc\r\n",
        b"3\r\nab",
        b"3" * 100_000,
        b"3;" + b"x" * 100_000 + b"\r\nabc\r\n0\r\n\r\n",
        b"0\r\n" + b"x:y\r\n" * 10_000 + b"\r\n",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_malformed_chunks_are_rejected(s3, key, body):
    answer = send(s3, key, [b"abc"], body, UNSIGNED_CHUNKS_TRAILER)
    refused(answer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decoded", [0, 1, 99, 101, 10**6, 10**15])
def test_a_wrong_decoded_length_is_rejected(s3, key, kind, decoded):
    data = b"a" * 100
    fields, made = chunks(s3, key, [data], kind, decoded=decoded)
    body = made.chunk(data) + made.chunk(b"") + (b"" if kind == SIGNED_CHUNKS else made.trailer({}))
    refused(finish(s3, key, fields, body), status=400)


@pytest.mark.parametrize("decoded", ["-1", "words", "", "1e3", "99999999999999999999999", "0x10", " "])
def test_an_invalid_decoded_length_is_rejected(s3, key, decoded):
    data = b"a" * 100
    fields, made = chunks(s3, key, [data], SIGNED_CHUNKS, headers={"X-Amz-Decoded-Content-Length": decoded})
    refused(finish(s3, key, fields, made.chunk(data) + made.chunk(b"")))


def test_a_chunked_body_needs_a_decoded_length(s3, key):
    fields = s3.fields("PUT", key, {"Content-Encoding": "aws-chunked"}, payload_hash=SIGNED_CHUNKS)
    fields["Content-Length"] = "86"
    answer = exchange(s3.port, request_bytes("PUT", key, fields, b"0;chunk-signature=" + b"0" * 64 + b"\r\n\r\n"))
    refused(answer)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_chunks_that_end_early_are_rejected(s3, key, server, kind, kept):
    """The connection is closed in the middle."""
    data = s3_raw.chunked_bytes(s3, key, PIECES, kind)
    head, body = data.split(b"\r\n\r\n", 1)
    with Connection(server.port) as connection:
        connection.send(head + b"\r\n\r\n" + body[: int(len(body) * kept)])
        connection.socket.shutdown(1)
        answer = connection.read_answer()
        assert answer is None or 400 <= answer.status < 500


@pytest.mark.parametrize("sent", [0, 10, 100_000, 3_000_000])
def test_a_client_that_disconnects_during_a_body_leaves_nothing(s3, key, server, sent):
    data = s3.bytes("PUT", key, b"x" * 5_000_000)
    head = data.index(b"\r\n\r\n") + 4
    with Connection(server.port) as connection:
        connection.send(data[: head + sent])
        if sent > PIECE_BYTES:
            eventually(lambda: os.listdir(server.data / "objects/incoming"))


@pytest.mark.parametrize("part", [False, True])
def test_many_clients_that_disconnect_during_a_body_do_no_harm(s3, key, server, part):
    target = key
    if part:
        started = s3.call("POST", f"{key}?uploads")
        upload = started.body.split(b"<UploadId>")[1].split(b"</UploadId>")[0].decode()
        target = f"{key}?partNumber=1&uploadId={upload}"
    data = s3.bytes("PUT", target, b"x" * 2_000_000)
    open_ones = [Connection(server.port) for _ in range(30)]
    for i, connection in enumerate(open_ones):
        connection.send(data[: len(data) - 1 - i * 50_000])
    for connection in open_ones:
        connection.socket.close()
    if part:
        assert b"<Part>" not in s3.call("GET", f"{key}?uploadId={upload}").body
        assert s3.call("DELETE", f"{key}?uploadId={upload}").status == 204


@pytest.mark.parametrize("length", ["-1", "words", "1e9", "0x10", "+5", "5 5", "5,5", "99999999999999999999999999"])
def test_an_invalid_content_length_is_rejected(s3, key, server, length):
    fields = s3.fields("PUT", key, body=b"hello")
    fields["Content-Length"] = length
    with Connection(server.port) as connection:
        connection.send(request_bytes("PUT", key, fields, b"hello"))
        plain_rejection(connection.read_answer())


@pytest.mark.parametrize("length", [5 * 2**30 + 1, 10**15, 2**63 - 1])
def test_a_content_length_beyond_the_limit_is_rejected(s3, key, server, length):
    fields = s3.fields("PUT", key, payload_hash="UNSIGNED-PAYLOAD")
    fields["Content-Length"] = str(length)
    with Connection(server.port) as connection:
        connection.send(request_bytes("PUT", key, fields))
        refused(connection.read_answer(), "EntityTooLarge", 400)


def test_two_content_lengths_are_rejected(s3, key, server):
    fields = list(s3.fields("PUT", key, body=b"hello").items())
    data = request_bytes("PUT", key, [*fields, ("Content-Length", "5"), ("Content-Length", "50")], b"hello")
    with Connection(server.port) as connection:
        connection.send(data)
        plain_rejection(connection.read_answer())


def test_wrong_hashes_of_every_kind_are_rejected(s3, key):
    for size in (10, 200_000):
        body = os.urandom(size)
        other = hashlib.sha256(b"other")
        refused(s3.call("PUT", key, body, payload_hash=other.hexdigest()), "XAmzContentSHA256Mismatch", 400)
        refused(s3.call("PUT", key, body, headers={"Content-MD5": base64.b64encode(b"0" * 16).decode()}), "BadDigest", 400)
        for kind, length in (("crc32", 4), ("crc32c", 4), ("crc64nvme", 8), ("sha1", 20), ("sha256", 32)):
            wrong = base64.b64encode(b"0" * length).decode()
            refused(s3.call("PUT", key, body, headers={f"x-amz-checksum-{kind}": wrong}), "BadDigest", 400)
        for unknown in ("sha512", "xxhash64", "md5"):
            answer = s3.call("PUT", key, body, headers={f"x-amz-checksum-{unknown}": "AAAA"})
            assert answer.status in (400, 501), answer  # never accepted and ignored


@pytest.mark.parametrize("payload_hash", ["nonsense", "0" * 63, "0" * 65, "STREAMING-NOTHING", "UNSIGNED-PAYLOAD-TRAILER"])
def test_an_invalid_hash_is_rejected(s3, key, payload_hash):
    refused(s3.call("PUT", key, b"hello", payload_hash=payload_hash))


def test_unknown_streaming_signatures_are_rejected(s3, key):
    """SigV4a's."""
    data = b"a" * 100
    fields = s3.fields("PUT", key, {"X-Amz-Decoded-Content-Length": "100"}, payload_hash="STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD")
    answer = finish(s3, key, fields, b"64;chunk-signature=00\r\n" + data + b"\r\n0;chunk-signature=00\r\n\r\n")
    assert answer.status == 501, answer


def test_a_slow_upload_does_not_block_others(s3, key, server):
    slow = []
    try:
        for _ in range(50):
            connection = Connection(server.port)
            connection.send(s3.bytes("PUT", key, b"", length=1_000_000, payload_hash="UNSIGNED-PAYLOAD"))
            slow.append(connection)
        for turn in range(3):
            for connection in slow:
                connection.send(b"x" * 1000)
            assert s3.call("PUT", f"{key}-other", b"quick" * 50_000).status == 200
        assert s3.call("DELETE", f"{key}-other").status == 204
    finally:
        for connection in slow:
            connection.socket.close()


def test_an_early_error_does_not_wait_for_the_body(s3, server):
    """The server does not wait for a gigabyte for a missing bucket."""
    with Connection(server.port) as connection:
        data = s3.bytes("PUT", "/no-such-bucket-at-all/key", b"", length=10**9, payload_hash="UNSIGNED-PAYLOAD",
                        headers={"Expect": "100-continue"})
        connection.send(data)
        refused(connection.read_answer(), "NoSuchBucket", 404)
