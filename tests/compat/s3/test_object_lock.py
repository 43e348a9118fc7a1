# SPDX-License-Identifier: Apache-2.0
"""Object Lock: its configuration, retention and legal holds of versions, and what they prevent."""
import datetime

import pytest

from support.buckets import refused
from support.queues import unique_name

MD5_OF_X = "ndTkYSaMgDT1yFZOFVxnpg=="
PROTECTED = "Access Denied because object protected by object lock"


def in_days(days):
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    return now + datetime.timedelta(days=days)


@pytest.fixture
def locked(s3, make_bucket):
    """A bucket with Object Lock. What a test locks, it locks in the mode GOVERNANCE, so that it can be deleted."""
    bucket = make_bucket(ObjectLockEnabledForBucket=True)
    yield bucket
    for version in s3.list_object_versions(Bucket=bucket.name).get("Versions", []):
        at = {"Bucket": bucket.name, "Key": version["Key"], "VersionId": version["VersionId"]}
        s3.put_object_legal_hold(**at, LegalHold={"Status": "OFF"})
        s3.delete_object(**at, BypassGovernanceRetention=True)


def default_retention(**retention):
    return {"ObjectLockEnabled": "Enabled", "Rule": {"DefaultRetention": retention}}


def test_a_bucket_is_created_with_object_lock(s3, locked):
    found = s3.get_object_lock_configuration(Bucket=locked.name)["ObjectLockConfiguration"]
    assert found == {"ObjectLockEnabled": "Enabled"}
    assert s3.get_bucket_versioning(Bucket=locked.name)["Status"] == "Enabled"
    with refused("InvalidBucketState", 409, "An Object Lock configuration is present on this bucket"):
        locked.set_versioning("Suspended")
    locked.set_versioning("Enabled")


def test_object_lock_is_enabled_for_an_existing_bucket(s3, bucket):
    configuration = default_retention(Mode="GOVERNANCE", Days=3)
    with refused("InvalidBucketState", 409, "Versioning must be 'Enabled' on the bucket"):
        s3.put_object_lock_configuration(Bucket=bucket.name, ObjectLockConfiguration=configuration)
    bucket.set_versioning("Enabled")
    s3.put_object_lock_configuration(Bucket=bucket.name, ObjectLockConfiguration=configuration)
    assert s3.get_object_lock_configuration(Bucket=bucket.name)["ObjectLockConfiguration"] == configuration


@pytest.mark.parametrize(
    "configuration, code",
    [
        ({}, "MalformedXML"),
        ({"ObjectLockEnabled": "Disabled"}, "MalformedXML"),
        ({"ObjectLockEnabled": "Enabled", "Rule": {}}, "MalformedXML"),
        (default_retention(Days=1), "MalformedXML"),
        (default_retention(Mode="GOVERNANCE"), "MalformedXML"),
        (default_retention(Mode="governance", Days=1), "MalformedXML"),
        (default_retention(Mode="GOVERNANCE", Days=1, Years=1), "MalformedXML"),
        (default_retention(Mode="GOVERNANCE", Days=0), "InvalidArgument"),
        (default_retention(Mode="COMPLIANCE", Years=-1), "InvalidArgument"),
    ],
)
def test_invalid_configurations(connect, locked, configuration, code):
    unchecked = connect("s3", checked=False)
    with refused(code, 400):
        unchecked.put_object_lock_configuration(Bucket=locked.name, ObjectLockConfiguration=configuration)


