# SPDX-License-Identifier: Apache-2.0
"""Events that end a long poll early."""
import concurrent.futures
import functools

import pytest

from support.queues import NO_QUEUE, refused
from support.waiting import PATIENCE_SECONDS, eventually

POLL_SECONDS = 20
TRIES = 3


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(8) as executor:
        yield executor


def start_poll(pool, queue, **more):
    """In another thread."""
    return pool.submit(queue.receive, WaitTimeSeconds=POLL_SECONDS, **more)


def start_waiting(pool, make_queue, queue, start=start_poll, **more):
    """Starts a long poll in another thread, and returns as soon as it waits.

    A poll that waits shows nothing of itself. So the queue holds a message that was received as often as its redrive
    policy allows: the poll moves it to the dead-letter queue, whose count shows that the poll has run."""
    fifo = queue.name.endswith(".fifo")
    dead = make_queue(fifo=fifo)
    queue.set(RedrivePolicy='{"deadLetterTargetArn":"%s","maxReceiveCount":2}' % dead.arn)
    queue.send("received too often", **({"MessageGroupId": "other"} if fifo else {}))
    for _ in range(2):
        assert queue.receive_one(VisibilityTimeout=0)["Body"] == "received too often"
    waiting = start(pool, queue, **more)
    dead.expect_counts(visible=1)
    return waiting


def ends_early(test):
    """The poll of this test must end before its time is over.

    A poll of an empty queue that began to wait before the test must still wait after it. If it does not, the test's poll
    was not woken, or the machine stood still for as long as a poll lasts: then the test is repeated."""

    @functools.wraps(test)
    def run(pool, make_queue):
        for _ in range(TRIES):
            empty = make_queue()
            other = start_waiting(pool, make_queue, empty)
            try:
                test(pool, make_queue)
                if not other.done():
                    return
            finally:
                empty.send("ends the other poll")
        raise AssertionError("each poll lasted longer than one that began before it")

    return run


@ends_early
def test_a_message_ends_the_wait(pool, make_queue):
    queue = make_queue()
    waiting = start_waiting(pool, make_queue, queue)
    queue.send("wake up")
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["Body"] == "wake up"


@ends_early
def test_a_batch_ends_the_wait(pool, make_queue):
    queue = make_queue()
    waiting = start_waiting(pool, make_queue, queue, MaxNumberOfMessages=10)
    queue.send_batch([{"Id": str(i), "MessageBody": "m"} for i in range(10)])
    assert len(waiting.result(PATIENCE_SECONDS)) >= 1


@ends_early
def test_each_waiting_poll_gets_one_message(pool, make_queue):
    queue = make_queue()
    waiting = [start_waiting(pool, make_queue, queue), *(start_poll(pool, queue) for _ in range(3))]
    sent = {queue.send()["MessageId"] for _ in waiting}
    got = [future.result(PATIENCE_SECONDS) for future in waiting]
    assert sorted(message["MessageId"] for (message,) in got) == sorted(sent)


@ends_early
def test_the_end_of_a_delay_ends_the_wait(pool, make_queue):
    queue = make_queue()
    queue.send("late", DelaySeconds=1)
    (message,) = start_poll(pool, queue).result(PATIENCE_SECONDS)
    assert message["Body"] == "late"


@ends_early
def test_the_end_of_a_visibility_timeout_ends_the_wait(pool, make_queue):
    queue = make_queue()
    sent = queue.send("again")
    queue.receive_one(VisibilityTimeout=1)
    (message,) = start_poll(pool, queue).result(PATIENCE_SECONDS)
    assert message["MessageId"] == sent["MessageId"]


@ends_early
def test_a_released_message_ends_the_wait(pool, make_queue):
    queue = make_queue()
    queue.send("given back")
    held = queue.receive_one(VisibilityTimeout=600)
    waiting = start_waiting(pool, make_queue, queue)
    queue.hide(held, 0)
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["MessageId"] == held["MessageId"]


@ends_early
def test_the_default_wait_is_the_queues(pool, make_queue):
    queue = make_queue({"ReceiveMessageWaitTimeSeconds": str(POLL_SECONDS)})
    waiting = start_waiting(pool, make_queue, queue, start=lambda pool, queue: pool.submit(queue.receive))
    queue.send()
    assert len(waiting.result(PATIENCE_SECONDS)) == 1


@ends_early
def test_a_wait_of_zero_overrides_the_queues_wait(pool, make_queue):
    queue = make_queue({"ReceiveMessageWaitTimeSeconds": str(POLL_SECONDS)})
    assert queue.receive(WaitTimeSeconds=0) == []


def test_a_wait_ends_without_a_message(queue):
    assert queue.receive(WaitTimeSeconds=1) == []


@ends_early
def test_a_freed_fifo_group_ends_the_wait(pool, make_queue):
    queue = make_queue({"ContentBasedDeduplication": "true"}, fifo=True)
    queue.send("first", MessageGroupId="g")
    queue.send("second", MessageGroupId="g")
    first = queue.receive_one(VisibilityTimeout=600)
    waiting = start_waiting(pool, make_queue, queue)
    queue.delete(first)
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["Body"] == "second"


@ends_early
def test_deleting_the_queue_ends_the_wait(pool, make_queue):
    queue = make_queue()
    waiting = start_waiting(pool, make_queue, queue)
    queue.client.delete_queue(QueueUrl=queue.url)
    with refused(NO_QUEUE, "does not exist"):
        waiting.result(PATIENCE_SECONDS)


@ends_early
def test_a_dead_letter_ends_a_wait_at_the_dead_letter_queue(pool, make_queue):
    dead = make_queue()
    source = make_queue({"RedrivePolicy": '{"deadLetterTargetArn":"%s","maxReceiveCount":1}' % dead.arn})
    source.send("doomed")
    source.receive_one(VisibilityTimeout=0)
    waiting = start_waiting(pool, make_queue, dead)
    eventually(lambda: source.receive() == [])
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["Body"] == "doomed"
