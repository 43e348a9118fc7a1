# SPDX-License-Identifier: Apache-2.0
"""Listing objects: both versions of the call, prefixes, delimiters, pages."""
import hashlib
import json
import re

import pytest

from support.buckets import needs, refused

TREE = ["a", "b/1", "b/2", "b/c/3", "b/d/4", "bb", "c/", "c/5", "d//6", "é/7"]


@pytest.fixture
def tree(bucket):
    for key in TREE:
        bucket.put(key, key.encode())
    return bucket


@pytest.fixture(params=["list_objects", "list_objects_v2"])
def ask(request, s3, tree):
    """ask(...) -> (keys, common prefixes), with each version of the operation."""

    def shown(**more):
        answer = getattr(s3, request.param)(Bucket=tree.name, **more)
        keys = [one["Key"] for one in answer.get("Contents", [])]
        return keys, [one["Prefix"] for one in answer.get("CommonPrefixes", [])]

    return shown


def test_all_objects_are_listed(ask):
    assert ask() == (TREE, [])


def test_the_members_of_a_listed_object(s3, tree):
    answer = s3.list_objects_v2(Bucket=tree.name, Prefix="bb")
    (one,) = answer["Contents"]
    assert (one["Key"], one["Size"], one["StorageClass"]) == ("bb", 2, "STANDARD")
    assert one["ETag"] == f'"{hashlib.md5(b"bb").hexdigest()}"'
    assert one["LastModified"].replace(microsecond=0) == tree.head("bb")["LastModified"]
    assert "Owner" not in one
    assert (answer["Name"], answer["Prefix"], answer["MaxKeys"], answer["KeyCount"]) == (tree.name, "bb", 1000, 1)
    assert answer["IsTruncated"] is False and "NextContinuationToken" not in answer
    owned = s3.list_objects_v2(Bucket=tree.name, Prefix="bb", FetchOwner=True)["Contents"][0]
    assert owned["Owner"]["ID"] == s3.list_buckets()["Owner"]["ID"]
    first = s3.list_objects(Bucket=tree.name, Prefix="bb")
    assert first["Contents"][0]["Owner"]["ID"] == owned["Owner"]["ID"]
    assert first["Marker"] == "" and "KeyCount" not in first


def test_an_empty_bucket_is_listed(s3, bucket):
    answer = s3.list_objects_v2(Bucket=bucket.name)
    assert answer["KeyCount"] == 0 and "Contents" not in answer and answer["IsTruncated"] is False
    assert "Contents" not in s3.list_objects(Bucket=bucket.name)


@pytest.mark.parametrize("prefix", ["", "b", "b/", "b/c/", "c/", "é", "z", "a", "d//"])
def test_prefixes(ask, prefix):
    assert ask(Prefix=prefix) == ([key for key in TREE if key.startswith(prefix)], [])


def test_delimiters(ask):
    assert ask(Delimiter="/") == (["a", "bb"], ["b/", "c/", "d/", "é/"])
    assert ask(Delimiter="/", Prefix="b/") == (["b/1", "b/2"], ["b/c/", "b/d/"])
    assert ask(Delimiter="/", Prefix="b") == (["bb"], ["b/"])
    assert ask(Delimiter="/", Prefix="c/") == (["c/", "c/5"], [])
    assert ask(Delimiter="/", Prefix="d/") == ([], ["d//"])
    assert ask(Delimiter="b") == (["a", "c/", "c/5", "d//6", "é/7"], ["b"])
    assert ask(Delimiter="/c/") == ([k for k in TREE if k != "b/c/3"], ["b/c/"])
    assert ask(Delimiter="é") == (TREE[:-1], ["é"])
    assert ask(Delimiter="nowhere") == (TREE, [])
    assert ask(Delimiter="") == (TREE, [])