def test_versions_are_locked_when_they_are_written(s3, locked):
    until = in_days(1)
    lock = {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": until, "ObjectLockLegalHoldStatus": "ON"}
    locked.put("key", b"x", ContentMD5=MD5_OF_X, **lock)
    for answer in (locked.head("key"), locked.get("key")):
        assert (answer["ObjectLockMode"], answer["ObjectLockRetainUntilDate"]) == ("GOVERNANCE", until)
        assert answer["ObjectLockLegalHoldStatus"] == "ON"
    at = {"Bucket": locked.name, "Key": "key"}
    assert s3.get_object_retention(**at)["Retention"] == {"Mode": "GOVERNANCE", "RetainUntilDate": until}
    assert s3.get_object_legal_hold(**at)["LegalHold"] == {"Status": "ON"}


def test_copies_and_uploads_state_their_own_lock(s3, locked):
    until = in_days(1)
    lock = {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": until}
    locked.put("source", b"x", ContentMD5=MD5_OF_X, **lock)
    s3.copy_object(Bucket=locked.name, Key="plain", CopySource=f"{locked.name}/source")
    assert "ObjectLockMode" not in locked.head("plain")
    s3.copy_object(Bucket=locked.name, Key="copy", CopySource=f"{locked.name}/source", **lock)
    assert locked.head("copy")["ObjectLockRetainUntilDate"] == until

    at = {"Bucket": locked.name, "Key": "parts"}
    at["UploadId"] = s3.create_multipart_upload(**at, **lock, ObjectLockLegalHoldStatus="OFF")["UploadId"]
    etag = s3.upload_part(**at, PartNumber=1, Body=b"x", ContentMD5=MD5_OF_X)["ETag"]
    s3.complete_multipart_upload(**at, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": etag}]})
    found = locked.head("parts")
    assert (found["ObjectLockMode"], found["ObjectLockLegalHoldStatus"]) == ("GOVERNANCE", "OFF")


def test_new_versions_get_the_default_retention(s3, locked):
    s3.put_object_lock_configuration(
        Bucket=locked.name, ObjectLockConfiguration=default_retention(Mode="GOVERNANCE", Days=5))
    locked.put("key", b"x", ContentMD5=MD5_OF_X)
    found = locked.head("key")
    assert found["ObjectLockMode"] == "GOVERNANCE"
    assert abs(found["ObjectLockRetainUntilDate"] - in_days(5)) < datetime.timedelta(minutes=15)
    until = in_days(9)
    locked.put("other", b"x", ContentMD5=MD5_OF_X, ObjectLockMode="GOVERNANCE", ObjectLockRetainUntilDate=until)
    assert locked.head("other")["ObjectLockRetainUntilDate"] == until


def test_invalid_headers(locked, bucket):
    until = in_days(1)
    with refused("InvalidArgument", 400, "must both be supplied"):
        locked.put("key", b"x", ContentMD5=MD5_OF_X, ObjectLockMode="GOVERNANCE")
    with refused("InvalidArgument", 400, "must both be supplied"):
        locked.put("key", b"x", ContentMD5=MD5_OF_X, ObjectLockRetainUntilDate=until)
    with refused("InvalidArgument", 400, "The retain until date must be in the future!"):
        locked.put("key", b"x", ContentMD5=MD5_OF_X, ObjectLockMode="GOVERNANCE", ObjectLockRetainUntilDate=in_days(-1))
    with refused("InvalidArgument", 400, "Unknown wormMode directive."):
        locked.put("key", b"x", ContentMD5=MD5_OF_X, ObjectLockMode="abc", ObjectLockRetainUntilDate=until)
    with refused("InvalidRequest", 400, "Bucket is missing ObjectLockConfiguration"):
        bucket.put("key", b"x", ContentMD5=MD5_OF_X, ObjectLockLegalHoldStatus="ON")


def test_a_locked_body_needs_a_digest(raw, locked):
    answer = raw.call("PUT", f"/{locked.name}/key", b"x", headers={"x-amz-object-lock-legal-hold": "ON"})
    assert answer.status == 400 and b"HTTP header is required for Put Object requests with Object Lock" in answer.body


def test_a_retained_version_is_not_deleted(s3, locked):
    lock = {"ObjectLockMode": "GOVERNANCE", "ObjectLockRetainUntilDate": in_days(1)}
    version = locked.put("key", b"x", ContentMD5=MD5_OF_X, **lock)["VersionId"]
    with refused("AccessDenied", 403, PROTECTED):
        locked.delete("key", VersionId=version)
    with refused("AccessDenied", 403, PROTECTED):
        locked.delete("key", VersionId=version, BypassGovernanceRetention=False)
    failed = s3.delete_objects(Bucket=locked.name, Delete={"Objects": [{"Key": "key", "VersionId": version}]})
    assert [(error["Key"], error["Code"]) for error in failed["Errors"]] == [("key", "AccessDenied")]
    assert "Deleted" not in failed
    marker = locked.delete("key")
    assert marker["DeleteMarker"] is True
    locked.delete("key", VersionId=marker["VersionId"])
    assert locked.read("key") == b"x"
    locked.delete("key", VersionId=version, BypassGovernanceRetention=True)
    assert locked.versions() == []


def test_a_legal_hold_cannot_be_bypassed(s3, locked):
    version = locked.put("key", b"x")["VersionId"]
    at = {"Bucket": locked.name, "Key": "key"}
    with refused("NoSuchObjectLockConfiguration", 404, "does not have a ObjectLock configuration"):
        s3.get_object_legal_hold(**at)
    s3.put_object_legal_hold(**at, LegalHold={"Status": "ON"})
    with refused("AccessDenied", 403, PROTECTED):
        locked.delete("key", VersionId=version, BypassGovernanceRetention=True)
    s3.put_object_legal_hold(**at, LegalHold={"Status": "OFF"})
    assert locked.head("key")["ObjectLockLegalHoldStatus"] == "OFF"
    locked.delete("key", VersionId=version)


def test_a_governed_retention_is_weakened_only_with_a_bypass(s3, locked):
    locked.put("key", b"x")
    at = {"Bucket": locked.name, "Key": "key"}

    def retain(mode, days, **more):
        s3.put_object_retention(**at, Retention={"Mode": mode, "RetainUntilDate": in_days(days)}, **more)

    with refused("NoSuchObjectLockConfiguration", 404):
        s3.get_object_retention(**at)
    retain("GOVERNANCE", 2)
    retain("GOVERNANCE", 4)
    for mode, days in (("GOVERNANCE", 3), ("COMPLIANCE", 5)):
        with refused("AccessDenied", 403, PROTECTED):
            retain(mode, days)
    with refused("AccessDenied", 403, PROTECTED):
        s3.put_object_retention(**at, Retention={})
    retain("GOVERNANCE", 1, BypassGovernanceRetention=True)
    s3.put_object_retention(**at, Retention={}, BypassGovernanceRetention=True)
    with refused("NoSuchObjectLockConfiguration", 404):
        s3.get_object_retention(**at)


def test_invalid_retentions_and_holds(connect, s3, locked):
    locked.put("key", b"x")
    unchecked = connect("s3", checked=False)
    at = {"Bucket": locked.name, "Key": "key"}
    for retention in ({"Mode": "GOVERNANCE"}, {"RetainUntilDate": in_days(1)}, {"Mode": "abc", "RetainUntilDate": in_days(1)}):
        with refused("MalformedXML", 400):
            unchecked.put_object_retention(**at, Retention=retention)
    with refused("InvalidArgument", 400, "The retain until date must be in the future!"):
        s3.put_object_retention(**at, Retention={"Mode": "GOVERNANCE", "RetainUntilDate": in_days(-1)})
    for hold in ({}, {"Status": "abc"}):
        with refused("MalformedXML", 400):
            unchecked.put_object_legal_hold(**at, LegalHold=hold)
    with refused("NoSuchKey", 404):
        s3.put_object_legal_hold(Bucket=locked.name, Key="other", LegalHold={"Status": "ON"})


def test_nothing_weakens_compliance(s3, server):
    """Not at Amazon, where this bucket could not be deleted for days. Here it ends with the server."""
    at = {"Bucket": unique_name(), "Key": "key"}
    s3.create_bucket(Bucket=at["Bucket"], ObjectLockEnabledForBucket=True)
    at["VersionId"] = s3.put_object(**at, Body=b"x")["VersionId"]

    def retain(mode, seconds):
        until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
        s3.put_object_retention(
            **at, Retention={"Mode": mode, "RetainUntilDate": until}, BypassGovernanceRetention=True)

    retain("COMPLIANCE", 86400)
    retain("COMPLIANCE", 2 * 86400)
    for mode, seconds in (("COMPLIANCE", 3600), ("GOVERNANCE", 3 * 86400)):
        with refused("AccessDenied", 403, PROTECTED):
            retain(mode, seconds)
    with refused("AccessDenied", 403, PROTECTED):
        s3.delete_object(**at, BypassGovernanceRetention=True)
