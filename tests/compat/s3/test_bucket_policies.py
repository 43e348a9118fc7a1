# SPDX-License-Identifier: Apache-2.0
"""Access to a bucket: its policy, other accounts, requests without a key."""
import json

import pytest

from support.buckets import refused
from support.queues import unique_name

OTHER = "210987654321"


def policy(bucket, *actions, principal="*", resource="/*", effect="Allow", **more):
    statement = {
        "Effect": effect,
        "Principal": principal,
        "Action": [f"s3:{action}" for action in actions],
        "Resource": bucket.arn + resource,
        **more,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def let(bucket, *actions, **more):
    bucket.client.put_bucket_policy(Bucket=bucket.name, Policy=policy(bucket, *actions, **more))


@pytest.fixture
def public(bucket):
    bucket.open_to_the_public()
    return bucket


@pytest.fixture
def at(server):
    """at(bucket, key) -> its URL."""
    return lambda bucket, path="": f"{server.endpoint}/{bucket.name}/{path}"


def test_a_policy_is_returned_unchanged(s3, bucket):
    with refused("NoSuchBucketPolicy", 404, "The bucket policy does not exist"):
        s3.get_bucket_policy(Bucket=bucket.name)
    with refused("NoSuchBucketPolicy", 404):
        s3.get_bucket_policy_status(Bucket=bucket.name)
    text = policy(bucket, "GetObject", principal={"AWS": OTHER})
    answer = s3.put_bucket_policy(Bucket=bucket.name, Policy=text)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
    shown = json.loads(s3.get_bucket_policy(Bucket=bucket.name)["Policy"])
    assert shown["Statement"][0]["Action"] in ("s3:GetObject", ["s3:GetObject"])
    assert s3.get_bucket_policy_status(Bucket=bucket.name)["PolicyStatus"]["IsPublic"] is False
    s3.delete_bucket_policy(Bucket=bucket.name)
    with refused("NoSuchBucketPolicy", 404):
        s3.get_bucket_policy(Bucket=bucket.name)


def test_a_policy_for_everybody_is_public(s3, public):
    let(public, "GetObject")
    assert s3.get_bucket_policy_status(Bucket=public.name)["PolicyStatus"]["IsPublic"] is True


def test_a_public_policy_is_rejected_while_public_access_is_blocked(s3, bucket):
    with refused("AccessDenied", 403):
        let(bucket, "GetObject")
    with refused("NoSuchBucketPolicy", 404):
        s3.get_bucket_policy(Bucket=bucket.name)


@pytest.mark.parametrize(
    "text",
    [
        "not JSON",
        "{}",
        '{"Version":"2012-10-17","Statement":[{"Effect":"Perhaps","Principal":"*","Action":"s3:*","Resource":"X"}]}',
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"arn:aws:s3:::x"}]}',
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject"}]}',
        '{"Version":"1999-01-01","Statement":[]}',
    ],
)
def test_an_invalid_policy_is_rejected(s3, public, text):
    with refused("MalformedPolicy", 400):
        s3.put_bucket_policy(Bucket=public.name, Policy=text)


def test_a_policy_of_another_bucket_is_rejected(s3, public):
    text = policy(public, "GetObject").replace(public.name, unique_name())
    with refused("MalformedPolicy", 400, "Policy has invalid resource"):
        s3.put_bucket_policy(Bucket=public.name, Policy=text)


def test_requests_without_a_key_are_denied(public, at, fetch):
    public.put("key", b"secret")
    for method, path in (("GET", "key"), ("HEAD", "key"), ("PUT", "key"), ("DELETE", "key"), ("GET", "")):
        answer = fetch(method, at(public, path), b"" if method == "PUT" else None)
        assert answer.status == 403, (method, path, answer)
        assert method == "HEAD" or b"<Code>AccessDenied</Code>" in answer.body
    assert fetch("GET", at(public, "nothing")).status == 403  # who may not list does not learn what is there
    assert public.read("key") == b"secret"


def test_a_public_object_needs_no_key(public, at, fetch):
    public.put("a key/with ü", b"for all", ContentType="text/plain")
    let(public, "GetObject")
    answer = fetch("GET", at(public, "a%20key/with%20%C3%BC"))
    assert (answer.status, answer.body) == (200, b"for all")
    assert answer.headers["Content-Type"] == "text/plain"
    assert fetch("HEAD", at(public, "a%20key/with%20%C3%BC")).headers["Content-Length"] == "7"
    assert fetch("GET", at(public, "nothing")).status == 403
    assert fetch("GET", at(public)).status == 403
    assert fetch("PUT", at(public, "mine"), b"x").status == 403