def walk_v2(s3, name, **more):
    """All entries in order, from pages."""
    items, token = [], {}
    while True:
        page = s3.list_objects_v2(Bucket=name, **more, **token)
        found = [one["Key"] for one in page.get("Contents", [])] + [one["Prefix"] for one in page.get("CommonPrefixes", [])]
        assert len(found) == page["KeyCount"] <= more["MaxKeys"]
        items += sorted(found, key=str.encode)
        if not page["IsTruncated"]:
            assert "NextContinuationToken" not in page
            return items
        assert len(found) == more["MaxKeys"]
        token = {"ContinuationToken": page["NextContinuationToken"]}


def walk_v1(s3, name, **more):
    items, marker = [], {}
    while True:
        page = s3.list_objects(Bucket=name, **more, **marker)
        found = [one["Key"] for one in page.get("Contents", [])] + [one["Prefix"] for one in page.get("CommonPrefixes", [])]
        items += sorted(found, key=str.encode)
        if not page["IsTruncated"]:
            return items
        # NextMarker is returned only with a delimiter; otherwise the last key is the marker
        assert ("NextMarker" in page) == ("Delimiter" in more)
        marker = {"Marker": page.get("NextMarker", found[-1])}


@pytest.mark.parametrize("size", [1, 2, 3, 9, 10, 11])
@pytest.mark.parametrize("more", [{}, {"Delimiter": "/"}, {"Prefix": "b/", "Delimiter": "/"}, {"Prefix": "b"}])
def test_pages(s3, tree, size, more):
    whole = walk_v2(s3, tree.name, MaxKeys=1000, **more)
    assert walk_v2(s3, tree.name, MaxKeys=size, **more) == whole
    assert walk_v1(s3, tree.name, MaxKeys=size, **more) == whole


def test_a_page_of_no_keys(s3, tree):
    answer = s3.list_objects_v2(Bucket=tree.name, MaxKeys=0)
    assert (answer["KeyCount"], answer["MaxKeys"], answer["IsTruncated"]) == (0, 0, False)


def test_a_page_has_at_most_a_thousand_keys(s3, bucket):
    for i in range(3):
        bucket.put(str(i), b"")
    answer = s3.list_objects_v2(Bucket=bucket.name, MaxKeys=5000)
    assert answer["KeyCount"] == 3 and answer["MaxKeys"] == 1000


def test_a_listing_starts_after_a_key(s3, tree):
    assert tree.keys(StartAfter="b/2") == TREE[3:]
    assert tree.keys(StartAfter="b/15") == TREE[2:]
    assert tree.keys(StartAfter="zzz") == ["é/7"]
    assert tree.keys(StartAfter="ü") == []
    assert tree.keys(StartAfter="b/1", Prefix="b/") == ["b/2", "b/c/3", "b/d/4"]
    assert s3.list_objects_v2(Bucket=tree.name, StartAfter="b/2")["StartAfter"] == "b/2"
    assert [one["Key"] for one in s3.list_objects(Bucket=tree.name, Marker="b/d/4")["Contents"]] == TREE[5:]


def test_a_continuation_token_takes_precedence_over_start_after(s3, tree):
    first = s3.list_objects_v2(Bucket=tree.name, MaxKeys=4)
    more = {"ContinuationToken": first["NextContinuationToken"]}
    second = s3.list_objects_v2(Bucket=tree.name, MaxKeys=4, StartAfter="a", **more)
    assert [one["Key"] for one in second["Contents"]] == TREE[4:8]
    assert second["ContinuationToken"] == first["NextContinuationToken"]


def test_pages_continue_after_deletions(s3, tree):
    first = s3.list_objects_v2(Bucket=tree.name, MaxKeys=3)
    for key in TREE[:5]:
        tree.delete(key)
    second = s3.list_objects_v2(Bucket=tree.name, ContinuationToken=first["NextContinuationToken"])
    assert [one["Key"] for one in second["Contents"]] == TREE[5:]


