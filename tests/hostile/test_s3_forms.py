# SPDX-License-Identifier: Apache-2.0
"""Malformed forms and policies for S3."""
import base64
import datetime
import hashlib
import hmac
import json

import pytest

from expect import refused
from support import sigv4
from support.raw import Connection, request_bytes

LINE = "line"
TYPE = f"multipart/form-data; boundary={LINE}"


def field(name, value, line=LINE):
    return f'--{line}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()


def file(body=b"x", line=LINE):
    return f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'.encode() + body + b"\r\n"


END = f"--{LINE}--\r\n".encode()


def policy_of(bucket, conditions=None, expiration=None):
    if expiration is None:
        expiration = (sigv4.now() + datetime.timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    if conditions is None:
        conditions = [{"bucket": bucket.strip("/")}, ["starts-with", "$key", ""], ["starts-with", "$x-amz-credential", ""],
                      ["starts-with", "$x-amz-algorithm", ""], ["starts-with", "$x-amz-date", ""]]
    return json.dumps({"expiration": expiration, "conditions": conditions}).encode()


def signed(s3, policy, key="form-key"):
    """The fields of a form with any policy and a valid signature."""
    scope = s3.scope()
    encoded = base64.b64encode(policy).decode()
    return {
        "key": key,
        "x-amz-algorithm": sigv4.ALGORITHM,
        "x-amz-credential": f"{s3.key.id}/{scope.text}",
        "x-amz-date": sigv4.stamp(scope.time),
        "policy": encoded,
        "x-amz-signature": scope.seal(encoded),
    }


def fields_bytes(fields):
    return b"".join(field(name, value) for name, value in fields.items())


@pytest.fixture
def post(s3, bucket):
    def send(body, kind=TYPE, length=None):
        return s3.anonymous("POST", bucket, body, {"Content-Type": kind, **({"Content-Length": str(length)} if length else {})})

    yield send
    assert s3.call("GET", f"{bucket}/form-key").status == 404


def test_a_valid_form_is_accepted(s3, bucket):
    body = fields_bytes(signed(s3, policy_of(bucket), "form-good")) + file() + END
    answer = s3.anonymous("POST", bucket, body, {"Content-Type": TYPE})
    assert answer.status == 204, answer
    assert s3.call("GET", f"{bucket}/form-good").body == b"x"
    body = fields_bytes(signed(s3, policy_of(bucket), "form-hosted")) + file() + END
    answer = s3.anonymous("POST", "/", body, {"Content-Type": TYPE, "Host": f"{bucket.strip('/')}.localhost:80"})
    assert answer.status == 204, answer
    assert answer.headers["location"] == f"http://localhost:80{bucket}/form-hosted"
    assert s3.call("GET", f"{bucket}/form-hosted").body == b"x"


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "x" * 5000,
     "application/x-www-form-urlencoded", "text/plain", "", "multipart/mixed; boundary=line", "multipart/form-data; boundary=other"],
)
def test_a_form_of_another_content_type_is_rejected(s3, bucket, post, kind):
    body = fields_bytes(signed(s3, policy_of(bucket))) + file() + END
    answer = post(body, kind)
    assert 400 <= answer.status < 500, answer


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"garbage",
        END,
        file() + END,
        field("key", "form-key") + file(),
        field("key", "form-key")[:-4],
        b"--line\r\n\r\nno name\r\n" + file() + END,
        b'--line\r\nContent-Disposition: form-data; name="key\r\n\r\nx\r\n' + END,
        b"--line\r\nContent-Disposition: form-data\r\n\r\nx\r\n" + file() + END,
        b"--line\r\n" + b"X: y\r\n" * 20_000 + b"\r\nx\r\n" + END,
        field("key", "form-key") * 5000 + file() + END,
        field("key", "x" * 100_000) + file() + END,
        field("k" * 100_000, "x") + file() + END,
        field("x" + "-ignore-" * 5, "y" * 30_000) + file() + END,
        b"--line" * 10_000,
        b"\r\n" * 100_000,
        b"\xff\xfe\x00" * 1000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_a_malformed_form_is_rejected(post, body):
    answer = post(body)
    assert answer is not None and 400 <= answer.status < 500, answer


