# SPDX-License-Identifier: Apache-2.0
"""Copies: copied and replaced properties."""
import pytest

from support.buckets import MIB, refused
from support.queues import unique_name


@pytest.fixture(params=[b"small", b"large" * 100_000], ids=["small", "large"])
def body(request, bucket):
    bucket.put(
        "source",
        request.param,
        Metadata={"a": "b"},
        ContentType="text/own",
        CacheControl="no-cache",
        Tagging="t=1",
    )
    return request.param


def test_a_copy_equals_its_source(bucket, body):
    answer = bucket.copy("source", "copy")["CopyObjectResult"]
    head = bucket.head("copy")
    assert answer["ETag"] == head["ETag"] == bucket.head("source")["ETag"]
    assert abs((answer["LastModified"] - head["LastModified"]).total_seconds()) < 1
    assert (head["Metadata"], head["ContentType"], head["CacheControl"]) == ({"a": "b"}, "text/own", "no-cache")
    got = bucket.get("copy")
    assert got["Body"] == body and got["TagCount"] == 1


def test_a_copy_outlives_its_source(bucket, body):
    bucket.copy("source", "copy")
    bucket.put("source", b"something else")
    assert bucket.read("copy") == body
    bucket.delete("source")
    assert bucket.read("copy") == body
    bucket.copy("copy", "source")
    bucket.delete("copy")
    assert bucket.read("source") == body


def test_a_copy_can_replace_the_metadata(bucket, body):
    bucket.copy("source", "copy", MetadataDirective="REPLACE", Metadata={"c": "d"}, ContentType="text/new")
    head = bucket.head("copy")
    assert (head["Metadata"], head["ContentType"]) == ({"c": "d"}, "text/new")
    assert "CacheControl" not in head
    assert bucket.read("copy") == body


def test_metadata_without_the_replace_directive_is_ignored(bucket, body):
    bucket.copy("source", "copy", Metadata={"c": "d"}, ContentType="text/new")
    head = bucket.head("copy")
    assert (head["Metadata"], head["ContentType"]) == ({"a": "b"}, "text/own")


def test_tags_are_copied_or_replaced(s3, bucket, body):
    bucket.copy("source", "copy", TaggingDirective="REPLACE", Tagging="n=2&m=3")
    shown = s3.get_object_tagging(Bucket=bucket.name, Key="copy")["TagSet"]
    assert {tag["Key"]: tag["Value"] for tag in shown} == {"n": "2", "m": "3"}


def test_a_copy_between_buckets(bucket, body, make_bucket):
    other = make_bucket()
    other.copy({"Bucket": bucket.name, "Key": "source"}, "copy")
    assert other.read("copy") == body
    assert other.keys() == ["copy"] and bucket.keys() == ["source"]


def test_a_copy_source_may_begin_with_a_slash(bucket, body):
    for source in (f"{bucket.name}/source", f"/{bucket.name}/source"):
        bucket.client.copy_object(Bucket=bucket.name, Key="copy", CopySource=source)
        assert bucket.read("copy") == body


def test_a_copy_onto_itself_needs_a_change(bucket, body):
    message = "This copy request is illegal because it is trying to copy an object to itself without changing"
    with refused("InvalidRequest", 400, message):
        bucket.copy("source", "source")
    bucket.copy("source", "source", MetadataDirective="REPLACE", Metadata={"new": "data"})
    assert bucket.head("source")["Metadata"] == {"new": "data"}
    assert bucket.read("source") == body


def test_a_copy_of_a_missing_source_fails(bucket):
    with refused("NoSuchKey", 404, "The specified key does not exist"):
        bucket.copy("nothing", "copy")
    with refused("NoSuchBucket", 404):
        bucket.copy({"Bucket": unique_name(), "Key": "k"}, "copy")
    assert bucket.keys() == []


def test_an_invalid_directive_is_rejected(bucket, body):
    with refused("InvalidArgument", 400, "Unknown metadata directive"):
        bucket.copy("source", "copy", MetadataDirective="PERHAPS")


def test_versions_are_copied_by_their_ids(versioned):
    old = versioned.put("key", b"old")["VersionId"]
    versioned.put("key", b"new")
    answer = versioned.copy({"Bucket": versioned.name, "Key": "key", "VersionId": old}, "copy")
    assert answer["CopySourceVersionId"] == old and answer["VersionId"]
    assert versioned.read("copy") == b"old"
    versioned.copy({"Bucket": versioned.name, "Key": "key", "VersionId": old}, "key")  # restores it
    assert versioned.read("key") == b"old"
    versioned.delete("key")
    with refused("NoSuchKey", 404):
        versioned.copy("key", "gone")
    versioned.copy({"Bucket": versioned.name, "Key": "key", "VersionId": old}, "key")
    assert versioned.read("key") == b"old"


def test_a_copy_of_a_multipart_object_has_one_part(bucket):
    upload = bucket.start_upload("source", ContentType="text/own", Metadata={"a": "b"})
    upload.put(1, b"1" * 5 * MIB)
    upload.put(2, b"22")
    upload.complete()
    bucket.copy("source", "copy")
    got = bucket.get("copy")
    assert got["Body"] == b"1" * 5 * MIB + b"22"
    assert "-" not in got["ETag"]
    assert (got["ContentType"], got["Metadata"]) == ("text/own", {"a": "b"})
    assert "PartsCount" not in bucket.head("copy", PartNumber=1)
