# SPDX-License-Identifier: Apache-2.0
"""Message move tasks."""
import json

import pytest

from support.queues import refused
from support.waiting import eventually


@pytest.fixture(autouse=True)
def known(sqs):
    if not hasattr(sqs, "start_message_move_task"):
        pytest.skip("this boto3 does not know them")


@pytest.fixture
def dead(make_queue):
    return make_queue()


@pytest.fixture
def source(make_queue, dead):
    return make_queue({"RedrivePolicy": json.dumps({"deadLetterTargetArn": dead.arn, "maxReceiveCount": 1})})


def bury(source, dead, bodies):
    for body in bodies:
        source.send(body)
    source.receive_all(len(bodies), VisibilityTimeout=0)
    eventually(lambda: source.receive() == [] and dead.counts()["visible"] == len(bodies))


def start(sqs, dead, **more):
    return sqs.start_message_move_task(SourceArn=dead.arn, **more)["TaskHandle"]


def newest(sqs, dead):
    return sqs.list_message_move_tasks(SourceArn=dead.arn)["Results"][0]


def finished(sqs, dead):
    return eventually(lambda: newest(sqs, dead)["Status"] == "COMPLETED" and newest(sqs, dead))


def test_dead_letters_move_back_to_their_source(sqs, source, dead):
    bury(source, dead, "abc")
    start(sqs, dead)
    task = finished(sqs, dead)
    assert task["SourceArn"] == dead.arn
    assert "DestinationArn" not in task
    assert task["ApproximateNumberOfMessagesMoved"] == 3
    assert task["ApproximateNumberOfMessagesToMove"] == 3
    assert "TaskHandle" not in task
    got = source.receive_all(3, AttributeNames=["All"])
    assert sorted(message["Body"] for message in got) == ["a", "b", "c"]
    assert {message["Attributes"]["ApproximateReceiveCount"] for message in got} == {"1"}
    assert all("DeadLetterQueueSourceArn" not in message["Attributes"] for message in got)
    dead.expect_counts()


def test_dead_letters_move_to_the_given_destination(sqs, make_queue, source, dead):
    target = make_queue()
    bury(source, dead, "ab")
    start(sqs, dead, DestinationArn=target.arn)
    assert finished(sqs, dead)["DestinationArn"] == target.arn
    assert sorted(message["Body"] for message in target.receive_all(2)) == ["a", "b"]
    source.expect_counts()


def test_a_moved_message_may_become_a_dead_letter_again(sqs, source, dead):
    bury(source, dead, "a")
    start(sqs, dead)
    finished(sqs, dead)
    source.receive_one(VisibilityTimeout=0)
    eventually(lambda: source.receive() == [] and dead.counts()["visible"] == 1)


def test_a_rate_limited_task_can_be_cancelled(sqs, source, dead):
    bury(source, dead, [str(i) for i in range(20)])
    handle = start(sqs, dead, MaxNumberOfMessagesPerSecond=1)
    task = newest(sqs, dead)
    assert (task["Status"], task["TaskHandle"], task["MaxNumberOfMessagesPerSecond"]) == ("RUNNING", handle, 1)
    answer = sqs.cancel_message_move_task(TaskHandle=handle)
    assert 0 <= answer["ApproximateNumberOfMessagesMoved"] < 20
    assert eventually(lambda: newest(sqs, dead)["Status"] == "CANCELLED")
    moved = newest(sqs, dead)["ApproximateNumberOfMessagesMoved"]
    dead.expect_counts(visible=20 - moved)
    source.expect_counts(visible=moved)


def test_one_task_at_a_time(sqs, source, dead):
    bury(source, dead, [str(i) for i in range(20)])
    handle = start(sqs, dead, MaxNumberOfMessagesPerSecond=1)
    with refused("InvalidParameterValue", "There is already a task running"):
        start(sqs, dead)
    sqs.cancel_message_move_task(TaskHandle=handle)


def test_a_finished_task_cannot_be_cancelled(sqs, source, dead):
    handle = start(sqs, dead)
    finished(sqs, dead)
    with refused("AWS.SimpleQueueService.UnsupportedOperation", "COMPLETED"):
        sqs.cancel_message_move_task(TaskHandle=handle)


def test_the_last_tasks_are_listed_newest_first(sqs, source, dead):
    for _ in range(3):
        start(sqs, dead)
        finished(sqs, dead)
    listed = sqs.list_message_move_tasks(SourceArn=dead.arn, MaxResults=10)["Results"]
    started = [task["StartedTimestamp"] for task in listed]
    assert len(listed) == 3 and started == sorted(started, reverse=True)
    assert len(sqs.list_message_move_tasks(SourceArn=dead.arn)["Results"]) == 1


@pytest.mark.parametrize("most", [0, 11])
def test_1_to_10_tasks_are_listed(sqs, source, dead, most):
    with refused("InvalidParameterValue", "MaxResults"):
        sqs.list_message_move_tasks(SourceArn=dead.arn, MaxResults=most)


def test_the_source_is_a_dead_letter_queue(sqs, queue):
    with refused("InvalidParameterValue", "Source queue must be configured as a Dead Letter Queue"):
        sqs.start_message_move_task(SourceArn=queue.arn)


def test_the_source_must_exist(sqs, queue):
    part = "The resource that you specified for the SourceArn parameter doesn't exist."
    with refused("ResourceNotFoundException", part):
        sqs.start_message_move_task(SourceArn=queue.arn + "-not")
    with refused("ResourceNotFoundException", "SourceArn"):
        sqs.list_message_move_tasks(SourceArn=queue.arn + "-not")


def test_the_source_must_be_an_arn(sqs):
    with refused("InvalidParameterValue", "You must use this format to specify the SourceArn"):
        sqs.start_message_move_task(SourceArn="words")


def test_the_destination_must_exist_and_differ_from_the_source(sqs, make_queue, source, dead):
    with refused("ResourceNotFoundException", "DestinationArn"):
        sqs.start_message_move_task(SourceArn=dead.arn, DestinationArn=dead.arn + "-not")
    with refused("InvalidParameterValue", "cannot be the same"):
        sqs.start_message_move_task(SourceArn=dead.arn, DestinationArn=dead.arn)


@pytest.mark.parametrize("rate", [0, 501, -1])
def test_1_to_500_messages_are_moved_in_a_second(sqs, source, dead, rate):
    with refused("InvalidParameterValue", "MaxNumberOfMessagesPerSecond"):
        sqs.start_message_move_task(SourceArn=dead.arn, MaxNumberOfMessagesPerSecond=rate)


def test_an_unknown_task_handle_is_not_found(sqs):
    with pytest.raises(sqs.exceptions.ClientError) as caught:
        sqs.cancel_message_move_task(TaskHandle="bm8gdGFzaw==")
    assert caught.value.response["Error"]["Code"] in ("ResourceNotFoundException", "InvalidParameterValue")
