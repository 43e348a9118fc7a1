# SPDX-License-Identifier: Apache-2.0
"""Objects: put, get, head, delete; headers and metadata."""
import datetime
import hashlib
import json

import pytest

from support.buckets import MIB, refused

BODIES = [b"", b"x", bytes(range(256)), b"\r\n\0" * 100, b"y" * 65535, b"y" * 65536, b"y" * 65537, b"z" * (3 * MIB)]


def etag(body):
    return f'"{hashlib.md5(body).hexdigest()}"'


@pytest.mark.parametrize("body", BODIES, ids=lambda body: f"{len(body)} bytes")
def test_an_object_is_returned_unchanged(bucket, body):
    put = bucket.put("key", body)
    assert put["ETag"] == etag(body)
    assert put["ServerSideEncryption"] == "AES256"
    got = bucket.get("key")
    assert got["Body"] == body
    assert (got["ContentLength"], got["ETag"]) == (len(body), etag(body))
    head = bucket.head("key")
    assert (head["ContentLength"], head["ETag"]) == (len(body), etag(body))
    assert "VersionId" not in put and "VersionId" not in got


def test_the_headers_of_a_plain_object(bucket):
    bucket.put("key", b"x")
    head = bucket.head("key")
    assert head["ContentType"] == "binary/octet-stream"
    assert head["AcceptRanges"] == "bytes"
    assert head["Metadata"] == {}
    assert head["ServerSideEncryption"] == "AES256"
    age = datetime.datetime.now(datetime.timezone.utc) - head["LastModified"]
    assert abs(age.total_seconds()) < 300 and head["LastModified"].microsecond == 0
    for absent in ("CacheControl", "ContentEncoding", "ContentLanguage", "ContentDisposition", "Expires", "TagCount"):
        assert absent not in head
    assert "StorageClass" not in head and "PartsCount" not in head
    headers = head["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-amz-request-id"] and headers["x-amz-id-2"]


SYSTEM = {
    "CacheControl": "no-cache, max-age=5",
    "ContentDisposition": 'attachment; filename="a b.txt"',
    "ContentEncoding": "identity",
    "ContentLanguage": "de-DE",
    "ContentType": "text/plain; charset=utf-8",
}


def test_headers_are_stored(bucket):
    expires = datetime.datetime(2035, 6, 1, 12, 0, 0, tzinfo=datetime.timezone.utc)
    bucket.put("key", b"x", Expires=expires, **SYSTEM)
    for answer in (bucket.head("key"), bucket.get("key")):
        assert {name: answer[name] for name in SYSTEM} == SYSTEM
        assert answer["ResponseMetadata"]["HTTPHeaders"]["expires"] == "Fri, 01 Jun 2035 12:00:00 GMT"


def test_overwriting_an_object_replaces_its_headers(bucket):
    bucket.put("key", b"x", Metadata={"a": "b"}, **SYSTEM)
    bucket.put("key", b"y")
    head = bucket.head("key")
    assert head["Metadata"] == {} and "CacheControl" not in head
    assert head["ContentType"] == "binary/octet-stream"


def test_metadata(bucket):
    metadata = {"plain": "value", "empty": "", "with-dashes_and.dots": "a=b; c, d", "upper": "Case"}
    bucket.put("key", b"x", Metadata=metadata)
    assert bucket.head("key")["Metadata"] == metadata
    assert bucket.get("key")["Metadata"] == metadata


def test_names_of_metadata_are_lower_case(bucket):
    bucket.put("key", b"x", Metadata={"CamelCase": "Value"})
    assert bucket.head("key")["Metadata"] == {"camelcase": "Value"}


def test_metadata_has_a_size_limit(bucket):
    bucket.put("key", b"x", Metadata={"a": "v" * 2047})  # name and value together: 2 KiB
    with refused("MetadataTooLarge", 400, "Your metadata headers exceed the maximum allowed metadata size"):
        bucket.put("key", b"y", Metadata={"a": "v" * 2048})
    assert bucket.read("key") == b"x"


