# SPDX-License-Identifier: Apache-2.0
"""Ranges and parts of objects."""
import pytest

from support.buckets import PART, refused
from support.checksums import multipart_etag

SMALL = bytes(range(100))
LARGE = bytes(i * 7 % 251 for i in range(200_000))  # too large for a row of the database

RANGES = [
    ("bytes=0-9", 0, 10),
    ("bytes=10-10", 10, 11),
    ("bytes=90-", 90, None),
    ("bytes=-10", -10, None),
    ("bytes=0-", 0, None),
    ("bytes=50-100000000", 50, None),
    ("bytes=-100000000", 0, None),
    ("bytes=0-9223372036854775807", 0, None),
]
# Invalid ranges: the response has the whole object.
NO_RANGES = ["bytes=9-0", "bytes=", "bytes=-", "bytes=a-b", "lines=0-9", "bytes 0-9", "bytes=0-9,20-29", "0-9"]


@pytest.fixture(params=[SMALL, LARGE], ids=["small", "large"])
def body(request, bucket):
    bucket.put("key", request.param)
    return request.param


@pytest.mark.parametrize("header, start, end", RANGES)
def test_a_range(bucket, body, header, start, end):
    wanted = body[start:end]
    first = range(len(body))[start:end][0]
    got = bucket.get("key", Range=header)
    assert got["Body"] == wanted
    assert got["ResponseMetadata"]["HTTPStatusCode"] == 206
    assert got["ContentRange"] == f"bytes {first}-{first + len(wanted) - 1}/{len(body)}"
    assert got["ContentLength"] == len(wanted)
    head = bucket.head("key", Range=header)
    assert head["ContentLength"] == len(wanted)
    assert head["ResponseMetadata"]["HTTPStatusCode"] == 206


@pytest.mark.parametrize("header", NO_RANGES)
def test_an_invalid_range_is_ignored(bucket, body, header):
    got = bucket.get("key", Range=header)
    assert got["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert got["Body"] == body and "ContentRange" not in got


@pytest.mark.parametrize("header", ["bytes=200000-", "bytes=200000-200001", "bytes=-0"])
def test_a_range_behind_the_end_is_rejected(bucket, body, header):
    with refused("InvalidRange", 416, "The requested range is not satisfiable") as caught:
        bucket.get("key", Range=header)
    assert caught.value.response["Error"].get("ActualObjectSize") == str(len(body))
    with refused("416", 416):
        bucket.head("key", Range=header)


def test_a_range_of_an_empty_object_is_rejected(bucket):
    bucket.put("empty", b"")
    with refused("InvalidRange", 416):
        bucket.get("empty", Range="bytes=0-")


def test_the_only_part_of_a_plain_object(bucket):
    bucket.put("key", SMALL)
    got = bucket.get("key", PartNumber=1)
    assert got["Body"] == SMALL
    assert got["ResponseMetadata"]["HTTPStatusCode"] == 206
    assert got["ContentRange"] == "bytes 0-99/100"
    assert "PartsCount" not in got
    with refused("InvalidPartNumber", 416, "The requested partnumber is not satisfiable"):
        bucket.get("key", PartNumber=2)


def test_parts_and_ranges_across_them(bucket):
    parts = [b"a" * PART, b"b" * (PART + 3), b"c" * 10]
    upload = bucket.start_upload("key")
    for number, part in enumerate(parts, 1):
        upload.put(number, part)
    upload.complete()
    whole = b"".join(parts)
    at = 0
    for number, part in enumerate(parts, 1):
        got = bucket.get("key", PartNumber=number)
        assert got["Body"] == part
        assert got["ContentRange"] == f"bytes {at}-{at + len(part) - 1}/{len(whole)}"
        assert got["PartsCount"] == 3
        head = bucket.head("key", PartNumber=number)
        assert (head["ContentLength"], head["PartsCount"]) == (len(part), 3)
        assert head["ETag"] == multipart_etag(parts)
        at += len(part)
    with refused("InvalidPartNumber", 416):
        bucket.get("key", PartNumber=4)
    for start, end in ((0, 1), (PART - 1, PART + 1), (PART - 5, 2 * PART + 5), (2 * PART, len(whole)), (PART, PART + 1)):
        assert bucket.read("key", Range=f"bytes={start}-{end - 1}") == whole[start:end]
    assert bucket.read("key", Range="bytes=-12") == whole[-12:]
    assert bucket.read("key") == whole


def test_a_part_and_a_range_cannot_be_combined(bucket):
    bucket.put("key", SMALL)
    with refused("InvalidRequest", 400, "Cannot specify both Range header and partNumber query parameter"):
        bucket.get("key", PartNumber=1, Range="bytes=0-1")
