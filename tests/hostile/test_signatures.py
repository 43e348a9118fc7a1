# SPDX-License-Identifier: Apache-2.0
"""Wrong and missing signatures."""
import datetime
import hashlib

import pytest

from expect import refused
from support import sigv4
from support.raw import FORM, JSON, Caller, request_bytes
from support.server import Key

LIST = {"Action": "ListQueues", "Version": "2012-11-05"}
BAD_SIGNATURE = ("InvalidSignatureException", "SignatureDoesNotMatch")


def ago(**delta):
    return sigv4.now() - datetime.timedelta(**delta)


def unsigned(caller, **headers):
    fields = {"Host": caller.host, "Content-Type": JSON, "X-Amz-Target": "AmazonSQS.ListQueues", "Content-Length": "2"}
    return request_bytes("POST", "/", {**fields, **headers}, b"{}")


def test_a_valid_signature_is_accepted(caller):
    assert caller.json("ListQueues", {}).status == 200
    assert caller.query(LIST).status == 200


@pytest.mark.parametrize("zone", ["GMT", "-0000", "+0000"])
def test_a_date_header_may_replace_the_signatures_own(caller, send, zone):
    """Python's email.utils.formatdate writes -0000."""
    scope, body = caller.scope(), b"{}"
    fields = {"Host": caller.host, "Content-Type": JSON, "X-Amz-Target": "AmazonSQS.ListQueues"}
    fields["Date"] = scope.time.strftime("%a, %d %b %Y %H:%M:%S ") + zone
    covered = [(name.lower(), value) for name, value in fields.items()]
    names, signature = scope.sign("POST", "/", "", covered, hashlib.sha256(body).hexdigest())
    fields["Authorization"] = (
        f"{sigv4.ALGORITHM} Credential={scope.key.id}/{scope.text}, SignedHeaders={names}, Signature={signature}"
    )
    answer = send(request_bytes("POST", "/", {**fields, "Content-Length": "2"}, body))
    assert answer.status == 200, answer


def test_a_missing_signature_is_rejected(caller, send):
    refused(send(unsigned(caller)), "MissingAuthenticationTokenException", 403)
    form = request_bytes("POST", "/", {"Host": caller.host, "Content-Type": FORM, "Content-Length": "0"})
    refused(send(form), ("MissingAuthenticationToken", "MissingAuthenticationTokenException"), 403)


@pytest.mark.parametrize(
    "value",
    [
        "AWS4-HMAC-SHA256",
        "AWS4-HMAC-SHA256 ",
        "AWS4-HMAC-SHA256 garbage",
        "AWS4-HMAC-SHA256 Credential=a",
        "AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host, Signature=0",
        "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/sqs/aws4_request, SignedHeaders=, Signature=0",
        "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/sqs/other, SignedHeaders=host, Signature=0",
        "AWS4-HMAC-SHA256 Credential=" + "/" * 5000 + ", SignedHeaders=host, Signature=0",
        "AWS4-HMAC-SHA256 Credential=a/b/c/sqs/aws4_request, SignedHeaders=" + "host;" * 500 + "host, Signature=0",
        "AWS4-HMAC-SHA512 Credential=a/b/c/d/e, SignedHeaders=host, Signature=0",
        "AWS key:signature",
        "Basic dXNlcjpwYXNz",
        "Bearer token",
        ",,,,===,,,",
        "\xff\xfe",
    ],
)
def test_an_invalid_authorization_is_rejected(caller, send, value):
    refused(send(unsigned(caller, Authorization=value, **{"X-Amz-Date": sigv4.stamp(sigv4.now())})))


def test_a_tampered_signature(caller, send):
    good = caller.json_bytes("ListQueues", {})
    at = good.index(b"Signature=") + len(b"Signature=")
    for wrong in (b"0" * 64, b"", b"zz", b"0" * 5000):
        refused(send(good[:at] + wrong + good[at + 64 :]), None if wrong == b"" else BAD_SIGNATURE[0])


def test_a_tampered_body(caller, send):
    good = caller.json_bytes("ListQueues", {"QueueNamePrefix": "a"})
    refused(send(good.replace(b'"a"', b'"b"')), BAD_SIGNATURE[0], 403)


def test_a_tampered_header_and_target(caller, send):
    good = caller.json_bytes("ListQueues", {})
    refused(send(good.replace(b"AmazonSQS.ListQueues", b"AmazonSQS.PurgeQueue")), BAD_SIGNATURE[0], 403)
    refused(send(good.replace(b"POST / ", b"POST /other ")), BAD_SIGNATURE[0], 403)


def test_an_amz_header_that_is_not_signed(caller, send):
    good = caller.json_bytes("ListQueues", {})
    refused(send(good.replace(b"Content-Length", b"X-Amz-Extra: 1\r\nContent-Length")))


