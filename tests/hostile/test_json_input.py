# SPDX-License-Identifier: Apache-2.0
"""Invalid JSON bodies: syntax, types, sizes."""
import json

import pytest

from expect import refused

SYNTAX = [
    b"{",
    b"}",
    b"[]",
    b"null",
    b"1",
    b'"text"',
    b'{"QueueName":"q"',
    b'{"QueueName":"q",}',
    b'{"QueueName" "q"}',
    b"{'QueueName':'q'}",
    b'{"QueueName":"q"} trailing',
    b'{"QueueName":"q"}{}',
    b'{"QueueName":"\xff\xfe"}',
    b'{"QueueName":"\xc0\xaf"}',
    b'{"QueueName":"\xed\xa0\x80"}',
    b'{"QueueName":"\\ud800"}',
    b'{"QueueName":"\\x41"}',
    b'{"QueueName":"a\nb"}',
    b"\x00",
    b"\xef\xbb\xbf{}",
    b'{"QueueName":NaN}',
    b"<xml/>",
    b"Action=CreateQueue&QueueName=q",
]


@pytest.mark.parametrize("body", SYNTAX)
def test_a_body_that_is_not_a_json_object_is_rejected(caller, body):
    refused(caller.json("CreateQueue", body))


# One member of each type, and values of all other types.
VALUES = [None, True, 5, -1, 1.5, 1e300, "text", "", [], [1], {}, {"a": "b"}, [[]], [{}], {"a": {}}]
MEMBERS = [
    ("SendMessage", "MessageBody"),
    ("SendMessage", "DelaySeconds"),
    ("SendMessage", "MessageAttributes"),
    ("SendMessage", "MessageSystemAttributes"),
    ("SendMessage", "QueueUrl"),
    ("SendMessageBatch", "Entries"),
    ("ReceiveMessage", "AttributeNames"),
    ("ReceiveMessage", "MaxNumberOfMessages"),
    ("DeleteMessage", "ReceiptHandle"),
    ("ChangeMessageVisibility", "VisibilityTimeout"),
    ("CreateQueue", "Attributes"),
    ("CreateQueue", "tags"),
    ("TagQueue", "Tags"),
    ("UntagQueue", "TagKeys"),
    ("AddPermission", "Actions"),
    ("ListQueues", "MaxResults"),
    ("ListQueues", "NextToken"),
    ("StartMessageMoveTask", "SourceArn"),
    ("SetQueueAttributes", "Attributes"),
]
REQUIRED = {
    "SendMessage": {"MessageBody": "m"},
    "DeleteMessage": {"ReceiptHandle": "h"},
    "ChangeMessageVisibility": {"ReceiptHandle": "h", "VisibilityTimeout": 1},
    "CreateQueue": {"QueueName": "typed"},
    "AddPermission": {"Label": "l", "AWSAccountIds": ["123456789012"], "Actions": ["SendMessage"]},
}


@pytest.mark.parametrize("operation,member", MEMBERS)
def test_a_member_of_a_wrong_type_is_rejected(caller, url, operation, member):
    for value in VALUES:
        members = {"QueueUrl": url, **REQUIRED.get(operation, {}), member: value}
        answer = caller.json(operation, members)
        assert answer.status == 200 or refused(answer), (value, answer)


@pytest.mark.parametrize("value", [["text"], {"a": 1}, 5, True, [None], 1.5])
def test_an_invalid_string_is_rejected(caller, url, value):
    answer = caller.json("SendMessage", {"QueueUrl": url, "MessageBody": value})
    refused(answer, "SerializationException", 400)


@pytest.mark.parametrize("value", ["5", [5], {"a": 5}, 1.5, True, 2**31, -(2**31) - 1, 2**63, 2**64, 10**400, 1e308])
def test_an_invalid_integer_is_rejected(caller, url, value):
    answer = caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "m", "DelaySeconds": value})
    refused(answer, "SerializationException", 400)


@pytest.mark.parametrize("digits", [400, 100_000])
def test_a_number_of_many_digits(caller, url, digits):
    body = json.dumps({"QueueUrl": url, "MessageBody": "m"})[:-1] + ',"DelaySeconds":' + "9" * digits + "}"
    refused(caller.json("SendMessage", body.encode()), "SerializationException", 400)


@pytest.mark.parametrize("value", ["!!!", "QQ", "=", "QUFB\n", 5, ["QQ=="]])
def test_invalid_base64_is_rejected(caller, url, value):
    attribute = {"a": {"DataType": "Binary", "BinaryValue": value}}
    answer = caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "m", "MessageAttributes": attribute})
    assert answer.status == 200 or refused(answer)


