# SPDX-License-Identifier: Apache-2.0
"""Uploads by a browser form, with a signed policy."""
import base64
import hashlib
import json
import uuid

import pytest

from support.queues import unique_name


def form(fields, file=b"the file", name="photo.png", kind="image/png", after=()):
    """multipart/form-data as browsers write it: (body, headers)."""
    line = "----" + uuid.uuid4().hex
    out = b""
    for field, value in fields.items():
        out += f'--{line}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
    if file is not None:
        out += f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'.encode()
        out += f"Content-Type: {kind}\r\n\r\n".encode() + file + b"\r\n"
    for field, value in after:
        out += f'--{line}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
    return out + f"--{line}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={line}"}


@pytest.fixture(params=["as boto3 likes it", "s3v4"])
def signer(request, s3, s3_v4):
    return s3 if request.param != "s3v4" else s3_v4


@pytest.fixture
def post(fetch):
    def send(made, change=None, **more):
        body, headers = form({**made["fields"], **(change or {})}, **more)
        return fetch("POST", made["url"], body, headers)

    return send


def error(answer):
    return answer.status, answer.body.split(b"<Code>")[1].split(b"</Code>")[0].decode()


def test_a_file_is_posted(signer, bucket, post):
    made = signer.generate_presigned_post(bucket.name, "in/key")
    answer = post(made)
    assert answer.status == 204, answer
    assert answer.headers["ETag"] == f'"{hashlib.md5(b"the file").hexdigest()}"'
    assert answer.headers["Location"].endswith(f"{bucket.name}/in%2Fkey") or answer.headers["Location"].endswith(
        f"{bucket.name}/in/key"
    )
    assert bucket.read("in/key") == b"the file"


@pytest.mark.parametrize("file", [b"", b"\r\n--\r\n\0" * 50, b"large" * 200_000], ids=["empty", "odd", "large"])
def test_a_form_may_upload_any_bytes(signer, bucket, post, file):
    assert post(signer.generate_presigned_post(bucket.name, "key"), file=file).status == 204
    assert bucket.read("key") == file


def test_the_file_name_becomes_part_of_the_key(signer, bucket, post):
    made = signer.generate_presigned_post(bucket.name, "user/${filename}")
    assert post(made, name="my photo ü.png").status == 204
    assert bucket.keys() == ["user/my photo ü.png"]


def test_a_form_sets_the_headers_of_the_object(signer, bucket, post):
    fields = {"Content-Type": "image/webp", "x-amz-meta-who": "me", "Cache-Control": "no-store"}
    conditions = [{name: value} for name, value in fields.items()]
    tags = "<Tagging><TagSet><Tag><Key>t</Key><Value>1</Value></Tag></TagSet></Tagging>"
    conditions.append({"tagging": tags})
    made = signer.generate_presigned_post(bucket.name, "key", Fields={**fields, "tagging": tags}, Conditions=conditions)
    assert post(made).status == 204
    head = bucket.get("key")
    assert (head["ContentType"], head["Metadata"], head["CacheControl"]) == ("image/webp", {"who": "me"}, "no-store")
    assert head["TagCount"] == 1


@pytest.mark.parametrize("status", ["200", "201", "204", "nonsense"])
def test_the_status_can_be_chosen(signer, bucket, post, status):
    conditions = [{"success_action_status": status}]
    made = signer.generate_presigned_post(bucket.name, "key", Fields=conditions[0], Conditions=conditions)
    answer = post(made)
    assert answer.status == (int(status) if status != "nonsense" else 204)
    if status == "201":
        assert b"<PostResponse" in answer.body and b"<Key>key</Key>" in answer.body
        assert f"<Bucket>{bucket.name}</Bucket>".encode() in answer.body and b"<ETag>" in answer.body
    else:
        assert answer.body == b""


def test_a_form_may_request_a_redirect(signer, bucket, post):
    conditions = [{"success_action_redirect": "http://example.com/done?a=b"}]
    made = signer.generate_presigned_post(bucket.name, "key", Fields=conditions[0], Conditions=conditions)
    answer = post(made)
    assert answer.status == 303
    location = answer.headers["Location"]
    assert location.startswith("http://example.com/done?a=b&") and f"bucket={bucket.name}" in location
    assert "key=key" in location and "etag=%22" in location