def test_a_policy_may_allow_a_referer(public, at, fetch):
    public.put("key", b"x")
    for operator, silent in (("StringLike", 403), ("StringLikeIfExists", 200)):
        let(public, "GetObject", Condition={operator: {"aws:Referer": "https://www.example.com/*"}})
        assert fetch("GET", at(public, "key")).status == silent
        assert fetch("GET", at(public, "key"), headers={"Referer": "https://www.example.com/page"}).status == 200
        assert fetch("GET", at(public, "key"), headers={"Referer": "https://elsewhere.example/"}).status == 403
    let(public, "GetObject", Condition={"StringEquals": {"aws:UserAgent": "reader/1"}})
    assert fetch("GET", at(public, "key"), headers={"User-Agent": "reader/1"}).status == 200
    assert fetch("GET", at(public, "key"), headers={"User-Agent": "reader/2"}).status == 403


def test_a_missing_key_is_reported_if_listing_is_allowed(public, at, fetch):
    public.put("key", b"x")
    statements = [json.loads(policy(public, "GetObject"))["Statement"][0]]
    statements += json.loads(policy(public, "ListBucket", resource=""))["Statement"]
    text = json.dumps({"Version": "2012-10-17", "Statement": statements})
    public.client.put_bucket_policy(Bucket=public.name, Policy=text)
    assert b"<Key>key</Key>" in fetch("GET", at(public, "?list-type=2")).body
    answer = fetch("GET", at(public, "nothing"))
    assert answer.status == 404 and b"<Code>NoSuchKey</Code>" in answer.body


def test_a_policy_may_allow_everybody_to_write(public, at, fetch):
    let(public, "PutObject", resource="/in/*")
    assert fetch("PUT", at(public, "in/box"), b"from outside").status == 200
    assert public.read("in/box") == b"from outside"
    assert fetch("PUT", at(public, "out"), b"x").status == 403
    assert fetch("DELETE", at(public, "in/box")).status == 403
    assert public.keys() == ["in/box"]


def test_restrict_public_buckets_denies_the_public(s3, public, at, fetch):
    public.put("key", b"x")
    let(public, "GetObject")
    assert fetch("GET", at(public, "key")).status == 200
    block = {"RestrictPublicBuckets": True}
    s3.put_public_access_block(Bucket=public.name, PublicAccessBlockConfiguration=block)
    assert fetch("GET", at(public, "key")).status == 403
    assert public.read("key") == b"x"


def test_a_policy_may_allow_another_account(bucket, other_s3):
    bucket.put("shared/key", b"x")
    bucket.put("mine", b"y")
    let(bucket, "GetObject", "PutObject", principal={"AWS": f"arn:aws:iam::{OTHER}:root"}, resource="/shared/*")
    assert other_s3.get_object(Bucket=bucket.name, Key="shared/key")["Body"].read() == b"x"
    other_s3.put_object(Bucket=bucket.name, Key="shared/theirs", Body=b"z")
    assert bucket.read("shared/theirs") == b"z"
    for call in (other_s3.get_object, other_s3.delete_object):
        with refused("AccessDenied", 403):
            call(Bucket=bucket.name, Key="mine")
    with refused("AccessDenied", 403):
        other_s3.delete_object(Bucket=bucket.name, Key="shared/key")
    with refused("AccessDenied", 403):
        other_s3.list_objects_v2(Bucket=bucket.name)


def test_a_listing_may_be_allowed_below_a_prefix(bucket, other_s3):
    bucket.put("theirs/key", b"x")
    only = {"StringLike": {"s3:prefix": "theirs/*"}}
    let(bucket, "ListBucket", principal={"AWS": OTHER}, resource="", Condition=only)
    shown = other_s3.list_objects_v2(Bucket=bucket.name, Prefix="theirs/")
    assert [one["Key"] for one in shown["Contents"]] == ["theirs/key"]
    with refused("AccessDenied", 403):
        other_s3.list_objects_v2(Bucket=bucket.name)


def test_a_deny_applies_to_the_owner(s3, bucket):
    bucket.put("locked/key", b"x")
    bucket.put("other", b"y")
    let(bucket, "DeleteObject", resource="/locked/*", effect="Deny")
    with refused("AccessDenied", 403):
        bucket.delete("locked/key")
    gone = bucket.delete_many("locked/key", "other")
    assert [one["Key"] for one in gone["Deleted"]] == ["other"]
    assert [(one["Key"], one["Code"]) for one in gone["Errors"]] == [("locked/key", "AccessDenied")]
    assert bucket.keys() == ["locked/key"]
    s3.delete_bucket_policy(Bucket=bucket.name)


def test_a_copy_needs_permission_for_source_and_target(make_bucket, other_s3, other_key, connect):
    ours = make_bucket()
    theirs = make_bucket(client=other_s3)
    ours.put("key", b"x")
    source = {"Bucket": ours.name, "Key": "key"}
    with refused("AccessDenied", 403):
        theirs.copy(source, "copy")
    let(ours, "GetObject", principal={"AWS": OTHER})
    theirs.copy(source, "copy")
    assert theirs.read("copy") == b"x"
    with refused("AccessDenied", 403):
        other_s3.copy_object(Bucket=ours.name, Key="back", CopySource=source)
