# SPDX-License-Identifier: Apache-2.0
"""ReceiveMessage: how many, which attributes, for how long."""
import time

import pytest

from support.queues import NO_QUEUE, refused


def test_an_empty_queue_returns_no_messages(sqs, queue):
    assert "Messages" not in sqs.receive_message(QueueUrl=queue.url)


@pytest.mark.parametrize("most", [1, 3, 10])
def test_at_most_the_requested_number_is_received(queue, most):
    queue.send_batch([{"Id": str(i), "MessageBody": "m"} for i in range(10)])
    queue.send("m")
    got = queue.receive(MaxNumberOfMessages=most, WaitTimeSeconds=20)
    assert 1 <= len(got) <= most
    assert len({message["MessageId"] for message in got}) == len(got)


def test_one_message_is_received_by_default(queue):
    queue.send_batch([{"Id": str(i), "MessageBody": "m"} for i in range(5)])
    assert len(queue.receive(WaitTimeSeconds=20)) == 1


@pytest.mark.parametrize("most", [0, 11, -1])
def test_1_to_10_messages_can_be_requested(queue, most):
    with refused("InvalidParameterValue", f"Value {most} for parameter MaxNumberOfMessages is invalid. Reason:"):
        queue.receive(MaxNumberOfMessages=most)


@pytest.mark.parametrize("seconds", [-1, 21])
def test_a_wait_is_20_seconds_at_most(queue, seconds):
    with refused("InvalidParameterValue", f"Value {seconds} for parameter WaitTimeSeconds is invalid. Reason:"):
        queue.receive(WaitTimeSeconds=seconds)


@pytest.mark.parametrize("seconds", [-1, 43201])
def test_a_visibility_timeout_is_12_hours_at_most(queue, seconds):
    with refused("InvalidParameterValue", f"Value {seconds} for parameter VisibilityTimeout is invalid. Reason:"):
        queue.receive(VisibilityTimeout=seconds)
    queue.receive(VisibilityTimeout=43200)


def test_a_received_message_is_hidden(queue):
    queue.send()
    queue.receive_one()
    assert queue.receive() == []
    queue.expect_counts(in_flight=1)


def test_a_message_that_was_not_deleted_is_received_again(queue):
    queue.send("again")
    first = queue.receive_one(VisibilityTimeout=1)
    second = queue.receive_one(AttributeNames=["All"])
    assert second["MessageId"] == first["MessageId"]
    assert second["ReceiptHandle"] != first["ReceiptHandle"]
    assert second["Attributes"]["ApproximateReceiveCount"] == "2"


def test_a_timeout_of_zero_leaves_the_message_visible(queue):
    queue.send()
    queue.receive_one(VisibilityTimeout=0)
    queue.receive_one(VisibilityTimeout=0)
    queue.expect_counts(visible=1)


def test_the_default_visibility_timeout_is_the_queues(make_queue):
    queue = make_queue({"VisibilityTimeout": "0"})
    queue.send()
    queue.receive_one()
    queue.receive_one()


def test_all_system_attributes(queue, account):
    before = int(time.time() * 1000) - 120000
    queue.send()
    shown = queue.receive_one(AttributeNames=["All"])["Attributes"]
    assert set(shown) == {
        "SenderId",
        "SentTimestamp",
        "ApproximateReceiveCount",
        "ApproximateFirstReceiveTimestamp",
    }
    assert shown["ApproximateReceiveCount"] == "1"
    assert before < int(shown["SentTimestamp"]) <= int(shown["ApproximateFirstReceiveTimestamp"])


def test_the_first_receive_timestamp_does_not_change(queue):
    queue.send()
    first = queue.receive_one(VisibilityTimeout=0, AttributeNames=["All"])["Attributes"]
    second = queue.receive_one(AttributeNames=["All"])["Attributes"]
    assert second["ApproximateFirstReceiveTimestamp"] == first["ApproximateFirstReceiveTimestamp"]
    assert second["SentTimestamp"] == first["SentTimestamp"]


def test_system_attributes_by_name(queue):
    queue.send()
    assert set(queue.receive_one(AttributeNames=["SentTimestamp"])["Attributes"]) == {"SentTimestamp"}


def test_the_newer_name_for_system_attributes(sqs, queue):
    shape = sqs.meta.service_model.operation_model("ReceiveMessage").input_shape
    if "MessageSystemAttributeNames" not in shape.members:
        pytest.skip("this boto3 does not know it")
    queue.send()
    shown = queue.receive_one(MessageSystemAttributeNames=["SentTimestamp"])["Attributes"]
    assert set(shown) == {"SentTimestamp"}


def test_an_unknown_system_attribute_is_rejected(queue):
    with refused("InvalidAttributeName", "Unknown Attribute Colour"):
        queue.receive(AttributeNames=["Colour"])


ATTRIBUTES = {
    name: {"DataType": "String", "StringValue": name} for name in ("job.id", "job.kind", "jobless", "other", "job")
}


@pytest.mark.parametrize(
    "names,wanted",
    [
        ([], set()),
        (["All"], set(ATTRIBUTES)),
        ([".*"], set(ATTRIBUTES)),
        (["other"], {"other"}),
        (["other", "jobless", "not there"], {"other", "jobless"}),
        (["not there"], set()),
    ],
)
def test_message_attributes_are_chosen_by_name(queue, names, wanted):
    queue.send(MessageAttributes=ATTRIBUTES)
    got = queue.receive_one(MessageAttributeNames=names)
    assert set(got.get("MessageAttributes", {})) == wanted
    assert ("MD5OfMessageAttributes" in got) == bool(wanted)


def test_message_attributes_are_chosen_by_prefix(queue):
    queue.send(MessageAttributes=ATTRIBUTES)
    got = queue.receive_one(MessageAttributeNames=["job.*"])
    assert {"job.id", "job.kind"} <= set(got["MessageAttributes"])
    assert "other" not in got["MessageAttributes"]


def test_a_receive_attempt_id_is_for_fifo_queues(queue):
    with refused("InvalidParameterValue", "not valid for this queue type"):
        queue.receive(ReceiveRequestAttemptId="attempt")


def test_receiving_from_a_missing_queue(sqs, queue):
    with refused(NO_QUEUE, "The specified queue does not exist"):
        sqs.receive_message(QueueUrl=queue.url + "-not")