def test_the_parameters_of_a_listing_are_returned_encoded(raw, tree, bucket):
    bucket.put("sp ace+%/k", b"")
    answer = raw.call("GET", f"/{bucket.name}?delimiter=%2F&encoding-type=url&list-type=2&prefix=sp%20ace")
    assert answer.status == 200
    assert b"<EncodingType>url</EncodingType>" in answer.body
    assert b"<CommonPrefixes><Prefix>sp+ace%2B%25/</Prefix></CommonPrefixes>" in answer.body, answer.body
    assert b"<Prefix>sp+ace</Prefix>" in answer.body
    plain = raw.call("GET", f"/{bucket.name}?list-type=2&prefix=sp%20ace")
    assert b"EncodingType" not in plain.body
    assert b"<Key>sp ace+%/k</Key>" in plain.body


def test_invalid_parameters_are_rejected(s3, raw, bucket):
    with refused("InvalidArgument", 400, "The continuation token provided is incorrect"):
        s3.list_objects_v2(Bucket=bucket.name, ContinuationToken="nonsense")
    for query in ("max-keys=-1", "max-keys=words", "encoding-type=base64", "list-type=2&max-keys=99999999999999999999"):
        answer = raw.call("GET", f"/{bucket.name}?{query}")
        assert (answer.status, answer.code) == (400, "InvalidArgument"), (query, answer)


def test_paginators_find_everything(s3, bucket):
    keys = [f"{i:04}" for i in range(1005)]
    for key in keys:
        bucket.put(key, b"")
    for name in ("list_objects", "list_objects_v2"):
        pages = list(s3.get_paginator(name).paginate(Bucket=bucket.name))
        assert [one["Key"] for page in pages for one in page["Contents"]] == keys
        assert [len(page["Contents"]) for page in pages] == [1000, 5]
    found = [one["Key"] for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket.name) for one in page["Versions"]]
    assert found == keys


def test_versions_are_listed_newest_first_and_in_pages(s3, versioned):
    wanted = []
    for key in ("a", "b/1", "b/2", "c"):
        for _ in range(2):
            wanted.append((key, versioned.put(key, b"x")["VersionId"]))
    wanted.append(("b/2", versioned.delete("b/2")["VersionId"]))
    order = sorted(wanted, key=lambda one: (one[0], -wanted.index(one)))

    def walk(**more):
        found, marks = [], {}
        while True:
            page = s3.list_object_versions(Bucket=versioned.name, **more, **marks)
            here = [(v["Key"], v["VersionId"]) for v in page.get("Versions", []) + page.get("DeleteMarkers", [])]
            found += sorted(here, key=order.index) + [one["Prefix"] for one in page.get("CommonPrefixes", [])]
            if not page["IsTruncated"]:
                return found
            marks = {"KeyMarker": page["NextKeyMarker"]}
            if "NextVersionIdMarker" in page:
                marks["VersionIdMarker"] = page["NextVersionIdMarker"]

    for size in (1, 2, 3, 5, 100):
        assert walk(MaxKeys=size) == order
        assert sorted(map(str, walk(MaxKeys=size, Delimiter="/"))) == sorted(
            map(str, [one for one in order if "/" not in one[0]] + ["b/"])
        )
    assert walk(Prefix="b/") == [one for one in order if one[0].startswith("b/")]
    assert walk(KeyMarker="b/1") == [one for one in order if one[0] > "b/1"]
    with refused("InvalidArgument", 400, "A version-id marker cannot be specified without a key marker"):
        s3.list_object_versions(Bucket=versioned.name, VersionIdMarker="x")


def test_the_members_of_a_listed_version(s3, versioned):
    versioned.put("key", b"four")
    versioned.delete("key")
    answer = s3.list_object_versions(Bucket=versioned.name)
    (version,), (marker,) = answer["Versions"], answer["DeleteMarkers"]
    assert (version["Size"], version["StorageClass"], version["IsLatest"]) == (4, "STANDARD", False)
    assert version["ETag"] == f'"{hashlib.md5(b"four").hexdigest()}"'
    assert marker["IsLatest"] is True and marker["Owner"]["ID"] == version["Owner"]["ID"]
    assert marker["LastModified"] >= version["LastModified"]


