# SPDX-License-Identifier: Apache-2.0
"""Targets, services, content types, methods and paths that do not exist."""
import gzip

import pytest

from expect import refused, plain_rejection
from support import sigv4
from support.raw import request_bytes


@pytest.mark.parametrize("operation", ["", "Nothing", "sendMessage", "x" * 5000, "SendMessage.More", "<a>", "%00"])
def test_an_unknown_operation_is_rejected(caller, operation):
    refused(caller.json(operation, {}), "UnknownOperationException")


@pytest.mark.parametrize("target", ["", "AmazonSQS2", "DynamoDB_20120810", ".", "AmazonSQS."])
def test_an_invalid_target_is_rejected(caller, target):
    answer = caller.json("ListQueues", {}, target=target)
    assert answer.status == 200 or refused(answer)


@pytest.mark.parametrize("service", ["dynamodb", "rds", "x" * 1000, "SQS"])
def test_an_unsupported_service_is_rejected(caller, service):
    refused(caller.json("ListTables", {}, scope=caller.scope(service), target="DynamoDB_20120810"))
    refused(caller.query({"Action": "DescribeInstances"}, scope=caller.scope(service)))


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "",
        "application/json",
        "application/x-amz-json-9.9",
        "multipart/form-data; boundary=x",
        "application/cbor",
        "x" * 5000,
    ],
)
def test_a_wrong_content_type_is_rejected(caller, kind):
    answer = caller.json("ListQueues", {}, headers={"Content-Type": kind})
    assert answer.status == 200 or refused(answer)
    answer = caller.query({"Action": "ListQueues"}, headers={"Content-Type": kind})
    assert answer.status == 200 or refused(answer)


def test_json_for_a_query_service_is_rejected(caller):
    refused(caller.json("GetCallerIdentity", {}, scope=caller.scope("sts"), target="AWSSecurityTokenServiceV20110615"))


def test_cbor_for_another_service_is_rejected(caller, send):
    fields = {"Host": caller.host, "smithy-protocol": "rpc-v2-cbor", "Content-Type": "application/cbor"}
    path = "/service/AmazonSQS/operation/ListQueues"
    fields = sigv4.signed_headers(caller.scope(), "POST", path, fields, b"\xa0")
    answer = send(request_bytes("POST", path, {**fields, "Content-Length": "1"}, b"\xa0"))
    assert 400 <= answer.status < 500, answer


METHODS = ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "FOO", "X" * 1000]


@pytest.mark.parametrize("method", METHODS, ids=lambda text: text[:10])
def test_an_unsupported_method_is_rejected(caller, send, method):
    fields = sigv4.signed_headers(caller.scope(), method, "/", {"Host": caller.host}, b"")
    answer = send(request_bytes(method, "/", {**fields, "Connection": "close"}))
    assert answer is None or 400 <= answer.status < 500, answer


PATHS = [
    "//",
    "/../",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/%00",
    "/a%00b",
    "/%2F%2F",
    "/%",
    "/%zz",
    "/a/b/c/d",
    "/000000000000/hostile%2F..",
    "/" + "a/" * 5000,
    "/\x7f\x80",
    "/health/",
    "/health/../metrics",
    "//health",
    "/metrics%00",
    "/;a=b",
    "/#",
]


@pytest.mark.parametrize("path", PATHS, ids=lambda text: repr(text[:25]))
def test_a_tricky_path_is_rejected(caller, send, path):
    plain_rejection(send(request_bytes("GET", path, {"Host": caller.host, "Connection": "close"})))
    fields = {"Host": caller.host, "Content-Length": "2", "X-Amz-Target": "AmazonSQS.ListQueues", "Connection": "close"}
    plain_rejection(send(request_bytes("POST", path, fields, b"{}")))


@pytest.mark.parametrize("path", ["/a/b/c", "//", "/nobody/hostile", "/000000000000/nobody", "/x%2Fy"])
def test_an_unknown_queue_path_is_rejected(caller, path):
    answer = caller.query({"Action": "ReceiveMessage"}, path=path)
    refused(answer)


@pytest.mark.parametrize("target", ["http://elsewhere/", "*", "elsewhere:80", "?Action=ListQueues", "?", "health"])
def test_a_request_target_that_is_not_a_path_is_rejected(send, target):
    plain_rejection(send(request_bytes("GET", target, {"Host": "x", "Connection": "close"})))


@pytest.mark.parametrize("path", ["/health", "/metrics"])
def test_plain_pages_accept_only_get(send, path):
    answer = send(request_bytes("POST", path, {"Host": "x", "Content-Length": "3", "Connection": "close"}, b"abc"))
    plain_rejection(answer, 405)


def test_unknown_operations_do_not_enlarge_the_metrics(caller, send):
    """The labels of counters never come from clients."""
    for i in range(50):
        caller.json(f"Nothing{i}", {})
        caller.query({"Action": f"Nothing{i}"})
    page = send(request_bytes("GET", "/metrics", {"Host": "x", "Connection": "close"})).body
    assert b"Nothing" not in page and len(page) < 1_000_000


def gzipped(caller, data, operation="ListQueues"):
    return caller.json(operation, data, headers={"Content-Encoding": "gzip"})


def test_gzip_is_supported(caller):
    assert gzipped(caller, gzip.compress(b"{}")).status == 200


def test_a_gzip_bomb_is_rejected(caller):
    bomb = gzip.compress(b"0" * (64 << 20))
    assert len(bomb) < 1 << 20
    refused(gzipped(caller, bomb))


@pytest.mark.parametrize(
    "data", [b"", b"\x1f", b"\x1f\x8b", b"not gzip", gzip.compress(b"{}")[:-5], gzip.compress(b"{}") + b"x" * 10]
)
def test_an_invalid_gzip_is_rejected(caller, data):
    answer = gzipped(caller, data)
    assert answer.status == 200 or refused(answer)


def test_a_gzip_inside_a_gzip_is_not_unpacked(caller):
    refused(gzipped(caller, gzip.compress(gzip.compress(b"{}"))))


def test_an_unknown_encoding_is_rejected(caller):
    answer = caller.json("ListQueues", b"\x00\x01", headers={"Content-Encoding": "br"})
    refused(answer)
