# SPDX-License-Identifier: Apache-2.0
"""Details of S3 that its documentation leaves out, and that clients and their tests rely on."""
import base64
import hashlib
import json

import pytest

from support import sigv4
from support.buckets import refused, unique_name


def presigned_put(raw, path, **parameters):
    target = sigv4.presigned(raw.scope(), "PUT", raw.host, path, parameters)
    return raw.anonymous("PUT", target, b"new")


def test_a_bucket_may_have_an_empty_configuration(s3, make_bucket):
    name = unique_name()
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={})
    assert s3.head_bucket(Bucket=name)
    s3.delete_bucket(Bucket=name)


def test_a_location_is_a_url_outside_of_the_first_region(s3, connect):
    name = unique_name()
    assert s3.create_bucket(Bucket=name)["Location"] == f"/{name}"
    s3.delete_bucket(Bucket=name)
    ireland = connect("s3", region="eu-west-1")
    answer = ireland.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    assert answer["Location"].startswith("http") and answer["Location"].endswith(f"/{name}/")
    ireland.delete_bucket(Bucket=name)


def test_conditions_in_a_presigned_query_apply(bucket, raw):
    bucket.put("key", b"old")
    answer = presigned_put(raw, f"/{bucket.name}/key", **{"If-None-Match": "*"})
    assert (answer.status, answer.code) == (412, "PreconditionFailed")
    answer = presigned_put(raw, f"/{bucket.name}/key", **{"If-Match": '"no such"'})
    assert (answer.status, answer.code) == (412, "PreconditionFailed")
    assert bucket.read("key") == b"old"
    etag = f'"{hashlib.md5(b"old").hexdigest()}"'
    assert presigned_put(raw, f"/{bucket.name}/key", **{"If-Match": etag}).status == 200
    assert bucket.read("key") == b"new"


def test_a_plus_in_a_query_is_a_space(bucket, raw):
    bucket.put("a b", b"")
    target = sigv4.presigned(raw.scope(), "GET", raw.host, f"/{bucket.name}", {"prefix": "a b"})
    answer = raw.anonymous("GET", target.replace("a%20b", "a+b"))
    assert answer.status == 200 and b"<Key>a b</Key>" in answer.body


@pytest.mark.parametrize(
    "source",
    ["{bucket}/a+b", "/{bucket}/a%20b", "http://host:1/{bucket}/a+b", "https://{bucket}.s3.amazonaws.com/a%20b",
     "https://{bucket}.s3-eu-west-1.amazonaws.com/a+b"],
)
def test_a_copy_source_may_have_pluses_and_a_host(bucket, raw, source):
    bucket.put("a b", b"source")
    answer = raw.call("PUT", f"/{bucket.name}/copy", headers={"x-amz-copy-source": source.format(bucket=bucket.name)})
    assert answer.status == 200, answer
    assert bucket.read("copy") == b"source"


def test_both_parties_of_an_upload_are_named(bucket):
    started = bucket.client.create_multipart_upload(Bucket=bucket.name, Key="key")
    [listed] = bucket.client.list_multipart_uploads(Bucket=bucket.name)["Uploads"]
    parts = bucket.client.list_parts(Bucket=bucket.name, Key="key", UploadId=started["UploadId"])
    for answer in (listed, parts):
        assert answer["Initiator"]["ID"] == answer["Owner"]["ID"]
        assert answer["Initiator"]["DisplayName"]


def test_each_answer_names_its_server(bucket, raw):
    assert raw.call("GET", f"/{bucket.name}").headers["server"] == "AmazonS3"
    assert raw.call("GET", f"/{bucket.name}/missing").headers["server"] == "AmazonS3"


@pytest.mark.parametrize("query", ["tagging", "versioning", "lifecycle"])
def test_a_missing_bucket_is_reported_before_its_document(raw, query):
    body = b"<not xml"
    md5 = {"Content-MD5": base64.b64encode(hashlib.md5(body).digest()).decode()}
    answer = raw.call("PUT", f"/{unique_name()}?{query}", body, headers=md5)
    assert (answer.status, answer.code) == (404, "NoSuchBucket"), answer


def test_a_broken_document_of_a_bucket_is_reported(bucket, raw):
    body = b"<not xml"
    md5 = {"Content-MD5": base64.b64encode(hashlib.md5(body).digest()).decode()}
    assert raw.call("PUT", f"/{bucket.name}?tagging", body, headers=md5).code == "MalformedXML"


def test_encoded_metadata_is_decoded(bucket, raw):
    for sent, kept in (("=?UTF-8?Q?plain_text?=", "plain text"), ("=?UTF-8?B?w6TDtg==?=", "=?UTF-8?B?w6TDtg==?=")):
        assert raw.call("PUT", f"/{bucket.name}/key", b"", headers={"x-amz-meta-note": sent}).status == 200
        assert raw.call("HEAD", f"/{bucket.name}/key").headers["x-amz-meta-note"] == kept


def test_grants_and_a_canned_acl_exclude_each_other(bucket):
    with refused("InvalidRequest", 400, "Specifying both Canned ACLs and Header Grants is not allowed"):
        bucket.put("key", b"", ACL="private", GrantRead="id=someone")


def test_a_wrong_digest_is_shown_in_hex(bucket, raw):
    expected = hashlib.md5(b"expected")
    answer = raw.call("PUT", f"/{bucket.name}/key", b"sent",
                      headers={"Content-MD5": base64.b64encode(expected.digest()).decode()})
    assert answer.code == "BadDigest"
    assert f"<ExpectedDigest>{expected.hexdigest()}</ExpectedDigest>".encode() in answer.body
    calculated = base64.b64encode(hashlib.md5(b"sent").digest())
    assert b"<CalculatedDigest>" + calculated + b"</CalculatedDigest>" in answer.body


def test_events_of_unversioned_puts_have_no_version(bucket, make_queue):
    queue = make_queue()
    queue.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage",
         "Resource": queue.arn}]}))
    bucket.client.put_bucket_versioning(Bucket=bucket.name, VersioningConfiguration={"Status": "Suspended"})
    bucket.client.put_bucket_notification_configuration(Bucket=bucket.name, NotificationConfiguration={
        "QueueConfigurations": [{"QueueArn": queue.arn, "Events": ["s3:ObjectCreated:*"]}]})
    queue.delete(queue.receive_one())
    bucket.put("key", b"")
    record = json.loads(queue.receive_one()["Body"])["Records"][0]["s3"]
    assert "versionId" not in record["object"]
    assert record["bucket"]["ownerIdentity"]["principalId"].startswith("A")
