# SPDX-License-Identifier: Apache-2.0
"""Queue attributes: defaults, limits, changes."""
import json
import time

import pytest

from support.queues import refused, unique_name

DEFAULTS = {
    "VisibilityTimeout": "30",
    "DelaySeconds": "0",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "SqsManagedSseEnabled": "true",
    "ApproximateNumberOfMessages": "0",
    "ApproximateNumberOfMessagesNotVisible": "0",
    "ApproximateNumberOfMessagesDelayed": "0",
}
LIMITS = [
    ("VisibilityTimeout", 0, 43200),
    ("DelaySeconds", 0, 900),
    ("MaximumMessageSize", 1024, 1048576),
    ("MessageRetentionPeriod", 60, 1209600),
    ("ReceiveMessageWaitTimeSeconds", 0, 20),
    ("KmsDataKeyReusePeriodSeconds", 60, 86400),
]


def test_a_new_queue_has_amazons_defaults(queue, account):
    shown = queue.attributes()
    for name, value in DEFAULTS.items():
        assert shown[name] == value, name
    assert shown["QueueArn"] == f"arn:aws:sqs:us-east-1:{account}:{queue.name}"
    assert abs(int(shown["CreatedTimestamp"]) - time.time()) < 300
    assert shown["CreatedTimestamp"] == shown["LastModifiedTimestamp"]
    assert not {"Policy", "RedrivePolicy", "FifoQueue", "KmsMasterKeyId"} & set(shown)


def test_a_new_fifo_queue_has_amazons_defaults(make_queue):
    shown = make_queue(fifo=True).attributes()
    assert shown["FifoQueue"] == "true"
    assert shown["ContentBasedDeduplication"] == "false"
    assert shown["DeduplicationScope"] == "queue"
    assert shown["FifoThroughputLimit"] == "perQueue"


def test_only_the_requested_attributes_are_returned(queue):
    assert queue.attributes("VisibilityTimeout", "DelaySeconds") == {"VisibilityTimeout": "30", "DelaySeconds": "0"}


def test_no_attributes_are_returned_by_default(sqs, queue):
    assert "Attributes" not in sqs.get_queue_attributes(QueueUrl=queue.url)


def test_an_attribute_without_a_value_is_omitted(queue):
    assert queue.attributes("Policy") == {}


def test_an_unknown_attribute_cannot_be_requested(queue):
    with refused("InvalidAttributeName", "Unknown Attribute Colour"):
        queue.attributes("Colour")


@pytest.mark.parametrize("name,low,high", LIMITS)
def test_both_ends_of_a_range_are_valid(queue, name, low, high):
    for value in (low, high):
        queue.set(**{name: str(value)})
        if name != "KmsDataKeyReusePeriodSeconds":
            assert queue.attribute(name) == str(value)


@pytest.mark.parametrize("name,low,high", LIMITS)
def test_values_outside_of_a_range_are_rejected(sqs, queue, name, low, high):
    for value in (low - 1, high + 1):
        with refused("InvalidAttributeValue", f"Invalid value for the parameter {name}."):
            queue.set(**{name: str(value)})
        with refused("InvalidAttributeValue", f"Invalid value for the parameter {name}."):
            sqs.create_queue(QueueName=unique_name(), Attributes={name: str(value)})


@pytest.mark.parametrize("value", ["", "ten", "1.5", " 5", "5 ", "0x10", "99999999999999999999"])
def test_an_invalid_number_is_rejected(queue, value):
    with refused("InvalidAttributeValue", "Invalid value for the parameter VisibilityTimeout."):
        queue.set(VisibilityTimeout=value)


def test_an_unknown_attribute_is_rejected(sqs, queue):
    with refused("InvalidAttributeName", "Unknown Attribute Colour."):
        queue.set(Colour="red")
    with refused("InvalidAttributeName", "Unknown Attribute Colour."):
        sqs.create_queue(QueueName=unique_name(), Attributes={"Colour": "red"})


