# SPDX-License-Identifier: Apache-2.0
"""FIFO queues: deduplication."""
import pytest

from support.queues import refused


@pytest.fixture
def by_content(make_queue):
    return make_queue({"ContentBasedDeduplication": "true"}, fifo=True)


@pytest.fixture
def by_id(make_queue):
    return make_queue(fifo=True)


def test_the_same_id_is_the_same_message(by_id):
    first = by_id.send("one", MessageGroupId="g", MessageDeduplicationId="d")
    again = by_id.send("another body", MessageGroupId="g", MessageDeduplicationId="d")
    assert again["MessageId"] == first["MessageId"]
    assert again["SequenceNumber"] == first["SequenceNumber"]
    by_id.expect_counts(visible=1)
    assert by_id.receive_one()["Body"] == "one"


def test_the_same_id_in_another_group_is_the_same_message(by_id):
    first = by_id.send("one", MessageGroupId="g", MessageDeduplicationId="d")
    again = by_id.send("one", MessageGroupId="h", MessageDeduplicationId="d")
    assert again["MessageId"] == first["MessageId"]
    by_id.expect_counts(visible=1)


def test_an_id_is_remembered_after_its_message_was_deleted(by_id):
    first = by_id.send("one", MessageGroupId="g", MessageDeduplicationId="d")
    by_id.delete(by_id.receive_one())
    assert by_id.send("one", MessageGroupId="g", MessageDeduplicationId="d")["MessageId"] == first["MessageId"]
    by_id.expect_counts()


def test_another_id_is_another_message(by_id):
    by_id.send("same", MessageGroupId="g", MessageDeduplicationId="d1")
    by_id.send("same", MessageGroupId="g", MessageDeduplicationId="d2")
    by_id.expect_counts(visible=2)


def test_the_same_body_is_the_same_message(by_content):
    first = by_content.send("same", MessageGroupId="g")
    attribute = {"a": {"DataType": "String", "StringValue": "differs"}}
    again = by_content.send("same", MessageGroupId="g", MessageAttributes=attribute)
    assert again["MessageId"] == first["MessageId"]
    by_content.send("other", MessageGroupId="g")
    by_content.expect_counts(visible=2)


def test_an_id_takes_precedence_over_the_body(by_content):
    by_content.send("same", MessageGroupId="g", MessageDeduplicationId="d1")
    by_content.send("same", MessageGroupId="g", MessageDeduplicationId="d2")
    by_content.expect_counts(visible=2)


def test_entries_of_one_batch_are_deduplicated(by_content):
    answer = by_content.send_batch([{"Id": i, "MessageBody": "same", "MessageGroupId": "g"} for i in "ab"])
    assert len({entry["MessageId"] for entry in answer["Successful"]}) == 1
    by_content.expect_counts(visible=1)


def test_with_group_scope_the_same_id_may_occur_in_each_group(make_queue):
    queue = make_queue({"DeduplicationScope": "messageGroup"}, fifo=True)
    queue.send("one", MessageGroupId="g", MessageDeduplicationId="d")
    queue.send("two", MessageGroupId="h", MessageDeduplicationId="d")
    queue.send("three", MessageGroupId="h", MessageDeduplicationId="d")
    queue.expect_counts(visible=2)


def test_without_deduplication_by_content_an_id_is_needed(by_id):
    with refused("InvalidParameterValue", "The queue should either have ContentBasedDeduplication enabled"):
        by_id.send("m", MessageGroupId="g")


@pytest.mark.parametrize("name", ["", "a b", "é", "x" * 129])
def test_an_invalid_deduplication_id_is_rejected(by_id, name):
    with refused("InvalidParameterValue", "MessageDeduplicationId"):
        by_id.send("m", MessageGroupId="g", MessageDeduplicationId=name)


def test_deduplication_by_content_can_be_turned_on_later(by_id):
    by_id.set(ContentBasedDeduplication="true")
    by_id.send("m", MessageGroupId="g")
    by_id.send("m", MessageGroupId="g")
    by_id.expect_counts(visible=1)