POLICIES = [
    b"",
    b"garbage",
    b"{}",
    b"[]",
    b"null",
    b'{"expiration":"never","conditions":[]}',
    b'{"expiration":5,"conditions":[]}',
    b'{"expiration":"2999-01-01T00:00:00Z"}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":{}}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[[]]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[["what","$key","x"]]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[["content-length-range",-1,"x"]]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[["content-length-range",10]]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[["content-length-range",99999999999999999999,1]]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[{"key":5}]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[{"key":["x"]}]}',
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[' + b"[" * 5000 + b"]" * 5000 + b"]}",
    b'{"expiration":"2999-01-01T00:00:00Z","conditions":[' + b",".join([b'{"a":"b"}'] * 1000) + b"]}",
    b"\xff\xfe",
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: repr(policy[-30:]))
def test_an_invalid_policy_is_rejected(s3, post, policy):
    answer = post(fields_bytes(signed(s3, policy)) + file() + END)
    refused(answer)
    assert answer.status in (400, 403)


def test_a_wrong_form_signature_is_rejected(s3, bucket, post):
    good = signed(s3, policy_of(bucket))
    for change in (
        {"x-amz-signature": "0" * 64},
        {"x-amz-signature": ""},
        {"x-amz-algorithm": "AWS4-NOTHING"},
        {"x-amz-credential": "nobody/20260101/us-east-1/s3/aws4_request"},
        {"x-amz-credential": good["x-amz-credential"].replace("/s3/", "/sqs/")},
        {"x-amz-credential": "///"},
        {"x-amz-date": "garbage"},
        {"policy": "!!!!"},
        {"policy": good["policy"] + "AAAA"},
    ):
        refused(post(fields_bytes({**good, **change}) + file() + END))
    for gone in good:
        refused(post(fields_bytes({name: value for name, value in good.items() if name != gone}) + file() + END))
    secret = hmac.new(s3.key.secret.encode(), good["policy"].encode(), hashlib.sha1).digest()
    wrong = {"key": "form-key", "AWSAccessKeyId": s3.key.id, "policy": good["policy"], "signature": base64.b64encode(secret[:-1]).decode()}
    refused(post(fields_bytes(wrong) + file() + END))


def test_two_files_or_two_keys_are_rejected(s3, bucket, post):
    good = fields_bytes(signed(s3, policy_of(bucket)))
    answer = post(good + field("key", "other") + file()[:-2])
    assert 400 <= answer.status < 500, answer


def test_a_second_unsigned_policy_is_rejected(s3, bucket, post):
    strict = [["eq", "$key", "another-key"], ["starts-with", "$x-amz-credential", ""],
              ["starts-with", "$x-amz-algorithm", ""], ["starts-with", "$x-amz-date", ""]]
    good = signed(s3, policy_of(bucket, strict))
    lax = field("policy", base64.b64encode(policy_of(bucket)).decode())
    refused(post(fields_bytes(good) + file() + END))
    refused(post(fields_bytes(good) + lax + file() + END))
    refused(post(lax + fields_bytes(good) + file() + END))


def test_a_form_that_ends_early_is_rejected(s3, server, bucket, post):
    whole = fields_bytes(signed(s3, policy_of(bucket))) + file(b"y" * 300_000)
    for kept in (10, len(whole) // 2, len(whole)):
        with Connection(server.port) as connection:
            fields = {"Host": s3.host, "Content-Type": TYPE, "Content-Length": str(len(whole) + len(END))}
            connection.send(request_bytes("POST", bucket, fields, whole[:kept]))
            connection.socket.shutdown(1)
            answer = connection.read_answer()
            assert answer is None or 400 <= answer.status < 500
    answer = post(whole)  # its length is right, its last line is missing
    assert 400 <= answer.status < 500, answer