def test_a_missing_object_is_reported(s3, bucket):
    with refused("NoSuchKey", 404, "The specified key does not exist.") as caught:
        bucket.get("nothing")
    assert caught.value.response["Error"]["Key"] == "nothing"
    with refused("404", 404):
        bucket.head("nothing")
    assert bucket.delete("nothing")["ResponseMetadata"]["HTTPStatusCode"] == 204


def test_deleting_an_object(bucket):
    bucket.put("key", b"x")
    answer = bucket.delete("key")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert "DeleteMarker" not in answer and "VersionId" not in answer
    with refused("NoSuchKey", 404):
        bucket.get("key")
    assert bucket.keys() == []


def test_the_last_write_wins(bucket):
    for size in (10, 100_000, 20, 200_000, 0):
        body = bytes([size % 251]) * size
        bucket.put("key", body)
        assert bucket.read("key") == body
    assert bucket.keys() == ["key"]


def test_response_headers_can_be_overridden(bucket):
    bucket.put("key", b"x", ContentType="text/plain")
    got = bucket.get(
        "key",
        ResponseCacheControl="no-store",
        ResponseContentDisposition='attachment; filename="x.bin"',
        ResponseContentEncoding="identity",
        ResponseContentLanguage="fr",
        ResponseContentType="application/x-own",
        ResponseExpires=datetime.datetime(2030, 1, 1, tzinfo=datetime.timezone.utc),
    )
    assert got["CacheControl"] == "no-store"
    assert got["ContentDisposition"] == 'attachment; filename="x.bin"'
    assert got["ContentEncoding"] == "identity"
    assert got["ContentLanguage"] == "fr"
    assert got["ContentType"] == "application/x-own"
    assert got["ResponseMetadata"]["HTTPHeaders"]["expires"].startswith("Tue, 01 Jan 2030")
    assert bucket.head("key")["ContentType"] == "text/plain"


def test_a_redirect_is_stored(bucket):
    bucket.put("key", b"x", WebsiteRedirectLocation="/other")
    assert bucket.head("key")["WebsiteRedirectLocation"] == "/other"


def test_storage_classes(bucket):
    bucket.put("key", b"x", StorageClass="STANDARD_IA")
    assert bucket.head("key")["StorageClass"] == "STANDARD_IA"
    assert bucket.list()["Contents"][0]["StorageClass"] == "STANDARD_IA"
    with refused("InvalidStorageClass", 400, "The storage class you specified is not valid"):
        bucket.put("key", b"x", StorageClass="CHEAP")


def test_requested_encryption(bucket):
    assert bucket.put("key", b"x", ServerSideEncryption="AES256")["ServerSideEncryption"] == "AES256"
    with refused(("InvalidArgument", "InvalidEncryptionAlgorithmError"), 400):
        bucket.put("key", b"y", ServerSideEncryption="ROT13")
    assert bucket.read("key") == b"x"


def tags(bucket, key="key", **more):
    shown = bucket.client.get_object_tagging(Bucket=bucket.name, Key=key, **more)["TagSet"]
    return {tag["Key"]: tag["Value"] for tag in shown}


def set_tags(bucket, key="key", **values):
    pairs = [{"Key": name, "Value": value} for name, value in values.items()]
    return bucket.client.put_object_tagging(Bucket=bucket.name, Key=key, Tagging={"TagSet": pairs})


def test_tags_of_objects(s3, bucket):
    bucket.put("key", b"x", Tagging="a=1&b=two%20words&%C3%BC=%2B%3D")
    assert tags(bucket) == {"a": "1", "b": "two words", "ü": "+="}
    assert bucket.get("key")["TagCount"] == 3
    set_tags(bucket, only="one")
    assert tags(bucket) == {"only": "one"}
    assert s3.delete_object_tagging(Bucket=bucket.name, Key="key")["ResponseMetadata"]["HTTPStatusCode"] == 204
    assert tags(bucket) == {}
    assert "TagCount" not in bucket.get("key")
    with refused("NoSuchKey", 404):
        tags(bucket, "nothing")
    with refused("NoSuchKey", 404):
        set_tags(bucket, "nothing", a="b")


