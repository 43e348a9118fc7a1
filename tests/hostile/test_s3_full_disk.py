# SPDX-License-Identifier: Apache-2.0
"""A disk that fills up during an upload: the error names it, nothing is lost, and the server continues with new space."""
import hashlib
import os
import pathlib

from support.s3_raw import S3Caller
from support.waiting import eventually
from test_full_disk import crowded, small_disk  # noqa: F401

LARGE = 1 << 20


def body_of(number, size=LARGE):
    return hashlib.sha256(b"%d" % number).digest() * (size // 32)


def fill(s3, size):
    """Puts objects until the disk is full; returns the acknowledged ones and the error."""
    stored = []
    for number in range(1000):
        answer = s3.call("PUT", f"/full/{size}-{number}", body_of(number, size))
        if answer.status != 200:
            return stored, answer
        stored.append(number)
    raise AssertionError("more went on the disk than it has room for")


def check(s3, size, stored):
    for number in stored:
        answer = s3.call("GET", f"/full/{size}-{number}")
        assert (answer.status, answer.body) == (200, body_of(number, size)), (size, number, answer)
    listed = s3.call("GET", f"/full?list-type=2&prefix={size}-").body.count(b"<Key>")
    assert listed == len(stored)


def incoming(server):
    return list((server.data / "objects" / "incoming").iterdir())


def reports_full_disk(answer):
    assert answer.status == 507 and answer.code == "InsufficientStorage", answer
    assert "disk" in answer.message and "full" in answer.message, answer


def test_a_full_disk_in_the_middle_of_an_object(crowded):  # noqa: F811
    server, other = crowded
    s3 = S3Caller(server)
    assert s3.call("PUT", "/full").status == 200
    stored, refusal = fill(s3, LARGE)
    assert stored
    reports_full_disk(refusal)
    eventually(lambda: not incoming(server))
    check(s3, LARGE, stored)  # reading needs no space

    started = s3.call("PUT", "/full/after", os.urandom(4 * LARGE))
    reports_full_disk(started)
    assert s3.call("GET", "/full/after").status == 404
    assert server.alive

    pathlib.Path(other).unlink()
    assert s3.call("PUT", "/full/after", body_of(7)).status == 200
    assert s3.call("GET", "/full/after").body == body_of(7)
    check(s3, LARGE, stored)
    server.stop()


def test_a_full_disk_of_small_objects_and_a_kill(crowded):  # noqa: F811
    server, other = crowded
    s3 = S3Caller(server)
    assert s3.call("PUT", "/full").status == 200
    stored, refusal = fill(s3, 32_000)
    assert len(stored) > 10
    reports_full_disk(refusal)
    server.kill()
    pathlib.Path(other).unlink()
    server.start()
    s3 = S3Caller(server)
    check(s3, 32_000, stored)
    assert s3.call("PUT", "/full/after", b"again").status == 200
    server.stop()


def test_an_upload_in_parts_on_a_full_disk(crowded):  # noqa: F811
    server, other = crowded
    s3 = S3Caller(server)
    assert s3.call("PUT", "/full").status == 200
    upload = s3.call("POST", "/full/parts?uploads").body.split(b"<UploadId>")[1].split(b"</UploadId>")[0].decode()
    etags = []
    for number in range(1, 100):
        answer = s3.call("PUT", f"/full/parts?partNumber={number}&uploadId={upload}", body_of(number, 2 * LARGE))
        if answer.status != 200:
            break
        etags.append(answer.headers["etag"])
    reports_full_disk(answer)
    pathlib.Path(other).unlink()
    number = len(etags) + 1
    again = s3.call("PUT", f"/full/parts?partNumber={number}&uploadId={upload}", body_of(number, 2 * LARGE))
    assert again.status == 200, again
    assert s3.call("DELETE", f"/full/parts?uploadId={upload}").status == 204
    objects = server.data / "objects"
    eventually(lambda: not [path for path in objects.rglob("*") if path.is_file()])
    server.stop()
