# SPDX-License-Identifier: Apache-2.0
"""Notifications: events of objects are published to queues."""
import datetime
import hashlib
import json
import re
import urllib.parse

import pytest

from support.buckets import refused

PUT, COPY, POST = "ObjectCreated:Put", "ObjectCreated:Copy", "ObjectCreated:Post"
COMPLETE = "ObjectCreated:CompleteMultipartUpload"
DELETE, MARKER = "ObjectRemoved:Delete", "ObjectRemoved:DeleteMarkerCreated"


def policy_allowing(queue, bucket, effect="Allow", **condition):
    """A policy of the queue that allows this bucket to send."""
    condition = condition or {"ArnLike": {"aws:SourceArn": bucket.arn}}
    statement = {
        "Effect": effect,
        "Principal": {"Service": "s3.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue.arn,
        "Condition": condition,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def subscription(queue, *events, **more):
    return {"QueueArn": queue.arn, "Events": [f"s3:{event}" for event in events], **more}


def filtered(prefix=None, suffix=None):
    rules = [{"Name": name, "Value": value} for name, value in (("prefix", prefix), ("suffix", suffix)) if value]
    return {"Key": {"FilterRules": rules}}


def configure(bucket, *configurations, **more):
    settings = {"QueueConfigurations": list(configurations)}
    bucket.client.put_bucket_notification_configuration(
        Bucket=bucket.name, NotificationConfiguration=settings, **more
    )


@pytest.fixture
def queue(make_queue, bucket):
    made = make_queue()
    made.set(Policy=policy_allowing(made, bucket))
    return made


@pytest.fixture
def listen(queue, bucket):
    """listen(event, ...) -> the queue, which gets these events; its test event is deleted."""

    def start(*events, **more):
        configure(bucket, subscription(queue, *events, **more))
        first = queue.receive_one()
        assert json.loads(first["Body"])["Event"] == "s3:TestEvent"
        queue.delete(first)
        return queue

    return start


def events(queue, count):
    """(event, key) of exactly `count` messages."""
    found = []
    for message in queue.receive_all(count) if count else []:
        queue.delete(message)
        found += [(r["eventName"], urllib.parse.unquote_plus(r["s3"]["object"]["key"])) for r in json.loads(message["Body"])["Records"]]
    queue.expect_counts()
    return sorted(found)


def test_a_new_bucket_has_no_notifications(s3, bucket):
    shown = s3.get_bucket_notification_configuration(Bucket=bucket.name)
    assert "QueueConfigurations" not in shown


def test_a_configuration_is_returned(s3, bucket, queue):
    configure(bucket, subscription(queue, "ObjectCreated:*", DELETE, Id="mine", Filter=filtered("in/", ".png")))
    (shown,) = s3.get_bucket_notification_configuration(Bucket=bucket.name)["QueueConfigurations"]
    assert (shown["Id"], shown["QueueArn"]) == ("mine", queue.arn)
    assert shown["Events"] == ["s3:ObjectCreated:*", f"s3:{DELETE}"]
    rules = {(rule["Name"].lower(), rule["Value"]) for rule in shown["Filter"]["Key"]["FilterRules"]}
    assert rules == {("prefix", "in/"), ("suffix", ".png")}
    configure(bucket, subscription(queue, PUT))
    (shown,) = s3.get_bucket_notification_configuration(Bucket=bucket.name)["QueueConfigurations"]
    assert shown["Id"]
    s3.put_bucket_notification_configuration(Bucket=bucket.name, NotificationConfiguration={})
    assert "QueueConfigurations" not in s3.get_bucket_notification_configuration(Bucket=bucket.name)


def test_a_configuration_sends_a_test_event(bucket, queue):
    configure(bucket, subscription(queue, PUT))
    body = json.loads(queue.receive_one()["Body"])
    assert (body["Service"], body["Event"], body["Bucket"]) == ("Amazon S3", "s3:TestEvent", bucket.name)
    assert body["RequestId"] and body["HostId"]
    datetime.datetime.strptime(body["Time"], "%Y-%m-%dT%H:%M:%S.%fZ")


def test_the_members_of_an_event(s3, bucket, listen, queue, account):
    listen("ObjectCreated:*", Id="mine")
    put = bucket.put("a folder/ü + %.txt", b"five!")
    message = queue.receive_one()
    (record,) = json.loads(message["Body"])["Records"]
    assert record["eventVersion"].startswith("2.")
    assert (record["eventSource"], record["awsRegion"], record["eventName"]) == ("aws:s3", "us-east-1", PUT)
    when = datetime.datetime.strptime(record["eventTime"], "%Y-%m-%dT%H:%M:%S.%fZ")
    assert abs((datetime.datetime.utcnow() - when).total_seconds()) < 300
    assert re.fullmatch(f"AWS:({account}|A[A-Z0-9]+(:.+)?)|A[A-Z0-9]+", record["userIdentity"]["principalId"])
    assert record["requestParameters"]["sourceIPAddress"]
    assert record["responseElements"]["x-amz-request-id"] == put["ResponseMetadata"]["RequestId"]
    assert record["responseElements"]["x-amz-id-2"]
    shown = record["s3"]
    assert (shown["s3SchemaVersion"], shown["configurationId"]) == ("1.0", "mine")
    assert (shown["bucket"]["name"], shown["bucket"]["arn"]) == (bucket.name, bucket.arn)
    assert shown["bucket"]["ownerIdentity"]["principalId"]
    assert shown["object"]["key"] == "a+folder/%C3%BC+%2B+%25.txt"
    assert (shown["object"]["size"], shown["object"]["eTag"]) == (5, hashlib.md5(b"five!").hexdigest())
    assert int(shown["object"]["sequencer"], 16) >= 0 and "versionId" not in shown["object"]


def test_each_kind_of_creation(s3, s3_v4, bucket, listen, fetch):
    queue = listen("ObjectCreated:*")
    bucket.put("put", b"x")
    bucket.copy("put", "copy")
    upload = bucket.start_upload("parts")
    upload.put(1, b"x")
    upload.complete()
    made = s3_v4.generate_presigned_post(bucket.name, "post")
    line = "line"
    body = "".join(f'--{line}\r\nContent-Disposition: form-data; name="{n}"\r\n\r\n{v}\r\n' for n, v in made["fields"].items())
    body += f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--{line}--\r\n'
    answer = fetch("POST", made["url"], body.encode(), {"Content-Type": f"multipart/form-data; boundary={line}"})
    assert answer.status == 204, answer
    bucket.delete("put")
    assert events(queue, 4) == [(COMPLETE, "parts"), (COPY, "copy"), (POST, "post"), (PUT, "put")]


def test_only_configured_events_are_published(bucket, listen):
    queue = listen(PUT)
    bucket.put("put", b"x")
    bucket.copy("put", "copy")
    upload = bucket.start_upload("parts")
    upload.put(1, b"x")
    upload.complete()
    bucket.delete("copy")
    assert events(queue, 1) == [(PUT, "put")]


def test_the_event_of_an_upload_has_its_size(bucket, listen):
    queue = listen(COMPLETE)
    upload = bucket.start_upload("parts")
    upload.put(1, b"seven!!")
    etag = upload.complete()["ETag"]
    shown = json.loads(queue.receive_one()["Body"])["Records"][0]["s3"]["object"]
    assert (shown["size"], shown["eTag"]) == (7, etag.strip('"'))


def test_deletions_are_published(bucket, listen):
    queue = listen("ObjectRemoved:*")
    for key in ("a", "b", "c"):
        bucket.put(key, b"x")
    bucket.delete("a")
    bucket.delete_many("b", "c")
    assert events(queue, 3) == [(DELETE, "a"), (DELETE, "b"), (DELETE, "c")]


def test_of_missing_keys_only_those_of_delete_objects_are_published(bucket, listen):
    queue = listen("ObjectRemoved:*")
    bucket.delete("never")
    bucket.put("a", b"x")
    bucket.delete_many("a", "never there")
    assert events(queue, 2) == [(DELETE, "a"), (DELETE, "never there")]


def test_delete_markers_and_versions_are_published(bucket, listen):
    queue = listen("ObjectRemoved:*")
    bucket.set_versioning("Enabled")
    version = bucket.put("key", b"x")["VersionId"]
    marker = bucket.delete("key")["VersionId"]
    shown = json.loads(queue.receive_one()["Body"])["Records"][0]
    assert (shown["eventName"], shown["s3"]["object"]["versionId"]) == (MARKER, marker)
    bucket.delete("key", VersionId=version)
    shown = json.loads(queue.receive_one()["Body"])["Records"][0]
    assert (shown["eventName"], shown["s3"]["object"]["versionId"]) == (DELETE, version)


def test_filters(bucket, listen):
    queue = listen("ObjectCreated:*", Filter=filtered("in/", ".png"))
    for key in ("in/a.png", "in/b.jpg", "out/c.png", "in/d.png.txt", "in/.png"):
        bucket.put(key, b"x")
    assert events(queue, 2) == [(PUT, "in/.png"), (PUT, "in/a.png")]


def test_several_queues(bucket, make_queue):
    queues = [make_queue() for _ in range(2)]
    for one in queues:
        one.set(Policy=policy_allowing(one, bucket))
    configure(
        bucket,
        subscription(queues[0], "ObjectCreated:*", Filter=filtered("a/")),
        subscription(queues[1], "ObjectCreated:*", Filter=filtered("b/")),
        subscription(queues[1], "ObjectRemoved:*"),
    )
    for one in queues:
        for message in one.receive_all(1):
            one.delete(message)
    # the second is named twice, and may be tried twice
    for message in queues[1].receive(WaitTimeSeconds=1):
        queues[1].delete(message)
    bucket.put("a/1", b"x")
    bucket.put("b/1", b"x")
    bucket.delete("a/1")
    assert events(queues[0], 1) == [(PUT, "a/1")]
    assert events(queues[1], 2) == [(PUT, "b/1"), (DELETE, "a/1")]


def test_a_queue_without_permission_is_rejected(s3, bucket, make_queue):
    closed = make_queue()
    for policy in (None, policy_allowing(closed, bucket, ArnLike={"aws:SourceArn": "arn:aws:s3:::another"})):
        if policy:
            closed.set(Policy=policy)
        with refused("InvalidArgument", 400, "Unable to validate the following destination configurations"):
            configure(bucket, subscription(closed, PUT))
    assert "QueueConfigurations" not in s3.get_bucket_notification_configuration(Bucket=bucket.name)


def test_a_missing_queue_is_rejected(bucket, queue):
    gone = {"QueueArn": queue.arn + "-not", "Events": ["s3:ObjectCreated:*"]}
    with refused("InvalidArgument", 400, "Unable to validate the following destination configurations"):
        configure(bucket, gone)


def test_a_fifo_queue_is_rejected(bucket, make_queue):
    fifo = make_queue(fifo=True)
    fifo.set(Policy=policy_allowing(fifo, bucket))
    with refused("InvalidArgument", 400):
        configure(bucket, subscription(fifo, PUT))


def test_invalid_configurations_are_rejected(bucket, queue):
    with refused("InvalidArgument", 400, "A specified event is not supported for notifications"):
        configure(bucket, {"QueueArn": queue.arn, "Events": ["s3:ObjectInvented:Put"]})
    with refused("InvalidArgument", 400, "Configurations overlap"):
        configure(bucket, subscription(queue, "ObjectCreated:*"), subscription(queue, PUT))
    with refused("InvalidArgument", 400, "overlapping"):
        configure(bucket, subscription(queue, "ObjectCreated:*", Filter=filtered("a")), subscription(queue, PUT, Filter=filtered("ab")))
    with refused("InvalidArgument", 400):
        configure(bucket, subscription(queue, PUT, Filter={"Key": {"FilterRules": [{"Name": "middle", "Value": "x"}]}}))
    with refused("InvalidArgument", 400):
        configure(bucket, {"QueueArn": "arn:aws:sqs:nowhere", "Events": [f"s3:{PUT}"]})


def test_a_policy_may_allow_by_source_account(bucket, make_queue, account):
    queue = make_queue()
    queue.set(Policy=policy_allowing(queue, bucket, StringEquals={"aws:SourceAccount": account}))
    configure(bucket, subscription(queue, PUT))
    queue.delete(queue.receive_one())
    bucket.put("key", b"x")
    assert events(queue, 1) == [(PUT, "key")]


def test_a_queue_whose_policy_was_removed_gets_no_events(bucket, listen):
    queue = listen(PUT)
    queue.set(Policy="")
    bucket.put("closed", b"x")
    queue.set(Policy=policy_allowing(queue, bucket))
    bucket.put("open", b"x")
    assert events(queue, 1) == [(PUT, "open")]
    assert bucket.keys() == ["closed", "open"]


def test_a_failed_request_publishes_nothing(s3, bucket, listen):
    queue = listen("ObjectCreated:*", "ObjectRemoved:*")
    with refused("BadDigest"):
        bucket.put("key", b"x", ContentMD5="1B2M2Y8AsgTpgAmY7PhCfg==")
    with refused("NoSuchKey"):
        bucket.copy("nothing", "copy")
    upload = bucket.start_upload("parts")
    upload.put(1, b"x")
    with refused("InvalidPart"):
        upload.complete([{"PartNumber": 2, "ETag": "x"}])
    upload.abort()
    bucket.put("last", b"x")
    assert events(queue, 1) == [(PUT, "last")]


def test_events_of_a_key_have_increasing_sequencers(bucket, listen):
    queue = listen("ObjectCreated:*")
    for i in range(5):
        bucket.put("key", b"%d" % i * (i + 1))
    records = [json.loads(message["Body"])["Records"][0]["s3"]["object"] for message in queue.receive_all(5)]
    by_sequence = sorted(records, key=lambda one: one["sequencer"].rjust(64, "0"))
    assert [one["size"] for one in by_sequence] == [1, 2, 3, 4, 5]
