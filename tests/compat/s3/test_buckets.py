# SPDX-License-Identifier: Apache-2.0
"""Buckets: creating, finding, listing and deleting them; regions and owners."""
import datetime

import pytest

from support.buckets import needs, refused
from support.queues import unique_name

BAD_NAMES = ["ab", "x" * 64, "Upper-case", "under_score", "-front", "back-", ".front", "back.", "two..dots"]
BAD_NAMES += ["dot.-hyphen", "hyphen-.dot", "192.168.5.4", "xn--name", "sthree-name", "name-s3alias", "name--ol-s3"]


def test_a_bucket_is_created_and_found(s3, bucket):
    answer = s3.head_bucket(Bucket=bucket.name)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert answer["ResponseMetadata"]["HTTPHeaders"]["x-amz-bucket-region"] == "us-east-1"
    assert answer["ResponseMetadata"]["HTTPHeaders"]["content-type"] == "application/xml"
    assert s3.get_bucket_location(Bucket=bucket.name)["LocationConstraint"] is None
    assert bucket.name in [one["Name"] for one in s3.list_buckets()["Buckets"]]


def test_creating_a_bucket_returns_its_location(s3, make_bucket):
    name = unique_name()
    make_bucket(name)
    again = s3.create_bucket(Bucket=name)  # us-east-1 alone does not mind
    assert again["Location"] == "/" + name


def test_a_bucket_of_another_region(connect, make_bucket):
    client = connect("s3", region="eu-west-1")
    name = unique_name()
    where = {"LocationConstraint": "eu-west-1"}
    bucket = make_bucket(name, client, CreateBucketConfiguration=where)
    assert client.get_bucket_location(Bucket=bucket.name)["LocationConstraint"] == "eu-west-1"
    head = client.head_bucket(Bucket=bucket.name)["ResponseMetadata"]["HTTPHeaders"]
    assert head["x-amz-bucket-region"] == "eu-west-1"
    with refused("BucketAlreadyOwnedByYou", 409, "you already own it"):
        client.create_bucket(Bucket=name, CreateBucketConfiguration=where)


def test_a_bucket_in_another_region_needs_a_location(connect):
    with refused("IllegalLocationConstraintException", 400, "The unspecified location constraint is incompatible"):
        connect("s3", region="eu-west-1").create_bucket(Bucket=unique_name())


@pytest.mark.parametrize("region", ["us-east-1", "nowhere", ""])
def test_an_invalid_location_is_rejected(s3, region):
    with refused(("InvalidLocationConstraint", "IllegalLocationConstraintException"), 400):
        s3.create_bucket(Bucket=unique_name(), CreateBucketConfiguration={"LocationConstraint": region})


@pytest.mark.parametrize("name", BAD_NAMES)
def test_an_invalid_bucket_name_is_rejected(s3, name):
    with refused("InvalidBucketName", 400, "The specified bucket is not valid"):
        s3.create_bucket(Bucket=name)


@pytest.mark.parametrize("length", [3, 63])
def test_the_shortest_and_the_longest_name(make_bucket, length):
    name = unique_name().replace("stoker-test-", "")[:length].ljust(length, "x")
    assert len(make_bucket(name).name) == length


def test_a_name_with_dots(make_bucket):
    bucket = make_bucket(unique_name(".with.dots"))
    bucket.put("key", b"dotted")
    assert bucket.read("key") == b"dotted"


def test_a_missing_bucket_is_reported(s3):
    name = unique_name()
    with refused("404", 404):
        s3.head_bucket(Bucket=name)
    for call in (s3.get_bucket_location, s3.list_objects, s3.list_objects_v2, s3.list_object_versions):
        with refused("NoSuchBucket", 404, "The specified bucket does not exist") as caught:
            call(Bucket=name)
        assert caught.value.response["Error"]["BucketName"] == name
    with refused("NoSuchBucket", 404):
        s3.delete_bucket(Bucket=name)
    with refused("NoSuchBucket", 404):
        s3.put_object(Bucket=name, Key="key", Body=b"x")
    with refused("NoSuchBucket", 404):
        s3.get_object(Bucket=name, Key="key")


def test_an_error_has_the_ids_of_the_request(s3):
    with refused("NoSuchBucket") as caught:
        s3.list_objects_v2(Bucket=unique_name())
    metadata = caught.value.response["ResponseMetadata"]
    assert metadata["RequestId"] == metadata["HTTPHeaders"]["x-amz-request-id"]
    assert metadata["HostId"] == metadata["HTTPHeaders"]["x-amz-id-2"]
    assert metadata["HTTPHeaders"]["content-type"] == "application/xml"


