# SPDX-License-Identifier: Apache-2.0
"""If-Match and the other conditions, for reading, writing and deleting."""
import datetime
import threading

import pytest

from support.buckets import needs, refused

WRONG = '"00000000000000000000000000000000"'
EARLY = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
LATE = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)


@pytest.fixture
def tag(bucket):
    return bucket.put("key", b"x")["ETag"]


def test_reading_with_if_match(bucket, tag):
    for match in (tag, tag.strip('"')):
        assert bucket.read("key", IfMatch=match) == b"x"
        bucket.head("key", IfMatch=match)
    with refused("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold") as caught:
        bucket.get("key", IfMatch=WRONG)
    assert caught.value.response["Error"]["Condition"] == "If-Match"
    with refused("412", 412):
        bucket.head("key", IfMatch=WRONG)


def test_reading_with_if_none_match(bucket, tag):
    assert bucket.read("key", IfNoneMatch=WRONG) == b"x"
    for call in (bucket.get, bucket.head):
        with refused("304", 304) as caught:
            call("key", IfNoneMatch=tag)
        headers = caught.value.response["ResponseMetadata"]["HTTPHeaders"]
        assert headers["etag"] == tag and "last-modified" in headers


def test_reading_with_conditions_on_the_time(bucket, tag):
    assert bucket.read("key", IfModifiedSince=EARLY) == b"x"
    assert bucket.read("key", IfUnmodifiedSince=LATE) == b"x"
    assert bucket.read("key", IfModifiedSince=LATE) == b"x"  # a time that is still to come is no condition
    with refused("304", 304):
        bucket.get("key", IfModifiedSince=bucket.head("key")["LastModified"])
    with refused("PreconditionFailed", 412):
        bucket.get("key", IfUnmodifiedSince=EARLY)


def test_etags_take_precedence_over_times(bucket, tag):
    assert bucket.read("key", IfMatch=tag, IfUnmodifiedSince=EARLY) == b"x"
    with refused("304", 304):
        bucket.get("key", IfNoneMatch=tag, IfModifiedSince=EARLY)


def test_a_missing_object_meets_no_condition(bucket):
    with refused("NoSuchKey", 404):
        bucket.get("nothing", IfMatch=WRONG)


def test_writing_only_a_new_object(s3, bucket):
    needs(s3, "PutObject", "IfNoneMatch")
    bucket.put("key", b"first", IfNoneMatch="*")
    with refused("PreconditionFailed", 412) as caught:
        bucket.put("key", b"second", IfNoneMatch="*")
    assert caught.value.response["Error"]["Condition"] == "If-None-Match"
    assert bucket.read("key") == b"first"
    bucket.delete("key")
    bucket.put("key", b"third", IfNoneMatch="*")
    assert bucket.read("key") == b"third"


def test_a_delete_marker_counts_as_absent(s3, versioned):
    needs(s3, "PutObject", "IfNoneMatch")
    versioned.put("key", b"first")
    versioned.delete("key")
    versioned.put("key", b"second", IfNoneMatch="*")
    assert versioned.read("key") == b"second"


def test_writing_only_over_a_known_etag(s3, bucket):
    needs(s3, "PutObject", "IfMatch")
    tag = bucket.put("key", b"first")["ETag"]
    second = bucket.put("key", b"second", IfMatch=tag)["ETag"]
    with refused("PreconditionFailed", 412):
        bucket.put("key", b"third", IfMatch=tag)
    assert bucket.head("key")["ETag"] == second
    with refused("NoSuchKey", 404):
        bucket.put("nothing", b"x", IfMatch=tag)


def test_only_one_of_many_writers_is_first(s3, bucket):
    needs(s3, "PutObject", "IfNoneMatch")
    won, lost = [], []

    def write(name):
        try:
            bucket.put("lock", name, IfNoneMatch="*")
            won.append(name)
        except s3.exceptions.ClientError as error:
            lost.append(error.response["Error"]["Code"])

    threads = [threading.Thread(target=write, args=(b"writer %d" % i * 20_000,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and set(lost) <= {"PreconditionFailed", "ConditionalRequestConflict"}
    assert bucket.read("lock") == won[0]


def test_completing_an_upload_on_condition(s3, bucket):
    needs(s3, "CompleteMultipartUpload", "IfNoneMatch")
    bucket.put("key", b"first")
    upload = bucket.start_upload("key")
    upload.put(1, b"second")
    with refused("PreconditionFailed", 412):
        upload.complete(IfNoneMatch="*")
    assert bucket.read("key") == b"first"
    upload.complete(IfMatch=bucket.head("key")["ETag"])
    assert bucket.read("key") == b"second"


def test_deleting_on_condition(s3, bucket, tag):
    needs(s3, "DeleteObject", "IfMatch")
    with refused("PreconditionFailed", 412):
        bucket.delete("key", IfMatch=WRONG)
    assert bucket.read("key") == b"x"
    bucket.delete("key", IfMatch=tag)
    assert bucket.keys() == []


def copy_if(bucket, **conditions):
    return bucket.copy("key", "copy", **{f"CopySource{name}": value for name, value in conditions.items()})


def test_copying_on_condition(bucket, tag):
    copy_if(bucket, IfMatch=tag)
    copy_if(bucket, IfNoneMatch=WRONG)
    copy_if(bucket, IfModifiedSince=EARLY)
    copy_if(bucket, IfUnmodifiedSince=LATE)
    bucket.delete("copy")
    for conditions in (
        {"IfMatch": WRONG},
        {"IfNoneMatch": tag},
        {"IfUnmodifiedSince": EARLY},
        {"IfNoneMatch": tag, "IfModifiedSince": EARLY},
    ):
        with refused("PreconditionFailed", 412):
            copy_if(bucket, **conditions)
    assert bucket.keys() == ["key"]