def test_a_wrong_payload_hash_is_rejected(caller):
    wrong = hashlib.sha256(b"something else").hexdigest()
    refused(caller.json("ListQueues", {}, payload_hash=wrong))
    refused(caller.json("ListQueues", {}, payload_hash="garbage"))


def test_a_correct_payload_hash_is_accepted(caller):
    assert caller.json("ListQueues", b"{}", payload_hash=hashlib.sha256(b"{}").hexdigest()).status == 200


@pytest.mark.parametrize("payload_hash", ["UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                                          "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"])
def test_only_s3_accepts_a_body_that_the_signature_does_not_cover(caller, payload_hash):
    refused(caller.json("ListQueues", {}, payload_hash=payload_hash))


@pytest.mark.parametrize("service", ["sts", "s3", "", "sqs2", "stoker"])
def test_the_scope_of_another_service(caller, service):
    answer = caller.json("ListQueues", {}, scope=caller.scope(service))
    refused(answer)


@pytest.mark.parametrize("region", ["", "US EAST", "us_east", "x" * 100, "../..", "'; DROP TABLE sqs_queues; --"])
def test_an_invalid_region_is_rejected(caller, region):
    scope = caller.scope()
    scope.region = region
    refused(caller.json("ListQueues", {}, scope=scope))


@pytest.mark.parametrize("delta", [{"minutes": 16}, {"minutes": -16}, {"days": 1}, {"days": -1}, {"days": 3650}])
def test_a_date_that_is_too_far_off_is_rejected(caller, delta):
    answer = caller.json("ListQueues", {}, scope=caller.scope(time=ago(**delta)))
    refused(answer, BAD_SIGNATURE[0], 403, "Signature expired" if list(delta.values())[0] > 0 else "not yet current")


@pytest.mark.parametrize("delta", [{"minutes": 14}, {"minutes": -14}])
def test_a_date_that_is_slightly_off_is_accepted(caller, delta):
    assert caller.json("ListQueues", {}, scope=caller.scope(time=ago(**delta))).status == 200


@pytest.mark.parametrize("date", ["garbage", "", "20261301T000000Z", "2026-01-01T00:00:00Z", "9" * 200])
def test_an_invalid_date_is_rejected(caller, send, date):
    good = caller.json_bytes("ListQueues", {})
    at = good.index(b"X-Amz-Date: ") + len(b"X-Amz-Date: ")
    refused(send(good[:at] + date.encode() + good[at + 16 :]))


def test_a_scope_of_another_day(caller, send):
    today = caller.scope().date.encode()
    other = caller.json_bytes("ListQueues", {}).replace(b"/" + today + b"/", b"/20200101/")
    refused(send(other), BAD_SIGNATURE[0], 403)


@pytest.mark.parametrize("identity", ["", "AKIAUNKNOWN", "x" * 5000, "a'b", "%00"])
def test_an_unknown_key_is_rejected(server, identity):
    stranger = Caller(server, Key(identity, "secret"))
    refused(stranger.json("ListQueues", {}))


def presigned(caller, parameters=None, **more):
    scope = caller.scope(time=more.pop("time", None))
    target = sigv4.presigned(scope, "GET", caller.host, "/", parameters or LIST, **more)
    return target, {"Host": caller.host}


def test_a_presigned_url_works(caller, send):
    target, headers = presigned(caller)
    assert b"<ListQueuesResponse" in send(request_bytes("GET", target, headers)).body


def test_a_presigned_url_expires(caller, send):
    target, headers = presigned(caller, time=ago(minutes=2), expires=60)
    refused(send(request_bytes("GET", target, headers)), BAD_SIGNATURE, 403, "expired")


def test_a_changed_presigned_url_is_rejected(caller, send):
    target, headers = presigned(caller)
    for wrong in (
        target.replace("ListQueues", "CreateQueue"),
        target + "&MaxResults=5",
        target.replace("X-Amz-Expires=60", "X-Amz-Expires=600"),
        target[:-1] + ("0" if target[-1] != "0" else "1"),
    ):
        refused(send(request_bytes("GET", wrong, headers)), BAD_SIGNATURE, 403)


@pytest.mark.parametrize("expires", ["-1", "604801", "words", "", "99999999999999999999"])
def test_a_presigned_url_with_an_invalid_validity_is_rejected(caller, send, expires):
    target, headers = presigned(caller, expires=expires)
    refused(send(request_bytes("GET", target, headers)))


def test_an_incomplete_presigned_url_is_rejected(caller, send):
    target, headers = presigned(caller)
    parts = target.split("&")
    for gone in ("X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature"):
        less = "&".join(part for part in parts if not part.startswith(gone))
        refused(send(request_bytes("GET", less, headers)))
