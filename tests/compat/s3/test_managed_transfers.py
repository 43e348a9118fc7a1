# SPDX-License-Identifier: Apache-2.0
"""boto3's managed transfers: uploads and downloads in parts, by threads."""
import hashlib
import io
import os

import boto3
import pytest
from boto3.s3.transfer import TransferConfig

from support.buckets import MIB, PART, refused

IN_PARTS = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def large(folder):
    path = folder / "large"
    path.write_bytes(os.urandom(17 * MIB + 123))
    return path


def test_a_small_file(s3, bucket, folder):
    path = folder / "small"
    path.write_bytes(b"small")
    s3.upload_file(str(path), bucket.name, "key", ExtraArgs={"ContentType": "text/own", "Metadata": {"a": "b"}})
    assert bucket.head("key")["ContentType"] == "text/own"
    s3.download_file(bucket.name, "key", str(folder / "back"))
    assert (folder / "back").read_bytes() == b"small"


def test_a_large_file_is_uploaded_in_parts(s3, bucket, folder, large):
    seen = []
    extra = {"ContentType": "text/own", "Metadata": {"a": "b"}, "Tagging": "t=1"}
    s3.upload_file(str(large), bucket.name, "key", ExtraArgs=extra, Config=IN_PARTS, Callback=seen.append)
    assert sum(seen) == large.stat().st_size
    head = bucket.head("key")
    assert head["ETag"].endswith('-4"') and head["ContentType"] == "text/own" and head["Metadata"] == {"a": "b"}
    s3.download_file(bucket.name, "key", str(folder / "back"), Config=IN_PARTS)
    assert (folder / "back").read_bytes() == large.read_bytes()


@pytest.mark.parametrize("algorithm", ["CRC32", "SHA256"])
def test_a_large_file_with_checksums(s3, bucket, large, algorithm):
    s3.upload_file(str(large), bucket.name, "key", ExtraArgs={"ChecksumAlgorithm": algorithm}, Config=IN_PARTS)
    assert f"Checksum{algorithm}" in bucket.head("key", ChecksumMode="ENABLED")
    assert hashlib.md5(bucket.read("key")).digest() == hashlib.md5(large.read_bytes()).digest()


def test_streams(s3, bucket, large):
    with open(large, "rb") as file:
        s3.upload_fileobj(file, bucket.name, "key", Config=IN_PARTS)
    into = io.BytesIO()
    s3.download_fileobj(bucket.name, "key", into, Config=IN_PARTS)
    assert into.getvalue() == large.read_bytes()


class Endless(io.RawIOBase):
    """A stream that can't be rewound, as a pipe."""

    def __init__(self, body):
        self.rest = io.BytesIO(body)

    def readable(self):
        return True

    def read(self, size=-1):
        return self.rest.read(size)


def test_a_stream_of_unknown_length(s3, bucket, large):
    s3.upload_fileobj(Endless(large.read_bytes()), bucket.name, "key", Config=IN_PARTS)
    assert bucket.read("key") == large.read_bytes()


def test_a_large_object_is_copied_in_parts(s3, bucket, large, make_bucket):
    s3.upload_file(str(large), bucket.name, "key", Config=IN_PARTS)
    other = make_bucket()
    s3.copy({"Bucket": bucket.name, "Key": "key"}, other.name, "copy", Config=IN_PARTS)
    head = other.head("copy")
    assert head["ETag"].endswith('-4"')
    assert other.read("copy") == large.read_bytes()


def test_an_empty_object_does_not_delay_the_next(connect, bucket):
    """botocore sends Expect: 100-continue with each body, also with an empty one. If it gets no 100, it misreads the
    next response on the connection."""
    client = connect("s3", read_timeout=120, retries={"total_max_attempts": 1})
    for size in (0, 1, 0, 0, 70_000, 0, 1):
        client.put_object(Bucket=bucket.name, Key="key", Body=b"x" * size)
    for _ in range(2):
        with refused("NoSuchBucket"):
            client.put_object(Bucket="no-such-bucket-" + bucket.name[-16:], Key="key", Body=b"")
        client.put_object(Bucket=bucket.name, Key="key", Body=b"")


def test_downloading_a_missing_object_fails(s3, bucket, folder):
    with refused("404", 404):
        s3.download_file(bucket.name, "nothing", str(folder / "never"))
    assert not (folder / "never").exists()


def test_resources(s3, bucket, server):
    """boto3's other interface."""
    key = server.root_key
    resource = boto3.resource(
        "s3",
        endpoint_url=server.endpoint,
        region_name="us-east-1",
        aws_access_key_id=key.id,
        aws_secret_access_key=key.secret,
    )
    there = resource.Bucket(bucket.name)
    for i in range(3):
        there.put_object(Key=f"k{i}", Body=b"x" * i)
    assert [(one.key, one.size) for one in there.objects.all()] == [("k0", 0), ("k1", 1), ("k2", 2)]
    assert [one.key for one in there.objects.filter(Prefix="k1")] == ["k1"]
    assert resource.Object(bucket.name, "k2").get()["Body"].read() == b"xx"
    there.objects.filter(Prefix="k1").delete()
    assert [one.key for one in there.objects.all()] == ["k0", "k2"]
    waiter = s3.get_waiter("object_exists")
    waiter.wait(Bucket=bucket.name, Key="k0", WaiterConfig={"Delay": 1, "MaxAttempts": 10})
    s3.get_waiter("object_not_exists").wait(Bucket=bucket.name, Key="k1", WaiterConfig={"Delay": 1, "MaxAttempts": 10})
    s3.get_waiter("bucket_exists").wait(Bucket=bucket.name, WaiterConfig={"Delay": 1, "MaxAttempts": 10})
