# SPDX-License-Identifier: Apache-2.0
"""SendMessageBatch: errors of the whole request and of single entries."""
import hashlib

import pytest

from support.queues import refused

PREFIX = "AWS.SimpleQueueService."


def entries(count, body="m"):
    return [{"Id": f"e{i}", "MessageBody": f"{body}{i}"} for i in range(count)]


def test_ten_messages_are_sent_in_one_request(queue):
    answer = queue.send_batch(entries(10))
    assert "Failed" not in answer
    assert [entry["Id"] for entry in answer["Successful"]] == [f"e{i}" for i in range(10)]
    for i, entry in enumerate(answer["Successful"]):
        assert entry["MD5OfMessageBody"] == hashlib.md5(f"m{i}".encode()).hexdigest()
    got = queue.receive_all(10)
    sent = {entry["MessageId"]: f"m{i}" for i, entry in enumerate(answer["Successful"])}
    assert {message["MessageId"]: message["Body"] for message in got} == sent


def test_an_invalid_entry_fails_alone(queue):
    good = {"Id": "good", "MessageBody": "fine"}
    bad = [
        {"Id": "empty", "MessageBody": ""},
        {"Id": "control", "MessageBody": "\x01"},
        {"Id": "late", "MessageBody": "m", "DelaySeconds": 901},
        {"Id": "typed", "MessageBody": "m", "MessageAttributes": {"a": {"DataType": "No", "StringValue": "v"}}},
    ]
    answer = queue.send_batch([*bad[:2], good, *bad[2:]])
    assert [entry["Id"] for entry in answer["Successful"]] == ["good"]
    failed = {entry["Id"]: entry for entry in answer["Failed"]}
    assert set(failed) == {entry["Id"] for entry in bad}
    assert all(entry["SenderFault"] for entry in failed.values())
    assert failed["empty"]["Code"] == "MissingParameter"
    assert failed["control"]["Code"] == "InvalidMessageContents"
    assert failed["late"]["Code"] == failed["typed"]["Code"] == "InvalidParameterValue"
    assert "DelaySeconds" in failed["late"]["Message"]
    assert [message["Body"] for message in queue.receive_all(1)] == ["fine"]
    queue.expect_counts(in_flight=1)


def test_each_entry_has_its_own_attributes_and_delay(queue):
    attribute = {"n": {"DataType": "Number", "StringValue": "1"}}
    queue.send_batch(
        [
            {"Id": "a", "MessageBody": "now", "MessageAttributes": attribute},
            {"Id": "b", "MessageBody": "later", "DelaySeconds": 900},
        ]
    )
    queue.expect_counts(visible=1, delayed=1)
    assert queue.receive_one(MessageAttributeNames=["All"])["MessageAttributes"] == attribute


def test_eleven_entries_are_rejected(queue):
    part = "Maximum number of entries per request are 10. You have sent 11."
    with refused(PREFIX + "TooManyEntriesInBatchRequest", part):
        queue.send_batch(entries(11))


def test_no_entries_are_rejected(queue):
    part = "There should be at least one SendMessageBatchRequestEntry in the request."
    with refused(PREFIX + "EmptyBatchRequest", part):
        queue.send_batch([])


def test_ids_must_differ(queue):
    with refused(PREFIX + "BatchEntryIdsNotDistinct", "Id e0 repeated."):
        queue.send_batch(entries(1) + entries(1))
    queue.expect_counts()


@pytest.mark.parametrize("name", ["", "a b", "a.b", "é", "x" * 81])
def test_an_invalid_entry_id_is_rejected(queue, name):
    with refused(PREFIX + "InvalidBatchEntryId", "A batch entry id can only contain alphanumeric characters"):
        queue.send_batch([{"Id": name, "MessageBody": "m"}])


def test_a_batch_of_one_mebibyte_is_accepted(queue):
    answer = queue.send_batch([{"Id": f"e{i}", "MessageBody": "x" * 524288} for i in range(2)])
    assert len(answer["Successful"]) == 2


def test_a_batch_is_one_mebibyte_at_most(queue):
    with refused(PREFIX + "BatchRequestTooLong", "Batch requests cannot be longer than 1048576 bytes."):
        queue.send_batch([{"Id": f"e{i}", "MessageBody": "x" * 524289} for i in range(2)])
    queue.expect_counts()
