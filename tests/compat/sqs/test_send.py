# SPDX-License-Identifier: Apache-2.0
"""SendMessage: bodies, attributes, limits, delays."""
import hashlib
import struct

import pytest

from support.queues import refused

TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"


def md5(data):
    return hashlib.md5(data).hexdigest()


def md5_of_attributes(attributes):
    """By the SQS guide: name, type, a byte for the kind of value, value; each with its length."""
    data = b""
    for name in sorted(attributes):
        value = attributes[name]
        binary = "BinaryValue" in value
        pieces = [name.encode(), value["DataType"].encode()]
        for piece in pieces:
            data += struct.pack(">I", len(piece)) + piece
        content = value["BinaryValue"] if binary else value["StringValue"].encode()
        data += (b"\2" if binary else b"\1") + struct.pack(">I", len(content)) + content
    return md5(data)


def test_a_message_is_received_unchanged(queue):
    sent = queue.send("hello world")
    assert sent["MD5OfMessageBody"] == md5(b"hello world")
    assert "MD5OfMessageAttributes" not in sent
    assert "SequenceNumber" not in sent
    got = queue.receive_one()
    assert (got["MessageId"], got["Body"], got["MD5OfBody"]) == (sent["MessageId"], "hello world", md5(b"hello world"))
    assert "Attributes" not in got and "MessageAttributes" not in got


@pytest.mark.parametrize(
    "body",
    [" ", "  two  spaces  ", "a\tb\nc\rd", "<a>&amp;</a>", '{"json": ["é", "漢字", "🚀"]}', "�", "\u0080", "a" * 70000],
)
def test_all_valid_characters_are_received_unchanged(queue, body):
    sent = queue.send(body)
    assert sent["MD5OfMessageBody"] == md5(body.encode())
    assert queue.receive_one()["Body"] == body


@pytest.mark.parametrize("body", ["\0", "a\x01b", "\x1f", "￾", "￿", "ok\x0b"])
def test_a_character_that_is_invalid_in_xml_is_rejected(queue, body):
    with refused("InvalidMessageContents"):
        queue.send(body)


def test_an_empty_body_is_rejected(queue):
    with refused("MissingParameter", "MessageBody"):
        queue.send("")


def test_a_body_of_one_mebibyte_is_accepted(queue):
    body = "x" * 1048576
    queue.send(body)
    assert queue.receive_one()["Body"] == body


def test_a_body_of_one_byte_more_is_rejected(queue):
    with refused("InvalidParameterValue", "Message must be shorter than 1048576 bytes"):
        queue.send("x" * 1048577)


def test_the_queues_size_limit_includes_attributes(make_queue):
    queue = make_queue({"MaximumMessageSize": "1024"})
    queue.send("x" * 1024)
    attribute = {"n": {"DataType": "String", "StringValue": "v"}}  # 1 + 6 + 1 bytes
    queue.send("x" * 1016, MessageAttributes=attribute)
    for body, attributes in (("x" * 1025, {}), ("é" * 513, {}), ("x" * 1017, attribute)):
        with refused("InvalidParameterValue", "Message must be shorter than 1024 bytes"):
            queue.send(body, MessageAttributes=attributes)


ATTRIBUTES = {
    "text": {"DataType": "String", "StringValue": "a value"},
    "count": {"DataType": "Number", "StringValue": "42"},
    "real": {"DataType": "Number.float", "StringValue": "-3.5e10"},
    "bytes": {"DataType": "Binary", "BinaryValue": b"\x00\x01\xff"},
    "picture": {"DataType": "Binary.png", "BinaryValue": b"\x89PNG"},
    "größe": {"DataType": "String", "StringValue": "x"},
    "own": {"DataType": "String.application/json", "StringValue": '{"é": 1}'},
    "with.dots-and_more": {"DataType": "String", "StringValue": "x"},
}


def test_attributes_of_every_type_are_received_unchanged(queue):
    sent = queue.send("m", MessageAttributes=ATTRIBUTES)
    assert sent["MD5OfMessageAttributes"] == md5_of_attributes(ATTRIBUTES)
    got = queue.receive_one(MessageAttributeNames=["All"])
    assert got["MessageAttributes"] == ATTRIBUTES
    assert got["MD5OfMessageAttributes"] == md5_of_attributes(ATTRIBUTES)


def test_ten_attributes_are_accepted_and_eleven_rejected(queue):
    many = {f"a{i}": {"DataType": "String", "StringValue": "v"} for i in range(11)}
    with refused("InvalidParameterValue", "Number of message attributes [11] exceeds the allowed maximum [10]."):
        queue.send("m", MessageAttributes=many)
    many.popitem()
    queue.send("m", MessageAttributes=many)


@pytest.mark.parametrize(
    "name", ["a b", ".start", "end.", "two..dots", "AWS.x", "aws.x", "Amazon.x", "a/b", "n" * 257]
)
def test_an_invalid_attribute_name_is_rejected(queue, name):
    with refused("InvalidParameterValue"):
        queue.send("m", MessageAttributes={name: {"DataType": "String", "StringValue": "v"}})


@pytest.mark.parametrize("kind", ["Text", "string", "Boolean", "StringX", "Number-1"])
def test_an_attributes_type_is_one_of_three(queue, kind):
    with refused("InvalidParameterValue", "the set of supported type prefixes is Binary, Number, and String"):
        queue.send("m", MessageAttributes={"a": {"DataType": kind, "StringValue": "v"}})