def test_checksum_algorithms_are_listed(s3, bucket):
    needs(s3, "PutObject", "ChecksumCRC64NVME")
    bucket.put("key", b"x", ChecksumAlgorithm="SHA256")
    (one,) = bucket.list()["Contents"]
    assert (one["ChecksumAlgorithm"], one["ChecksumType"]) == (["SHA256"], "FULL_OBJECT")


def test_times_are_whole_seconds(raw, bucket):
    bucket.put("key", b"x")
    upload = bucket.start_upload("upload")
    upload.put(1, b"x")
    queries = ["?list-type=2", "?versions", "?uploads", f"/upload?uploadId={upload.id}"]
    for body in [raw.call("GET", f"/{bucket.name}{query}").body for query in queries] + [raw.call("GET", "/").body]:
        times = re.findall(rb"<(?:LastModified|Initiated|CreationDate)>([^<]*)<", body)
        assert times and all(time.endswith(b".000Z") for time in times), body
    assert bucket.list()["Contents"][0]["LastModified"] == bucket.head("key")["LastModified"]


@pytest.mark.parametrize("query, name", [("list-type=2&max-keys=x", "max-keys"), ("versions&max-keys=9999999999", "max-keys"),
                                         ("uploads&max-uploads=1.5", "max-uploads")])
def test_an_invalid_number_is_rejected(raw, bucket, query, name):
    answer = raw.call("GET", f"/{bucket.name}?{query}")
    assert (answer.status, answer.code) == (400, "InvalidArgument"), answer
    assert answer.message == f"Provided {name} not an integer or within integer range"


def test_an_empty_number_counts_as_absent(raw, bucket):
    upload = bucket.start_upload("upload")
    upload.put(1, b"x")
    for query in ("part-number-marker=", "max-parts="):
        answer = raw.call("GET", f"/{bucket.name}/upload?uploadId={upload.id}&{query}")
        assert answer.status == 200 and b"<MaxParts>1000</MaxParts>" in answer.body, answer


def test_a_marker_inside_a_common_prefix_skips_the_prefix(s3, bucket):
    for key in ("folder/sub/1", "folder/sub/2", "folder/x", "folder/y"):
        bucket.put(key)
    answer = s3.list_objects(Bucket=bucket.name, Prefix="folder/", Delimiter="/", MaxKeys=1, Marker="folder/sub/1")
    assert [found["Key"] for found in answer["Contents"]] == ["folder/x"] and "CommonPrefixes" not in answer
    assert (answer["IsTruncated"], answer["NextMarker"]) == (True, "folder/x")


def test_a_listing_has_no_owner_by_default(s3, bucket, fetch):
    bucket.put("key", b"x")
    bucket.open_to_the_public()
    statement = {"Effect": "Allow", "Principal": "*", "Action": "s3:ListBucket", "Resource": bucket.arn}
    s3.put_bucket_policy(Bucket=bucket.name, Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    for query in ("", "?list-type=2&fetch-owner=true"):
        answer = fetch("GET", f"{s3.meta.endpoint_url}/{bucket.name}{query}")
        assert answer.status == 200 and b"<Key>key</Key>" in answer.body and b"Owner" not in answer.body
    assert "Owner" in s3.list_objects(Bucket=bucket.name)["Contents"][0]


def test_a_listing_has_the_region_of_the_bucket(s3, bucket):
    for call in (s3.list_objects, s3.list_objects_v2):
        assert call(Bucket=bucket.name)["ResponseMetadata"]["HTTPHeaders"]["x-amz-bucket-region"] == "us-east-1"
