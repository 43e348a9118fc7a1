# SPDX-License-Identifier: Apache-2.0
"""Events of objects, from buckets that send them to EventBridge."""
import json

import pytest

from support.buckets import Bucket


@pytest.fixture
def bucket(connect):
    made = Bucket(connect("s3"))
    yield made
    made.remove()


def enable(bucket, **more):
    bucket.client.put_bucket_notification_configuration(
        Bucket=bucket.name, NotificationConfiguration={"EventBridgeConfiguration": {}, **more})


@pytest.fixture
def watched(bucket, make_rule, queue):
    """A bucket whose events arrive in `queue`."""
    enable(bucket)
    make_rule({"source": ["aws.s3"], "detail": {"bucket": {"name": [bucket.name]}}}).target(queue)
    return bucket


def receive(queue):
    return json.loads(queue.receive_one()["Body"])


def test_the_configuration_is_returned(bucket):
    enable(bucket)
    found = bucket.client.get_bucket_notification_configuration(Bucket=bucket.name)
    assert found["EventBridgeConfiguration"] == {}
    bucket.client.put_bucket_notification_configuration(Bucket=bucket.name, NotificationConfiguration={})
    assert "EventBridgeConfiguration" not in bucket.client.get_bucket_notification_configuration(Bucket=bucket.name)


def test_a_new_object_is_an_event(watched, queue, account):
    answer = watched.put("a b/é.txt", b"hello")
    event = receive(queue)
    assert (event["source"], event["detail-type"]) == ("aws.s3", "Object Created")
    assert (event["account"], event["region"], event["resources"]) == (account, "us-east-1", [watched.arn])
    detail = event["detail"]
    assert detail["object"].pop("sequencer")
    assert detail.pop("source-ip-address")
    assert detail == {
        "version": "0",
        "bucket": {"name": watched.name},
        "object": {"key": "a b/é.txt", "size": 5, "etag": answer["ETag"].strip('"')},
        "request-id": answer["ResponseMetadata"]["RequestId"],
        "requester": account,
        "reason": "PutObject",
    }


def test_copies_and_uploads_have_their_reason(watched, queue):
    watched.put("source", b"x")
    assert receive(queue)["detail"]["reason"] == "PutObject"
    watched.copy("source", "copy")
    assert receive(queue)["detail"]["reason"] == "CopyObject"
    upload = watched.start_upload("parts")
    upload.put(1, b"x")
    upload.complete()
    assert receive(queue)["detail"]["reason"] == "CompleteMultipartUpload"


def test_deletions_and_tags_are_events(watched, queue):
    watched.set_versioning("Enabled")
    version = watched.put("key", b"x")["VersionId"]
    assert receive(queue)["detail"]["object"]["version-id"] == version
    at = {"Bucket": watched.name, "Key": "key"}
    watched.client.put_object_tagging(**at, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]})
    tagged = receive(queue)
    assert tagged["detail-type"] == "Object Tags Added" and "reason" not in tagged["detail"]
    watched.client.delete_object_tagging(**at)
    assert receive(queue)["detail-type"] == "Object Tags Deleted"
    marker = watched.delete("key")["VersionId"]
    gone = receive(queue)
    assert gone["detail-type"] == "Object Deleted"
    assert (gone["detail"]["deletion-type"], gone["detail"]["reason"]) == ("Delete Marker Created", "DeleteObject")
    assert gone["detail"]["object"]["version-id"] == marker
    watched.delete("key", VersionId=version)
    assert receive(queue)["detail"]["deletion-type"] == "Permanently Deleted"


def test_a_bucket_sends_no_events_by_default(bucket, make_rule, queue):
    make_rule({"source": ["aws.s3"]}).target(queue)
    bucket.put("silent", b"x")
    enable(bucket)
    bucket.put("loud", b"x")
    assert receive(queue)["detail"]["object"]["key"] == "loud"
