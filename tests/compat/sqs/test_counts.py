# SPDX-License-Identifier: Apache-2.0
"""The three counts, in every state of a message."""


def test_a_message_is_counted_once_through_its_life(queue):
    queue.expect_counts()
    queue.send("m")
    queue.expect_counts(visible=1)
    message = queue.receive_one(VisibilityTimeout=600)
    queue.expect_counts(in_flight=1)
    queue.hide(message, 0)
    queue.expect_counts(visible=1)
    queue.delete(message)
    queue.expect_counts()


def test_a_delayed_message_is_counted_as_delayed(queue):
    queue.send("delayed", DelaySeconds=900)
    queue.expect_counts(delayed=1)


def test_the_end_of_a_delay_or_a_visibility_timeout_makes_a_message_visible(queue):
    queue.send("delayed", DelaySeconds=1)
    queue.expect_counts(visible=1)
    queue.receive_one(VisibilityTimeout=1)
    queue.expect_counts(visible=1)


def test_messages_in_all_states_are_counted(queue):
    queue.send_batch([{"Id": str(i), "MessageBody": "m"} for i in range(10)])
    queue.send_batch([{"Id": str(i), "MessageBody": "m", "DelaySeconds": 600} for i in range(5)])
    held = queue.receive_all(4)
    queue.expect_counts(visible=6, in_flight=4, delayed=5)
    queue.delete(held[0])
    queue.hide(held[1], 0)
    queue.expect_counts(visible=7, in_flight=2, delayed=5)


def test_messages_behind_a_held_fifo_group_are_visible_in_the_counts(make_queue):
    queue = make_queue({"ContentBasedDeduplication": "true"}, fifo=True)
    for body in "abc":
        queue.send(body, MessageGroupId="g")
    queue.expect_counts(visible=3)
    message = queue.receive_one()
    queue.expect_counts(visible=2, in_flight=1)
    queue.delete(message)
    queue.expect_counts(visible=2)


def test_dead_letters_are_counted_in_the_dead_letter_queue(make_queue):
    dead = make_queue()
    source = make_queue({"RedrivePolicy": '{"deadLetterTargetArn":"%s","maxReceiveCount":1}' % dead.arn})
    source.send()
    source.receive_one(VisibilityTimeout=0)
    assert source.receive() == []
    dead.expect_counts(visible=1)
    source.expect_counts()
