# SPDX-License-Identifier: Apache-2.0
"""Versions of objects, delete markers, suspended versioning."""
import pytest

from support.buckets import refused


def test_every_write_is_a_version(versioned):
    ids = [versioned.put("key", body)["VersionId"] for body in (b"1", b"2", b"3")]
    assert len(set(ids)) == 3 and "null" not in ids
    got = versioned.get("key")
    assert (got["Body"], got["VersionId"]) == (b"3", ids[2])
    for version, body in zip(ids, (b"1", b"2", b"3")):
        assert versioned.read("key", VersionId=version) == body
        assert versioned.head("key", VersionId=version)["VersionId"] == version
    assert versioned.versions() == [("key", ids[2], True, False), ("key", ids[1], False, False), ("key", ids[0], False, False)]
    assert versioned.keys() == ["key"]


def test_deleting_leaves_a_marker(versioned):
    version = versioned.put("key", b"x")["VersionId"]
    gone = versioned.delete("key")
    assert gone["DeleteMarker"] is True
    marker = gone["VersionId"]
    with refused("NoSuchKey", 404) as caught:
        versioned.get("key")
    headers = caught.value.response["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-amz-delete-marker"] == "true" and headers["x-amz-version-id"] == marker
    with refused("404", 404) as caught:
        versioned.head("key")
    assert caught.value.response["ResponseMetadata"]["HTTPHeaders"]["x-amz-delete-marker"] == "true"
    assert versioned.keys() == []
    assert versioned.read("key", VersionId=version) == b"x"
    assert versioned.versions() == [("key", version, False, False), ("key", marker, True, True)]


def test_a_marker_cannot_be_read(versioned):
    versioned.put("key", b"x")
    marker = versioned.delete("key")["VersionId"]
    with refused("MethodNotAllowed", 405, "The specified method is not allowed against this resource") as caught:
        versioned.get("key", VersionId=marker)
    headers = caught.value.response["ResponseMetadata"]["HTTPHeaders"]
    assert headers["x-amz-delete-marker"] == "true" and headers["allow"] == "DELETE"
    with refused("405", 405):
        versioned.head("key", VersionId=marker)


def test_deleting_a_marker_brings_the_object_back(versioned):
    version = versioned.put("key", b"x")["VersionId"]
    marker = versioned.delete("key")["VersionId"]
    answer = versioned.delete("key", VersionId=marker)
    assert (answer["DeleteMarker"], answer["VersionId"]) == (True, marker)
    assert versioned.get("key")["VersionId"] == version
    assert versioned.versions() == [("key", version, True, False)]


def test_a_deleted_version_is_gone(versioned):
    first = versioned.put("key", b"1")["VersionId"]
    second = versioned.put("key", b"2")["VersionId"]
    answer = versioned.delete("key", VersionId=second)
    assert answer["VersionId"] == second and "DeleteMarker" not in answer
    assert versioned.get("key")["VersionId"] == first
    with refused("NoSuchVersion", 404, "The specified version does not exist."):
        versioned.get("key", VersionId=second)
    versioned.delete("key", VersionId=first)
    assert versioned.versions() == []


def test_deleting_twice_makes_two_markers(versioned):
    markers = [versioned.delete("never was")["VersionId"] for _ in range(2)]
    assert markers[0] != markers[1]
    assert [v[1] for v in versioned.versions()] == markers[::-1]


def test_objects_from_before_versioning_have_the_version_null(bucket):
    bucket.put("key", b"before")
    bucket.set_versioning("Enabled")
    assert bucket.get("key")["VersionId"] == "null"
    version = bucket.put("key", b"after")["VersionId"]
    assert bucket.read("key", VersionId="null") == b"before"
    assert bucket.versions() == [("key", version, True, False), ("key", "null", False, False)]


def test_writes_to_a_suspended_bucket_have_the_version_null(versioned):
    kept = versioned.put("key", b"kept")["VersionId"]
    versioned.set_versioning("Suspended")
    put = versioned.put("key", b"null one")
    assert "VersionId" not in put and versioned.head("key")["VersionId"] == "null"
    versioned.put("key", b"null two")
    assert versioned.versions() == [("key", "null", True, False), ("key", kept, False, False)]
    assert versioned.read("key") == b"null two"
    gone = versioned.delete("key")
    assert (gone["DeleteMarker"], gone["VersionId"]) == (True, "null")
    assert versioned.versions() == [("key", kept, False, False), ("key", "null", True, True)]
    versioned.delete("key", VersionId="null")
    assert versioned.read("key") == b"kept"


