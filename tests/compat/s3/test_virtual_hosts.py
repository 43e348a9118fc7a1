# SPDX-License-Identifier: Apache-2.0
"""Buckets as host names."""
import pytest

from support.queues import unique_name
from support.raw import exchange, request_bytes


@pytest.fixture
def by_name(connect, server, local_names):
    """A client that puts the bucket into the host's name, as clients of Amazon do."""
    return connect("s3", endpoint=f"http://localhost:{server.port}", s3={"addressing_style": "virtual"})


def test_everything_works_by_host_names(by_name, make_bucket):
    bucket = make_bucket(client=by_name)
    for key in ("key", "a folder/ü + %", "/leading", bucket.name, f"{bucket.name}/key"):
        bucket.put(key, key.encode())
        assert bucket.read(key) == key.encode()
    bucket.copy("key", "copy")
    assert bucket.keys(Prefix="k") == ["key"]
    upload = bucket.start_upload("parts")
    upload.put(1, b"x")
    upload.complete()
    assert bucket.read("parts") == b"x"
    bucket.delete("key")
    assert not bucket.has("key")
    assert by_name.get_bucket_location(Bucket=bucket.name)["LocationConstraint"] is None


def test_both_styles_mean_the_same_bucket(by_name, bucket):
    bucket.put("key", b"by path")
    assert by_name.get_object(Bucket=bucket.name, Key="key")["Body"].read() == b"by path"
    by_name.put_object(Bucket=bucket.name, Key="key", Body=b"by name")
    assert bucket.read("key") == b"by name"


def test_presigned_urls_by_host_names(connect, server, local_names, bucket, fetch):
    for more in ({}, {"signature_version": "s3v4"}):
        client = connect("s3", endpoint=f"http://localhost:{server.port}", s3={"addressing_style": "virtual"}, **more)
        bucket.put("a key", b"x")
        url = client.generate_presigned_url("get_object", Params={"Bucket": bucket.name, "Key": "a key"})
        assert url.startswith(f"http://{bucket.name}.localhost:")
        assert fetch("GET", url).body == b"x"


@pytest.mark.parametrize("suffix", ["s3.amazonaws.com", "s3.us-east-1.amazonaws.com"])
def test_host_names_of_amazon(raw, bucket, suffix):
    """A proxy or a hosts file may lead Amazon's own names here."""
    bucket.put("key", b"x")
    target = "/key"
    fields = raw.fields("GET", target, {"Host": f"{bucket.name}.{suffix}"})
    answer = exchange(raw.port, request_bytes("GET", target, fields))
    assert (answer.status, answer.body) == (200, b"x"), answer


def test_a_host_that_names_no_bucket(by_name):
    with pytest.raises(by_name.exceptions.NoSuchBucket):
        by_name.list_objects_v2(Bucket=unique_name())
