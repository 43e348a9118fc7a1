# SPDX-License-Identifier: Apache-2.0
"""Multipart uploads."""
import pytest

from support.buckets import PART, knows, refused
from support.checksums import multipart_etag
from support.queues import unique_name

BIG = b"big" * (PART // 3 + 1)
NO_UPLOAD = "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted"


def test_parts_become_an_object(bucket):
    upload = bucket.start_upload("key", ContentType="text/own", Metadata={"a": "b"}, Tagging="t=1")
    assert (upload.answer["Bucket"], upload.answer["Key"]) == (bucket.name, "key")
    upload.put(1, BIG)
    upload.put(2, b"end")
    assert bucket.keys() == []
    answer = upload.complete()
    assert answer["ETag"] == multipart_etag([BIG, b"end"])
    assert (answer["Bucket"], answer["Key"]) == (bucket.name, "key") and answer["Location"].endswith("/key")
    got = bucket.get("key")
    assert got["Body"] == BIG + b"end"
    assert (got["ETag"], got["ContentType"], got["Metadata"], got["TagCount"]) == (
        answer["ETag"], "text/own", {"a": "b"}, 1,
    )
    assert bucket.list()["Contents"][0]["Size"] == len(BIG) + 3


def test_a_single_part_may_be_small_or_empty(bucket):
    for body in (b"small", b""):
        upload = bucket.start_upload("key")
        upload.put(1, body)
        assert upload.complete()["ETag"] == multipart_etag([body])
        assert bucket.read("key") == body


def test_parts_may_arrive_in_any_order_and_may_be_omitted(s3, bucket):
    # Newer clients request a composite checksum by default, which needs the parts 1, 2, 3.
    typed = knows(s3, "CreateMultipartUpload", "ChecksumType")
    whole = {"ChecksumAlgorithm": "CRC32", "ChecksumType": "FULL_OBJECT"} if typed else {}
    upload = bucket.start_upload("key", **whole)
    upload.put(10_000, b"last")
    upload.put(5, BIG)
    upload.put(7, b"not wanted")
    upload.complete([part for number in (5, 10_000) for part in upload.parts if part["PartNumber"] == number])
    assert bucket.read("key") == BIG + b"last"


def test_a_part_can_be_replaced(bucket):
    upload = bucket.start_upload("key")
    upload.put(1, b"first")
    upload.put(1, b"second")
    assert [part["Size"] for part in upload.list()["Parts"]] == [6]
    upload.complete()
    assert bucket.read("key") == b"second"


def test_parts_are_listed_in_pages(s3, bucket):
    upload = bucket.start_upload("key")
    for number in (1, 3, 4, 9, 10):
        upload.put(number, b"x" * number)
    answer = upload.list()
    assert [(part["PartNumber"], part["Size"]) for part in answer["Parts"]] == [(n, n) for n in (1, 3, 4, 9, 10)]
    assert answer["Parts"][0]["ETag"] == upload.parts[0]["ETag"]
    assert (answer["IsTruncated"], answer["MaxParts"], answer["StorageClass"]) == (False, 1000, "STANDARD")
    assert answer["Owner"]["ID"] == s3.list_buckets()["Owner"]["ID"]
    first = upload.list(MaxParts=2)
    assert (first["IsTruncated"], first["NextPartNumberMarker"]) == (True, 3)
    rest = upload.list(MaxParts=3, PartNumberMarker=3)
    assert [part["PartNumber"] for part in rest["Parts"]] == [4, 9, 10] and rest["IsTruncated"] is False
    pages = s3.get_paginator("list_parts").paginate(**upload.at, PaginationConfig={"PageSize": 2})
    assert [part["PartNumber"] for page in pages for part in page["Parts"]] == [1, 3, 4, 9, 10]


def test_uploads_are_listed(s3, bucket):
    ids = {}
    for key in ("b/1", "a", "b/2", "c"):
        ids[key] = bucket.start_upload(key).id
    second = bucket.start_upload("a").id

    def shown(**more):
        answer = s3.list_multipart_uploads(Bucket=bucket.name, **more)
        uploads = [(one["Key"], one["UploadId"]) for one in answer.get("Uploads", [])]
        return uploads, [one["Prefix"] for one in answer.get("CommonPrefixes", [])], answer

    everything = [("a", ids["a"]), ("a", second), ("b/1", ids["b/1"]), ("b/2", ids["b/2"]), ("c", ids["c"])]
    uploads, _, answer = shown()
    assert uploads == everything  # uploads of one key are ordered by age
    assert answer["IsTruncated"] is False and answer["MaxUploads"] == 1000
    assert answer["Uploads"][0]["StorageClass"] == "STANDARD" and answer["Uploads"][0]["Initiated"]
    assert shown(Prefix="b/")[0] == everything[2:4]
    assert shown(Delimiter="/")[:2] == ([everything[0], everything[1], everything[4]], ["b/"])
    for size in (1, 2, 4):
        found, marks = [], {}
        while True:
            uploads, _, answer = shown(MaxUploads=size, **marks)
            assert len(uploads) <= size
            found += uploads
            if not answer["IsTruncated"]:
                break
            marks = {"KeyMarker": answer["NextKeyMarker"], "UploadIdMarker": answer["NextUploadIdMarker"]}
        assert found == everything
    assert shown(KeyMarker="a")[0] == everything[2:]


def test_an_aborted_upload_is_gone(s3, bucket):
    upload = bucket.start_upload("key")
    upload.put(1, BIG)
    assert upload.abort()["ResponseMetadata"]["HTTPStatusCode"] == 204
    for call in (lambda: upload.put(2, b"x"), upload.list, upload.complete):
        with refused("NoSuchUpload", 404, NO_UPLOAD):
            call()
    assert "Uploads" not in s3.list_multipart_uploads(Bucket=bucket.name)
    assert bucket.keys() == []


def test_a_finished_upload_is_gone(s3, bucket):
    upload = bucket.start_upload("key")
    upload.put(1, b"x")
    upload.complete()
    assert "Uploads" not in s3.list_multipart_uploads(Bucket=bucket.name)
    with refused("NoSuchUpload", 404):
        upload.put(2, b"y")
    with refused("NoSuchUpload", 404):
        upload.list()


@pytest.mark.parametrize("upload_id", ["nonsense", "x" * 200])
def test_an_unknown_upload_is_rejected(s3, bucket, upload_id):
    at = {"Bucket": bucket.name, "Key": "key", "UploadId": upload_id}
    with refused("NoSuchUpload", 404):
        s3.upload_part(**at, PartNumber=1, Body=b"x")
    for call in (s3.list_parts, s3.abort_multipart_upload):
        with refused("NoSuchUpload", 404, NO_UPLOAD):
            call(**at)
    with refused("NoSuchUpload", 404):
        s3.complete_multipart_upload(**at, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": "x"}]})


def test_the_upload_of_another_key_is_rejected(s3, bucket):
    upload = bucket.start_upload("key")
    with refused("NoSuchUpload", 404):
        s3.upload_part(Bucket=bucket.name, Key="other", UploadId=upload.id, PartNumber=1, Body=b"x")


@pytest.mark.parametrize("number", [0, -1, 10_001])
def test_an_invalid_part_number_is_rejected(bucket, number):
    upload = bucket.start_upload("key")
    with refused("InvalidArgument", 400, "Part number must be an integer between 1 and 10000, inclusive"):
        upload.put(number, b"x")


def test_parts_that_are_too_small_are_rejected(bucket):
    upload = bucket.start_upload("key")
    upload.put(1, b"small")
    upload.put(2, b"end")
    with refused("EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size"):
        upload.complete()
    assert bucket.keys() == []
    upload.put(1, BIG)
    upload.complete(sorted(upload.parts, key=lambda part: part["PartNumber"]))  # it can still be completed
    assert bucket.read("key") == BIG + b"end"


def test_missing_parts_are_rejected(bucket):
    upload = bucket.start_upload("key")
    upload.put(1, b"x")
    good = upload.parts[0]
    for wrong in (
        [{**good, "ETag": '"00000000000000000000000000000000"'}],
        [good, {**good, "PartNumber": 2}],
        [{**good, "PartNumber": 7}],
    ):
        with refused("InvalidPart", 400, "One or more of the specified parts could not be found"):
            upload.complete(wrong)
    with refused("InvalidArgument", 400, "PartNumber must be >= 1"):
        upload.complete([{**good, "PartNumber": 0}])
    upload.complete([{**good, "ETag": good["ETag"].strip('"')}])
    assert bucket.read("key") == b"x"


def test_parts_out_of_order_are_rejected(bucket):
    upload = bucket.start_upload("key")
    upload.put(1, BIG)
    upload.put(2, BIG)
    one, two = upload.parts
    for wrong in ([two, one], [one, one]):
        with refused("InvalidPartOrder", 400, "The list of parts was not in ascending order"):
            upload.complete(wrong)
    with refused("MalformedXML", 400):
        upload.complete([])
    assert bucket.keys() == []


def test_parts_are_copied(bucket, make_bucket):
    other = make_bucket()
    other.put("source", BIG, Metadata={"not": "copied"})
    other.put("empty", b"")
    source = {"Bucket": other.name, "Key": "source"}
    upload = bucket.start_upload("key")
    copied = upload.copy(1, source)
    assert copied["ETag"] == other.head("source")["ETag"] and copied["LastModified"]
    upload.copy(2, source, CopySourceRange=f"bytes=1-{PART}")
    upload.copy(3, source, CopySourceRange="bytes=10-12")
    upload.complete()
    got = bucket.get("key")
    assert got["Body"] == BIG + BIG[1 : PART + 1] + BIG[10:13]
    assert got["Metadata"] == {}


def test_invalid_part_copies_are_rejected(bucket):
    bucket.put("source", b"0123456789")
    source = {"Bucket": bucket.name, "Key": "source"}
    upload = bucket.start_upload("key")
    for wrong in ("bytes=0-10", "bytes=5-", "bytes=-5", "bytes=9-8", "nonsense"):
        with refused(("InvalidArgument", "InvalidRequest"), 400):
            upload.copy(1, source, CopySourceRange=wrong)
    with refused("NoSuchKey", 404):
        upload.copy(1, {"Bucket": bucket.name, "Key": "nothing"})
    with refused("NoSuchBucket", 404):
        upload.copy(1, {"Bucket": unique_name(), "Key": "source"})
    with refused("PreconditionFailed", 412):
        upload.copy(1, source, CopySourceIfMatch="wrong")
    assert "Parts" not in upload.list()


def test_a_version_is_copied_as_a_part(versioned):
    old = versioned.put("source", b"old")["VersionId"]
    versioned.put("source", b"new")
    upload = versioned.start_upload("key")
    upload.copy(1, {"Bucket": versioned.name, "Key": "source", "VersionId": old})
    upload.complete()
    assert versioned.read("key") == b"old"


def test_object_attributes_list_the_parts(s3, bucket):
    upload = bucket.start_upload("key", ChecksumAlgorithm="SHA256")
    upload.put(1, BIG, ChecksumAlgorithm="SHA256")
    upload.put(2, b"end", ChecksumAlgorithm="SHA256")
    upload.complete()

    def parts(**more):
        answer = s3.get_object_attributes(Bucket=bucket.name, Key="key", ObjectAttributes=["ObjectParts"], **more)
        return answer["ObjectParts"]

    shown = parts()
    assert shown["TotalPartsCount"] == 2 and shown["IsTruncated"] is False
    assert [(one["PartNumber"], one["Size"]) for one in shown["Parts"]] == [(1, len(BIG)), (2, 3)]
    assert [one["ChecksumSHA256"] for one in shown["Parts"]] == [one["ChecksumSHA256"] for one in upload.parts]
    first = parts(MaxParts=1)
    assert (first["IsTruncated"], first["NextPartNumberMarker"], len(first["Parts"])) == (True, 1, 1)
    assert [one["PartNumber"] for one in parts(PartNumberMarker=1)["Parts"]] == [2]


def test_two_uploads_of_one_key(bucket):
    one, two = bucket.start_upload("key"), bucket.start_upload("key")
    assert one.id != two.id
    one.put(1, b"one")
    two.put(1, b"two")
    two.complete()
    assert bucket.read("key") == b"two"
    one.complete()
    assert bucket.read("key") == b"one"


def test_an_upload_to_a_missing_bucket_is_rejected(s3):
    with refused("NoSuchBucket", 404):
        s3.create_multipart_upload(Bucket=unique_name(), Key="key")
