# SPDX-License-Identifier: Apache-2.0
"""Events that end a long poll early. A poll that is not woken lasts longer than these tests wait."""
import concurrent.futures
import time

import pytest

from support.queues import NO_QUEUE, refused
from support.waiting import eventually

PATIENCE_SECONDS = 15  # the polls last 20 s: one that returns earlier was woken


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(8) as executor:
        yield executor


def poll(pool, queue, **more):
    """Starts a long poll in another thread. The pause lets it begin to wait; a test does not depend on that."""
    future = pool.submit(queue.receive, WaitTimeSeconds=20, **more)
    time.sleep(0.2)
    return future


def test_a_message_ends_the_wait(pool, queue):
    waiting = poll(pool, queue)
    queue.send("wake up")
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["Body"] == "wake up"


def test_a_batch_ends_the_wait(pool, queue):
    waiting = poll(pool, queue, MaxNumberOfMessages=10)
    queue.send_batch([{"Id": str(i), "MessageBody": "m"} for i in range(10)])
    assert len(waiting.result(PATIENCE_SECONDS)) >= 1


def test_each_waiting_poll_gets_one_message(pool, queue):
    waiting = [poll(pool, queue) for _ in range(4)]
    sent = {queue.send()["MessageId"] for _ in waiting}
    got = [future.result(PATIENCE_SECONDS) for future in waiting]
    assert sorted(message["MessageId"] for (message,) in got) == sorted(sent)


def test_the_end_of_a_delay_ends_the_wait(pool, queue):
    queue.send("late", DelaySeconds=1)
    (message,) = poll(pool, queue).result(PATIENCE_SECONDS)
    assert message["Body"] == "late"


def test_the_end_of_a_visibility_timeout_ends_the_wait(pool, queue):
    sent = queue.send("again")
    queue.receive_one(VisibilityTimeout=1)
    (message,) = poll(pool, queue).result(PATIENCE_SECONDS)
    assert message["MessageId"] == sent["MessageId"]


def test_a_released_message_ends_the_wait(pool, queue):
    queue.send("given back")
    held = queue.receive_one(VisibilityTimeout=600)
    waiting = poll(pool, queue)
    queue.hide(held, 0)
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["MessageId"] == held["MessageId"]


def test_the_default_wait_is_the_queues(pool, make_queue):
    queue = make_queue({"ReceiveMessageWaitTimeSeconds": "20"})
    waiting = pool.submit(queue.receive)
    time.sleep(0.2)
    queue.send()
    assert len(waiting.result(PATIENCE_SECONDS)) == 1


def test_a_wait_of_zero_overrides_the_queues_wait(make_queue):
    queue = make_queue({"ReceiveMessageWaitTimeSeconds": "20"})
    began = time.monotonic()
    assert queue.receive(WaitTimeSeconds=0) == []
    assert time.monotonic() - began < PATIENCE_SECONDS


def test_a_wait_ends_without_a_message(queue):
    assert queue.receive(WaitTimeSeconds=1) == []


def test_a_freed_fifo_group_ends_the_wait(pool, make_queue):
    queue = make_queue({"ContentBasedDeduplication": "true"}, fifo=True)
    queue.send("first", MessageGroupId="g")
    queue.send("second", MessageGroupId="g")
    first = queue.receive_one(VisibilityTimeout=600)
    waiting = poll(pool, queue)
    queue.delete(first)
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["Body"] == "second"


def test_deleting_the_queue_ends_the_wait(sqs, pool, queue):
    waiting = poll(pool, queue)
    sqs.delete_queue(QueueUrl=queue.url)
    with refused(NO_QUEUE, "does not exist"):
        waiting.result(PATIENCE_SECONDS + 10)


def test_a_dead_letter_ends_a_wait_at_the_dead_letter_queue(pool, make_queue):
    dead = make_queue()
    source = make_queue({"RedrivePolicy": '{"deadLetterTargetArn":"%s","maxReceiveCount":1}' % dead.arn})
    source.send("doomed")
    source.receive_one(VisibilityTimeout=0)
    waiting = poll(pool, dead)
    eventually(lambda: source.receive() == [])
    (message,) = waiting.result(PATIENCE_SECONDS)
    assert message["Body"] == "doomed"