def test_the_size_must_be_in_the_policys_range(signer, bucket, post):
    made = signer.generate_presigned_post(bucket.name, "key", Conditions=[["content-length-range", 5, 10]])
    answer = post(made, file=b"1234")
    assert error(answer) == (400, "EntityTooSmall")
    assert error(post(made, file=b"12345678901")) == (400, "EntityTooLarge")
    assert bucket.keys() == []
    assert post(made, file=b"1234567890").status == 204


def test_all_conditions_of_the_policy_are_verified(signer, bucket, post):
    conditions = [["starts-with", "$key", "user/"], ["starts-with", "$Content-Type", "image/"]]
    made = signer.generate_presigned_post(
        bucket.name, "user/${filename}", Fields={"Content-Type": "image/png"}, Conditions=conditions
    )
    answer = post(made, {"key": "other/x"})
    assert error(answer) == (403, "AccessDenied")
    assert b"Invalid according to Policy: Policy Condition failed" in answer.body
    assert error(post(made, {"Content-Type": "text/html"})) == (403, "AccessDenied")
    answer = post(made, {"x-amz-meta-extra": "1"})
    assert error(answer) == (403, "AccessDenied") and b"Extra input fields: x-amz-meta-extra" in answer.body
    assert post(made, {"x-ignore-this": "1"}).status == 204
    assert bucket.keys() == ["user/photo.png"]


def test_a_policy_is_valid_for_its_bucket_only(signer, bucket, make_bucket, post):
    made = signer.generate_presigned_post(bucket.name, "key")
    other = make_bucket()
    made["url"] = made["url"].replace(bucket.name, other.name)
    assert error(post(made)) == (403, "AccessDenied")
    assert other.keys() == []


def test_an_expired_policy_is_rejected(signer, bucket, post):
    answer = post(signer.generate_presigned_post(bucket.name, "key", ExpiresIn=-10))
    assert error(answer) == (403, "AccessDenied") and b"Policy expired" in answer.body
    assert bucket.keys() == []


def test_a_changed_policy_is_rejected(signer, bucket, post):
    made = signer.generate_presigned_post(bucket.name, "key")
    policy = json.loads(base64.b64decode(made["fields"]["policy"]))
    policy["conditions"] = [condition for condition in policy["conditions"] if "key" not in condition]
    changed = base64.b64encode(json.dumps(policy).encode()).decode()
    assert error(post(made, {"policy": changed})) == (403, "SignatureDoesNotMatch")
    name = "signature" if "signature" in made["fields"] else "x-amz-signature"
    assert error(post(made, {name: "0" * 64})) == (403, "SignatureDoesNotMatch")
    assert bucket.keys() == []


def test_a_form_needs_a_file_and_a_key(signer, bucket, post):
    made = signer.generate_presigned_post(bucket.name, "key")
    answer = post(made, file=None)
    assert error(answer) == (400, "InvalidArgument") and b"POST requires exactly one file upload per request" in answer.body
    del made["fields"]["key"]
    answer = post(made)
    assert answer.status in (400, 403), answer
    assert bucket.keys() == []


def test_fields_after_the_file_are_ignored(signer, bucket, post):
    made = signer.generate_presigned_post(bucket.name, "key")
    assert post(made, after=[("submit", "Upload"), ("x-amz-meta-late", "1")]).status == 204
    assert bucket.head("key")["Metadata"] == {}


def test_a_form_without_a_policy_is_anonymous(bucket, fetch, server):
    body, headers = form({"key": "key"})
    answer = fetch("POST", f"{server.endpoint}/{bucket.name}", body, headers)
    assert error(answer) == (403, "AccessDenied")
    bucket.open_to_the_public()
    statement = {"Effect": "Allow", "Principal": "*", "Action": "s3:PutObject", "Resource": bucket.arn + "/*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    bucket.client.put_bucket_policy(Bucket=bucket.name, Policy=policy)
    assert fetch("POST", f"{server.endpoint}/{bucket.name}", body, headers).status == 204
    assert bucket.read("key") == b"the file"


def test_a_missing_bucket_is_reported(signer, post):
    answer = post(signer.generate_presigned_post(unique_name(), "key"))
    assert error(answer) == (404, "NoSuchBucket")
