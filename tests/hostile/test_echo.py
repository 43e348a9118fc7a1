# SPDX-License-Identifier: Apache-2.0
"""Input that responses and errors repeat must not break them."""
import json
import xml.etree.ElementTree

import pytest

from expect import refused
from support.raw import JSON, request_bytes

CONTROLS = ["\x00", "\x01", "\x0b", "\x1b[31m", "\x7f", "￾", "￿", "]]>", "<!--", "\r\nSet-Cookie: a=b"]


def well_formed(answer):
    """The response parses, in either protocol."""
    assert answer is not None and answer.status < 500, answer
    if answer.headers["content-type"].startswith(JSON[:20]):
        json.loads(answer.body.decode("utf-8"))
    else:
        xml.etree.ElementTree.fromstring(answer.body)
    assert "set-cookie" not in answer.headers
    return answer


@pytest.mark.parametrize("text", CONTROLS, ids=repr)
def test_an_error_may_repeat_any_name(caller, text):
    attributes = {"Action": "CreateQueue", "QueueName": "echo", "Attribute.1.Name": text, "Attribute.1.Value": "1"}
    refused(well_formed(caller.query(attributes)))
    refused(well_formed(caller.json("CreateQueue", {"QueueName": "echo", "Attributes": {text: "1"}})))
    refused(well_formed(caller.query({"Action": text})))
    refused(well_formed(caller.query({"Action": "GetQueueUrl", "QueueName": text})))


@pytest.mark.parametrize("text", CONTROLS, ids=repr)
def test_an_error_may_repeat_any_handle_or_url(caller, url, text):
    refused(well_formed(caller.query({"Action": "DeleteMessage", "QueueUrl": url, "ReceiptHandle": "h" + text})))
    refused(well_formed(caller.query({"Action": "ReceiveMessage", "QueueUrl": "/a/" + text})))
    refused(well_formed(caller.json("ReceiveMessage", {"QueueUrl": "/a/" + text})))


@pytest.mark.parametrize("value", ["\xff\xfe", "AWS4-HMAC-SHA256 \x01", "AWS4-HMAC-SHA256 Credential=\xff/a"], ids=repr)
@pytest.mark.parametrize("kind", [JSON, "application/x-www-form-urlencoded"])
def test_an_error_may_repeat_any_header(caller, send, kind, value):
    fields = {"Host": caller.host, "Content-Type": kind, "Content-Length": "0", "X-Amz-Date": "20260101T000000Z"}
    answer = send(request_bytes("POST", "/", {**fields, "Authorization": value}))
    if answer.headers["content-type"].startswith("text/plain"):
        assert answer.status == 400  # rejected before the protocol was known
    else:
        well_formed(answer)


@pytest.mark.parametrize("text", CONTROLS, ids=repr)
def test_the_query_protocol_can_return_values_stored_with_json(caller, text):
    """Either rejected when it is set, or returned as valid XML."""
    url = caller.json("CreateQueue", {"QueueName": "stored"}).json["QueueUrl"]
    caller.json("TagQueue", {"QueueUrl": url, "Tags": {"key": text}})
    well_formed(caller.query({"Action": "ListQueueTags", "QueueUrl": url}))
    caller.json("UntagQueue", {"QueueUrl": url, "TagKeys": ["key"]})

    caller.json("SetQueueAttributes", {"QueueUrl": url, "Attributes": {"KmsMasterKeyId": "k" + text}})
    well_formed(caller.query({"Action": "GetQueueAttributes", "QueueUrl": url, "AttributeName.1": "All"}))
    caller.json("SetQueueAttributes", {"QueueUrl": url, "Attributes": {"KmsMasterKeyId": ""}})


@pytest.mark.parametrize("text", CONTROLS, ids=repr)
def test_the_query_protocol_can_receive_messages_sent_with_json(caller, text):
    url = caller.json("CreateQueue", {"QueueName": "poisoned"}).json["QueueUrl"]
    attribute = {"a": {"DataType": "String." + text, "StringValue": "v"}}
    caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "m", "MessageAttributes": attribute})
    trace = {"AWSTraceHeader": {"DataType": "String", "StringValue": "t" + text}}
    caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "m", "MessageSystemAttributes": trace})
    ask = {"Action": "ReceiveMessage", "QueueUrl": url, "MaxNumberOfMessages": "10", "AttributeName.1": "All"}
    answer = caller.query({**ask, "MessageAttributeName.1": "All"})
    caller.json("DeleteQueue", {"QueueUrl": url})
    well_formed(answer)
