# SPDX-License-Identifier: Apache-2.0
"""Invalid query parameters."""
import pytest

from expect import refused


NO_ACTION = ("InvalidAction", "MissingAction", "UnknownOperationException")


def ok_or_refused(answer):
    assert answer is not None and (answer.status == 200 or refused(answer))


@pytest.mark.parametrize("action", ["", "Nothing", "sendmessage", "SendMessage ", "%00", "x" * 10_000, "<a>"])
def test_an_invalid_action_is_rejected(caller, action):
    refused(caller.query({"Action": action}), NO_ACTION)


def test_a_missing_action_is_rejected(caller):
    refused(caller.query(b""), NO_ACTION)
    refused(caller.query(b"Version=2012-11-05"), NO_ACTION)


@pytest.mark.parametrize(
    "body",
    [
        b"Action=ListQueues&%",
        b"Action=ListQueues&a=%4",
        b"Action=ListQueues&a=%GG",
        b"Action=ListQueues&%ZZ=a",
        b"Action=CreateQueue&QueueName=%FF%FE",
        b"Action=CreateQueue&QueueName=%C0%AF",
        b"Action=CreateQueue&QueueName=%00",
        b"Action=CreateQueue&QueueName=a%0D%0Ab",
        b"Action=CreateQueue&QueueName=" + b"a" * 100_000,
        b"Action=CreateQueue",
        b"Action=CreateQueue&QueueName",
        b"Action=CreateQueue&QueueName=",
        b"\x00\x01\x02",
        b'{"Action":"ListQueues"}',
    ],
)
def test_a_malformed_form_is_rejected(caller, body):
    refused(caller.query(body))


@pytest.mark.parametrize("body", [b"Action=ListQueues&&&&", b"Action=ListQueues&=&a=b=c", b"&Action=ListQueues"])
def test_an_odd_form_does_no_harm(caller, body):
    ok_or_refused(caller.query(body))


INDEXES = ["999999999", "0", "-1", "1.1", "99999999999999999999999", "x", "", "01", "1e9", "+1", " 1"]


@pytest.mark.parametrize("index", INDEXES)
def test_an_absurd_index_is_rejected(caller, url, index):
    name = {"Action": "CreateQueue", "QueueName": "indexed"}
    ok_or_refused(caller.query({**name, f"Attribute.{index}.Name": "DelaySeconds", f"Attribute.{index}.Value": "0"}))
    ok_or_refused(caller.query({**name, f"Attribute.{index}.Name": "DelaySeconds"}))
    ok_or_refused(caller.query({**name, f"Attribute.{index}": "DelaySeconds"}))
    batch = {"Action": "SendMessageBatch", "QueueUrl": url}
    entry = f"SendMessageBatchRequestEntry.{index}"
    ok_or_refused(caller.query({**batch, f"{entry}.Id": "a", f"{entry}.MessageBody": "m"}))
    ok_or_refused(caller.query({**batch, f"{entry}.MessageAttribute.{index}.Value.StringValue": "v"}))
    ok_or_refused(caller.query({"Action": "ReceiveMessage", "QueueUrl": url, f"AttributeName.{index}": "All"}))


def test_the_same_index_twice(caller):
    body = b"Action=CreateQueue&QueueName=doubled&Tag.1.Key=a&Tag.1.Value=1&Tag.1.Key=b&Tag.1.Value=2"
    ok_or_refused(caller.query(body))


def test_the_same_parameter_twice(caller):
    ok_or_refused(caller.query(b"Action=ListQueues&Action=DeleteQueue&QueueNamePrefix=a&QueueNamePrefix=b"))


def test_too_many_entries_are_rejected(caller, url):
    parameters = {"Action": "SendMessageBatch", "QueueUrl": url}
    for i in range(1, 1001):
        parameters[f"SendMessageBatchRequestEntry.{i}.Id"] = f"e{i}"
        parameters[f"SendMessageBatchRequestEntry.{i}.MessageBody"] = "m"
    code = "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"
    refused(caller.query(parameters), code, 400)


def test_very_many_parameters_are_rejected(caller):
    refused(caller.query(b"Action=ListQueues&" + b"&".join(b"p%d=" % i for i in range(200_000))))


def test_very_deep_parameters_do_no_harm(caller):
    name = "Attribute" + ".1" * 5000
    ok_or_refused(caller.query({"Action": "CreateQueue", "QueueName": "depth", name: "v"}))
    nested = "SendMessageBatchRequestEntry.1" + ".MessageAttribute.1.Value" * 500
    ok_or_refused(caller.query({"Action": "SendMessageBatch", nested: "v"}))


@pytest.mark.parametrize("value", ["", "x", "1.5", "1e3", "99999999999999999999", "0x10", "-", "٣"])
def test_an_invalid_integer_is_rejected(caller, url, value):
    answer = caller.query({"Action": "SendMessage", "QueueUrl": url, "MessageBody": "m", "DelaySeconds": value})
    assert answer.status == 200 and value == "" or refused(answer, ("InvalidParameterValue", "MalformedInput"), 400)


def test_a_list_instead_of_a_string_is_rejected(caller, url):
    ok_or_refused(caller.query({"Action": "SendMessage", "QueueUrl.1": url, "MessageBody.1": "m"}))
    refused(caller.query({"Action": "SendMessage", "QueueUrl": url, "MessageBody.member.1": "m"}), "MissingParameter")


def test_an_invalid_version_is_rejected(caller):
    for version in ("", "1999-01-01", "x" * 10_000):
        ok_or_refused(caller.query({"Action": "ListQueues", "Version": version}))


def test_sts_with_lists_and_numbers(caller):
    scope = caller.scope("sts")
    refused(caller.query({"Action": "GetSessionToken", "DurationSeconds": "forever"}, scope=scope))
    refused(caller.query({"Action": "GetSessionToken", "DurationSeconds": "-5"}, scope=scope), "ValidationError", 400)
    ok_or_refused(caller.query({"Action": "GetCallerIdentity", "X.1.2.3": "y"}, scope=scope))