def test_a_bucket_with_objects_cannot_be_deleted(s3, bucket):
    bucket.put("key", b"x")
    with refused("BucketNotEmpty", 409, "The bucket you tried to delete is not empty"):
        s3.delete_bucket(Bucket=bucket.name)
    bucket.delete("key")
    answer = s3.delete_bucket(Bucket=bucket.name)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    with refused("404", 404):
        s3.head_bucket(Bucket=bucket.name)


def test_a_bucket_with_old_versions_or_markers_cannot_be_deleted(s3, versioned):
    versioned.put("key", b"x")
    versioned.delete("key")
    assert versioned.keys() == []
    with refused("BucketNotEmpty", 409, "You must delete all versions in the bucket."):
        s3.delete_bucket(Bucket=versioned.name)


def test_the_name_of_a_deleted_bucket_can_be_used_again(s3, make_bucket):
    first = make_bucket()
    first.set_versioning("Enabled")
    s3.put_bucket_tagging(Bucket=first.name, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]})
    s3.delete_bucket(Bucket=first.name)
    make_bucket(first.name)
    assert "Status" not in s3.get_bucket_versioning(Bucket=first.name)
    with refused("NoSuchTagSet"):
        s3.get_bucket_tagging(Bucket=first.name)


def test_buckets_are_listed_by_name(s3, make_bucket):
    stem = unique_name()
    for letter in "cab":
        make_bucket(f"{stem}-{letter}")
    answer = s3.list_buckets()
    names = [one["Name"] for one in answer["Buckets"]]
    assert names == sorted(names)
    assert {f"{stem}-{letter}" for letter in "abc"} <= set(names)
    assert len(answer["Owner"]["ID"]) == 64
    made = next(one for one in answer["Buckets"] if one["Name"] == f"{stem}-a")["CreationDate"]
    age = datetime.datetime.now(datetime.timezone.utc) - made
    assert abs(age.total_seconds()) < 300


def test_buckets_are_listed_in_pages_and_by_prefix(s3, make_bucket):
    needs(s3, "ListBuckets", "MaxBuckets", "Prefix")
    stem = unique_name()
    names = [make_bucket(f"{stem}-{letter}").name for letter in "abcde"]
    first = s3.list_buckets(Prefix=stem, MaxBuckets=2)
    assert [one["Name"] for one in first["Buckets"]] == names[:2]
    assert first["Prefix"] == stem and first["Buckets"][0]["BucketRegion"] == "us-east-1"
    pages = list(s3.get_paginator("list_buckets").paginate(Prefix=stem, PaginationConfig={"PageSize": 2}))
    assert [[one["Name"] for one in page["Buckets"]] for page in pages] == [names[:2], names[2:4], names[4:]]
    assert "ContinuationToken" not in pages[-1]


def test_buckets_are_listed_by_region(s3, connect, make_bucket):
    needs(s3, "ListBuckets", "BucketRegion")
    stem = unique_name()
    make_bucket(stem + "-here")
    far = connect("s3", region="eu-west-1")
    make_bucket(stem + "-there", far, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    shown = far.list_buckets(Prefix=stem, BucketRegion="eu-west-1")["Buckets"]
    assert [one["Name"] for one in shown] == [stem + "-there"]


def test_an_unexpected_bucket_owner_is_rejected(s3, bucket, account):
    bucket.put("key", b"x", ExpectedBucketOwner=account)
    assert bucket.read("key", ExpectedBucketOwner=account) == b"x"
    for call in (s3.list_objects_v2, s3.get_bucket_location, s3.delete_bucket):
        with refused("AccessDenied", 403):
            call(Bucket=bucket.name, ExpectedBucketOwner="999999999999")
    with refused("AccessDenied", 403):
        bucket.put("key", b"y", ExpectedBucketOwner="999999999999")
    assert bucket.read("key") == b"x"


def test_another_account_cannot_use_a_bucket(s3, bucket, other_s3):
    bucket.put("key", b"x")
    assert bucket.name not in [one["Name"] for one in other_s3.list_buckets()["Buckets"]]
    with refused("BucketAlreadyExists", 409, "The requested bucket name is not available"):
        other_s3.create_bucket(Bucket=bucket.name)
    with refused("403", 403):
        other_s3.head_bucket(Bucket=bucket.name)
    with refused("AccessDenied", 403, "Access Denied"):
        other_s3.list_objects_v2(Bucket=bucket.name)
    with refused("AccessDenied", 403):
        other_s3.get_object(Bucket=bucket.name, Key="key")
    with refused("AccessDenied", 403):
        other_s3.put_object(Bucket=bucket.name, Key="key", Body=b"theirs")
    with refused("AccessDenied", 403):
        other_s3.delete_bucket(Bucket=bucket.name)
    assert bucket.read("key") == b"x"