@pytest.mark.parametrize("name", ["QueueArn", "ApproximateNumberOfMessages", "CreatedTimestamp"])
def test_read_only_attributes_cannot_be_set(queue, name):
    with refused("InvalidAttributeName", f"Unknown Attribute {name}."):
        queue.set(**{name: "1"})


def test_an_invalid_attribute_prevents_all_changes(queue):
    with refused("InvalidAttributeValue", "DelaySeconds"):
        queue.set(VisibilityTimeout="99", DelaySeconds="901")
    assert queue.attribute("VisibilityTimeout") == "30"


def test_a_change_updates_the_last_modified_timestamp(queue):
    before = queue.attributes()
    queue.set(VisibilityTimeout="31")
    after = queue.attributes()
    assert after["VisibilityTimeout"] == "31"
    assert int(after["LastModifiedTimestamp"]) >= int(before["LastModifiedTimestamp"])
    assert after["CreatedTimestamp"] == before["CreatedTimestamp"]


def test_a_standard_queue_has_no_fifo_attributes(queue):
    for name, value in (("ContentBasedDeduplication", "true"), ("DeduplicationScope", "queue")):
        with refused("InvalidAttributeName", f"Unknown Attribute {name}."):
            queue.set(**{name: value})


def test_a_fifo_queue_cannot_become_a_standard_queue(make_queue):
    with refused("InvalidAttributeValue", "FifoQueue"):
        make_queue(fifo=True).set(FifoQueue="false")


def test_high_throughput_needs_deduplication_by_group(make_queue):
    queue = make_queue(fifo=True)
    with refused("InvalidAttributeValue", "FifoThroughputLimit"):
        queue.set(FifoThroughputLimit="perMessageGroupId")
    queue.set(FifoThroughputLimit="perMessageGroupId", DeduplicationScope="messageGroup")
    assert queue.attribute("FifoThroughputLimit") == "perMessageGroupId"


@pytest.mark.parametrize("name", ["DeduplicationScope", "FifoThroughputLimit", "ContentBasedDeduplication"])
def test_an_invalid_fifo_attribute_is_rejected(make_queue, name):
    with refused("InvalidAttributeValue", f"Invalid value for the parameter {name}."):
        make_queue(fifo=True).set(**{name: "sometimes"})


def policy_for(queue, **statement):
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage", "Resource": queue.arn, **statement}
            ],
        }
    )


def test_a_policy_is_stored_and_an_empty_one_removes_it(queue):
    queue.set(Policy=policy_for(queue))
    assert json.loads(queue.attribute("Policy")) == json.loads(policy_for(queue))
    queue.set(Policy="")
    assert queue.attributes("Policy") == {}


@pytest.mark.parametrize("text", ["{", "[]", "words", '{"Version":"2012-10-17"}'])
def test_an_invalid_policy_is_rejected(queue, text):
    with refused("InvalidAttributeValue", "Invalid value for the parameter Policy."):
        queue.set(Policy=text)


def test_encryption_by_sqs_can_be_turned_off_and_on(queue):
    queue.set(SqsManagedSseEnabled="false")
    assert queue.attribute("SqsManagedSseEnabled") == "false"
    queue.set(SqsManagedSseEnabled="true")
    assert queue.attribute("SqsManagedSseEnabled") == "true"


def test_a_kms_key_replaces_encryption_by_sqs(queue):
    queue.set(KmsMasterKeyId="alias/aws/sqs")
    shown = queue.attributes()
    assert shown["KmsMasterKeyId"] == "alias/aws/sqs"
    assert shown["KmsDataKeyReusePeriodSeconds"] == "300"
    assert shown["SqsManagedSseEnabled"] == "false"


def test_both_kinds_of_encryption_at_once_are_rejected(queue):
    with refused("InvalidAttributeName", "You can use one type of server-side encryption"):
        queue.set(KmsMasterKeyId="alias/aws/sqs", SqsManagedSseEnabled="true")


def test_the_shortest_retention_is_stored(make_queue):
    queue = make_queue({"MessageRetentionPeriod": "60"})
    queue.send("still here")
    assert queue.receive_one()["Body"] == "still here"