@pytest.mark.parametrize("tagging", ["a=1&a=2", "&".join(f"k{i}=v" for i in range(11)), "k" * 129 + "=v", "k=" + "v" * 257])
def test_invalid_object_tags_are_rejected(bucket, tagging):
    with refused(("InvalidTag", "BadRequest", "InvalidArgument"), 400):
        bucket.put("key", b"x", Tagging=tagging)
    assert bucket.keys() == []


def test_eleven_tags_are_rejected(bucket):
    bucket.put("key", b"x")
    set_tags(bucket, **{f"k{i}": "v" for i in range(10)})
    with refused("BadRequest", 400, "Object tags cannot be greater than 10"):
        set_tags(bucket, **{f"k{i}": "v" for i in range(11)})
    assert len(tags(bucket)) == 10


def test_several_objects_are_deleted_in_one_request(bucket):
    for i in range(5):
        bucket.put(f"k{i}", b"x")
    answer = bucket.delete_many("k0", "k1", "never was", "k<&>\"'")
    assert [one["Key"] for one in answer["Deleted"]] == ["k0", "k1", "never was", "k<&>\"'"]
    assert "Errors" not in answer
    assert bucket.keys() == ["k2", "k3", "k4"]
    quiet = bucket.delete_many("k2", Quiet=True)
    assert "Deleted" not in quiet and "Errors" not in quiet
    assert bucket.keys() == ["k3", "k4"]


def test_at_most_a_thousand_objects_are_deleted_in_one_request(bucket):
    bucket.put("k0", b"x")
    with refused("MalformedXML", 400):
        bucket.delete_many(*(f"k{i}" for i in range(1001)))
    with refused("MalformedXML", 400):
        bucket.delete_many()
    assert bucket.keys() == ["k0"]
    assert len(bucket.delete_many(*(f"k{i}" for i in range(1000)))["Deleted"]) == 1000
    assert bucket.keys() == []


def test_attributes(s3, bucket):
    bucket.put("key", b"some bytes")
    wanted = ["ETag", "ObjectSize", "StorageClass", "Checksum", "ObjectParts"]
    answer = s3.get_object_attributes(Bucket=bucket.name, Key="key", ObjectAttributes=wanted)
    assert answer["ETag"] == etag(b"some bytes").strip('"')
    assert (answer["ObjectSize"], answer["StorageClass"]) == (10, "STANDARD")
    assert "ObjectParts" not in answer
    assert answer["LastModified"] == bucket.head("key")["LastModified"]
    only = s3.get_object_attributes(Bucket=bucket.name, Key="key", ObjectAttributes=["ObjectSize"])
    assert only["ObjectSize"] == 10 and "ETag" not in only and "Checksum" not in only
    with refused("NoSuchKey", 404):
        s3.get_object_attributes(Bucket=bucket.name, Key="nothing", ObjectAttributes=wanted)


def test_a_body_without_a_length_is_rejected(raw, bucket):
    answer = raw.call("PUT", f"/{bucket.name}/key", length="")
    assert answer.status == 411 and answer.code == "MissingContentLength", answer


def test_many_concurrent_requests(bucket):
    """The same client by many threads, as programs use it."""
    from concurrent.futures import ThreadPoolExecutor

    def there_and_back(i):
        body = json.dumps({"n": i}).encode() * (1 + i * 100)
        bucket.put(f"k{i:03}", body)
        return bucket.read(f"k{i:03}") == body

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(there_and_back, range(100)))
    assert bucket.keys() == [f"k{i:03}" for i in range(100)]


def test_retention_needs_a_bucket_with_object_lock(s3, bucket):
    bucket.put("key", b"x")
    at = {"Bucket": bucket.name, "Key": "key"}
    until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    for call in (
        lambda: s3.get_object_legal_hold(**at),
        lambda: s3.put_object_legal_hold(**at, LegalHold={"Status": "ON"}),
        lambda: s3.get_object_retention(**at),
        lambda: s3.put_object_retention(**at, Retention={"Mode": "GOVERNANCE", "RetainUntilDate": until}),
    ):
        with refused("InvalidRequest", 400, "Bucket is missing Object Lock Configuration"):
            call()
    for bypass in (True, False):
        with refused("InvalidArgument", 400, "only applicable to Object Lock enabled buckets"):
            bucket.delete("key", BypassGovernanceRetention=bypass)