def test_enabling_versioning_again_keeps_the_version_null(versioned):
    versioned.set_versioning("Suspended")
    versioned.put("key", b"null")
    versioned.set_versioning("Enabled")
    version = versioned.put("key", b"new")["VersionId"]
    assert versioned.versions() == [("key", version, True, False), ("key", "null", False, False)]
    assert versioned.read("key", VersionId="null") == b"null"


@pytest.mark.parametrize("version", ["nonsense", "x" * 32, ""])
def test_an_invalid_version_is_rejected(versioned, version):
    versioned.put("key", b"x")
    with refused(("InvalidArgument", "NoSuchVersion")):
        versioned.get("key", VersionId=version)
    assert versioned.read("key") == b"x"


def test_a_version_of_another_key(versioned):
    version = versioned.put("a", b"x")["VersionId"]
    versioned.put("b", b"y")
    with refused("NoSuchVersion", 404):
        versioned.get("b", VersionId=version)


def test_versions_and_markers_are_deleted_together(versioned):
    first = versioned.put("a", b"1")["VersionId"]
    versioned.put("a", b"2")
    versioned.put("b", b"3")
    answer = versioned.delete_many(("a", first), "b")
    by_key = {one["Key"]: one for one in answer["Deleted"]}
    assert by_key["a"]["VersionId"] == first and "DeleteMarker" not in by_key["a"]
    assert by_key["b"]["DeleteMarker"] is True and "VersionId" not in by_key["b"]
    marker = by_key["b"]["DeleteMarkerVersionId"]
    again = versioned.delete_many(("b", marker))["Deleted"][0]
    assert (again["DeleteMarker"], again["DeleteMarkerVersionId"], again["VersionId"]) == (True, marker, marker)
    assert versioned.read("b") == b"3"


def test_tags_belong_to_a_version(s3, versioned):
    first = versioned.put("key", b"1", Tagging="v=1")["VersionId"]
    second = versioned.put("key", b"2", Tagging="v=2")["VersionId"]
    at = {"Bucket": versioned.name, "Key": "key"}
    s3.put_object_tagging(**at, VersionId=first, Tagging={"TagSet": [{"Key": "v", "Value": "one"}]})
    shown = s3.get_object_tagging(**at, VersionId=first)
    assert (shown["VersionId"], shown["TagSet"]) == (first, [{"Key": "v", "Value": "one"}])
    assert s3.get_object_tagging(**at)["TagSet"] == [{"Key": "v", "Value": "2"}]
    assert s3.delete_object_tagging(**at)["VersionId"] == second
    assert s3.get_object_tagging(**at, VersionId=first)["TagSet"] == [{"Key": "v", "Value": "one"}]


def test_uploads_and_copies_are_versions_too(versioned):
    first = versioned.put("key", b"first")["VersionId"]
    upload = versioned.start_upload("key")
    upload.put(1, b"second")
    second = upload.complete()["VersionId"]
    third = versioned.copy({"Bucket": versioned.name, "Key": "key", "VersionId": first}, "key")["VersionId"]
    assert [v[1] for v in versioned.versions()] == [third, second, first]
    assert [versioned.read("key", VersionId=v) for v in (first, second, third)] == [b"first", b"second", b"first"]


def test_a_delete_marker_has_no_tags(s3, versioned):
    versioned.put("key", b"x")
    versioned.delete("key")
    at = {"Bucket": versioned.name, "Key": "key"}
    tags = {"TagSet": [{"Key": "a", "Value": "b"}]}
    for call, method in (
        (lambda: s3.get_object_tagging(**at), "GET"),
        (lambda: s3.put_object_tagging(**at, Tagging=tags), "PUT"),
        (lambda: s3.delete_object_tagging(**at), "DELETE"),
    ):
        with refused("MethodNotAllowed", 405) as caught:
            call()
        error = caught.value.response["Error"]
        assert (error["Method"], error["ResourceType"]) == (method, "DeleteMarker")