def test_an_attribute_needs_a_type(queue):
    with refused("InvalidParameterValue", "must contain non-empty message attribute type"):
        queue.send("m", MessageAttributes={"a": {"DataType": "", "StringValue": "v"}})


@pytest.mark.parametrize(
    "value",
    [
        {"DataType": "String", "StringValue": ""},
        {"DataType": "Number", "StringValue": ""},
        {"DataType": "Binary", "BinaryValue": b""},
        {"DataType": "String"},
        {"DataType": "Binary", "StringValue": "text"},
    ],
)
def test_an_attribute_needs_a_value_of_its_type(queue, value):
    with refused("InvalidParameterValue", "must contain a non-empty value of type"):
        queue.send("m", MessageAttributes={"a": value})


@pytest.mark.parametrize("text", ["0", "-1", "+5", "1.5", "1e5", ".5", "12345678901234567890.123"])
def test_a_number_may_be_written_in_many_ways(queue, text):
    queue.send("m", MessageAttributes={"n": {"DataType": "Number", "StringValue": text}})
    got = queue.receive_one(MessageAttributeNames=["n"])
    assert got["MessageAttributes"]["n"]["StringValue"] == text


@pytest.mark.parametrize("text", ["one", "1,5", "0x10", "NaN", "Infinity", "1 ", "1e", "--1"])
def test_an_invalid_number_is_rejected(queue, text):
    with refused("InvalidParameterValue", "Can't cast the value of message (user) attribute 'n' to a number."):
        queue.send("m", MessageAttributes={"n": {"DataType": "Number", "StringValue": text}})


def test_an_attribute_allows_the_characters_of_a_body(queue):
    with pytest.raises(queue.client.exceptions.ClientError) as caught:
        queue.send("m", MessageAttributes={"a": {"DataType": "String", "StringValue": "a\x01"}})
    assert caught.value.response["Error"]["Code"] in ("InvalidMessageContents", "InvalidParameterValue")


def test_lists_are_not_supported_yet(queue):
    with refused("AWS.SimpleQueueService.UnsupportedOperation", "list values"):
        queue.send("m", MessageAttributes={"a": {"DataType": "String", "StringListValues": ["x"]}})


def test_a_trace_header_is_received_with_the_message(queue):
    header = {"AWSTraceHeader": {"DataType": "String", "StringValue": TRACE}}
    sent = queue.send("m", MessageSystemAttributes=header)
    assert sent["MD5OfMessageSystemAttributes"] == md5_of_attributes(header)
    assert queue.receive_one(AttributeNames=["AWSTraceHeader"])["Attributes"] == {"AWSTraceHeader": TRACE}


def test_the_trace_id_of_a_request_becomes_the_trace_header_of_its_messages(connect, make_queue):
    queue = make_queue(client=connect("sqs"))
    own = {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1-own"}}

    def trace(params, **_):
        params["headers"]["X-Amzn-Trace-Id"] = TRACE

    queue.client.meta.events.register("before-call.sqs", trace)
    assert "MD5OfMessageSystemAttributes" not in queue.send("m")
    queue.send_batch([{"Id": "1", "MessageBody": "m"}])
    queue.send("own", MessageSystemAttributes=own)
    for _ in range(3):
        got = queue.receive_one(AttributeNames=["AWSTraceHeader"])
        assert got["Attributes"]["AWSTraceHeader"] == ("Root=1-own" if got["Body"] == "own" else TRACE)


def test_a_trace_header_is_text(queue):
    header = {"AWSTraceHeader": {"DataType": "Number", "StringValue": "1"}}
    with refused("InvalidParameterValue", "AWSTraceHeader"):
        queue.send("m", MessageSystemAttributes=header)


def test_no_other_system_attribute_can_be_sent(queue):
    with refused("InvalidParameterValue"):
        queue.send("m", MessageSystemAttributes={"SenderId": {"DataType": "String", "StringValue": "me"}})


def test_a_delayed_message_is_not_received_before_its_time(queue):
    queue.send("m", DelaySeconds=900)
    queue.expect_counts(delayed=1)
    assert queue.receive() == []


def test_a_delayed_message_is_received_after_its_delay(queue):
    queue.send("m", DelaySeconds=1)
    assert queue.receive_one()["Body"] == "m"


def test_the_default_delay_is_the_queues(make_queue):
    queue = make_queue({"DelaySeconds": "900"})
    queue.send("waits")
    queue.send("at once", DelaySeconds=0)
    queue.expect_counts(visible=1, delayed=1)
    assert queue.receive_one()["Body"] == "at once"


@pytest.mark.parametrize("delay", [-1, 901])
def test_a_delay_is_15_minutes_at_most(queue, delay):
    with refused("InvalidParameterValue", "DelaySeconds must be >= 0 and <= 900"):
        queue.send("m", DelaySeconds=delay)
    queue.send("m", DelaySeconds=900)


def test_a_deduplication_id_is_for_fifo_queues(queue):
    with refused("InvalidParameterValue", "The request include parameter that is not valid for this queue type"):
        queue.send("m", MessageDeduplicationId="d")


def test_a_standard_queue_accepts_a_group_for_fairness(queue):
    queue.send("m", MessageGroupId="tenant-1")
    assert queue.receive_one(AttributeNames=["MessageGroupId"])["Attributes"] == {"MessageGroupId": "tenant-1"}