@pytest.mark.parametrize("opening,closing", [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("depth", [60, 200, 100_000])
def test_deep_nesting_does_no_harm(caller, opening, closing, depth):
    for inside in ('{"QueueName":"deep","Unknown":%s}', "%s"):
        body = inside % (opening * depth + "1" + closing * depth)
        answer = caller.json("CreateQueue", body.encode())
        assert answer.status == 200 or refused(answer)
    refused(caller.json("CreateQueue", (opening * depth).encode()))


def test_the_same_member_twice(caller):
    answer = caller.json("CreateQueue", b'{"QueueName":"twice","QueueName":"twice2"}')
    assert answer.status == 200 or refused(answer)


def test_the_same_key_twice_in_a_map(caller):
    answer = caller.json("CreateQueue", b'{"QueueName":"keys","tags":{"a":"1","a":"2"}}')
    assert answer.status == 200 or refused(answer)


def test_unknown_members_are_ignored(caller):
    answer = caller.json("ListQueues", {f"Unknown{i}": i for i in range(10_000)})
    assert answer.status == 200


def test_a_hundred_thousand_keys_of_a_map(caller, url):
    refused(caller.json("TagQueue", {"QueueUrl": url, "Tags": {f"k{i}": "v" for i in range(100_000)}}))


def test_a_hundred_thousand_entries(caller, url):
    entries = [{"Id": "a", "MessageBody": "m"}] * 50_000
    refused(caller.json("SendMessageBatch", {"QueueUrl": url, "Entries": entries}), "TooManyEntriesInBatchRequest", 400)


def test_missing_members_are_rejected(caller):
    for operation in ("CreateQueue", "SendMessage", "ReceiveMessage", "DeleteMessage", "SendMessageBatch", "TagQueue"):
        for body in ({}, b"", {"QueueUrl": None}):
            refused(caller.json(operation, body), "MissingRequiredParameterException", 400)


NAMES = ["a\r\nSet-Cookie: x", "\0", "../../etc/passwd", "'; DROP TABLE sqs_queues; --", "%s%n", "é" * 80, "\ud7ff"]
NAMES += ["a" * 10**6]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:20]))
def test_hostile_queue_names_are_rejected(caller, name):
    refused(caller.json("CreateQueue", {"QueueName": name}), "InvalidParameterValueException", 400)
    refused(caller.json("GetQueueUrl", {"QueueName": name}))
    answer = caller.json("ListQueues", {"QueueNamePrefix": name})
    assert answer.status == 200 or refused(answer)


URLS = [
    "",
    "/",
    "//",
    "http://",
    "http:///",
    "http://x",
    "://",
    "///000000000000///",
    "/000000000000/",
    "000000000000/hostile/extra",
    "http://elsewhere:1/000000000001/hostile",
    "\0",
    "x" * 100_000,
    "/é/ü",
    "/000000000000/../hostile/..",
]


@pytest.mark.parametrize("address", URLS, ids=lambda text: repr(text[:20]))
def test_hostile_queue_urls_are_rejected(caller, address):
    refused(caller.json("SendMessage", {"QueueUrl": address, "MessageBody": "m"}))


@pytest.mark.parametrize(
    "policy",
    [
        "[" * 1000,
        '{"Statement":' + "[" * 1000 + "]" * 1000 + "}",
        '{"Statement":[1,null,[]]}',
        '{"Statement":{}}',
        "\0",
    ],
    ids=lambda text: text[:20],
)
@pytest.mark.parametrize("name", ["Policy", "RedrivePolicy", "RedriveAllowPolicy"])
def test_hostile_policies_are_rejected(caller, url, name, policy):
    answer = caller.json("SetQueueAttributes", {"QueueUrl": url, "Attributes": {name: policy}})
    caller.json("SetQueueAttributes", {"QueueUrl": url, "Attributes": {"Policy": ""}})
    assert answer.status == 200 or refused(answer)


HANDLES = ["x", "A" * 3000, "=" * 100, "é", "\0", "A" * 48 + "==", " ", "-1", "AQEB" * 100]


@pytest.mark.parametrize("handle", HANDLES, ids=lambda text: repr(text[:12]))
def test_hostile_handles_are_rejected(caller, url, handle):
    for operation in ("DeleteMessage", "ChangeMessageVisibility"):
        members = {"QueueUrl": url, "ReceiptHandle": handle, "VisibilityTimeout": 1}
        refused(caller.json(operation, members), "ReceiptHandleIsInvalid")
    refused(caller.json("CancelMessageMoveTask", {"TaskHandle": handle}))


def test_repeated_input_cannot_break_the_response(caller):
    """An error that repeats input must neither add headers nor end the JSON or the XML."""
    evil = 'x"}\r\nSet-Cookie: evil=1\r\n\r\n<a>]]>&'
    answer = refused(caller.json("CreateQueue", {"QueueName": "said-back", "Attributes": {evil: "1"}}))
    assert "set-cookie" not in answer.headers and evil in answer.message
    parameters = {"Action": "CreateQueue", "QueueName": "said-back", "Attribute.1.Name": evil, "Attribute.1.Value": "1"}
    answer = refused(caller.query(parameters), "InvalidAttributeName")
    assert "set-cookie" not in answer.headers and "<a>" in answer.message
