# SPDX-License-Identifier: Apache-2.0
"""FIFO queues: order, groups, invalid requests."""
import pytest

from support.queues import refused

NOT_HERE = "The request include parameter that is not valid for this queue type"


@pytest.fixture
def fifo(make_queue):
    return make_queue({"ContentBasedDeduplication": "true"}, fifo=True)


def bodies(messages):
    return [message["Body"] for message in messages]


def send_all(queue, *pairs):
    for group, body in pairs:
        queue.send(body, MessageGroupId=group)


def test_a_group_is_received_in_the_order_of_sending(fifo):
    sent = [str(i) for i in range(25)]
    send_all(fifo, *(("g", body) for body in sent))
    got = []
    for _ in range(25):
        messages = fifo.receive(MaxNumberOfMessages=10, WaitTimeSeconds=20)
        got += bodies(messages)
        for message in messages:
            fifo.delete(message)
        if len(got) == 25:
            break
    assert got == sent


def test_sequence_numbers_grow(fifo):
    sent = [fifo.send(str(i), MessageGroupId="g")["SequenceNumber"] for i in range(5)]
    assert sent == sorted(sent, key=int) and len(set(sent)) == 5
    assert all(len(number) == 20 for number in sent)
    got = fifo.receive_all(5, AttributeNames=["SequenceNumber"])
    assert [message["Attributes"]["SequenceNumber"] for message in got] == sent


def test_a_fifo_messages_attributes(fifo):
    fifo.send("m", MessageGroupId="the-group", MessageDeduplicationId="the-id")
    shown = fifo.receive_one(AttributeNames=["All"])["Attributes"]
    assert (shown["MessageGroupId"], shown["MessageDeduplicationId"]) == ("the-group", "the-id")


def test_a_held_message_blocks_its_group_and_no_other(fifo):
    send_all(fifo, ("a", "a1"), ("a", "a2"), ("b", "b1"))
    assert fifo.receive_one()["Body"] == "a1"
    assert fifo.receive_one()["Body"] == "b1"
    assert fifo.receive() == []


def test_deleting_the_held_message_frees_the_group(fifo):
    send_all(fifo, ("a", "a1"), ("a", "a2"))
    fifo.delete(fifo.receive_one())
    assert fifo.receive_one()["Body"] == "a2"


def test_one_receive_may_return_several_messages_of_a_group_in_order(fifo):
    send_all(fifo, ("a", "1"), ("a", "2"), ("a", "3"))
    assert bodies(fifo.receive(MaxNumberOfMessages=10, WaitTimeSeconds=20)) == ["1", "2", "3"]


def test_a_group_stays_blocked_until_all_its_held_messages_are_deleted(fifo):
    send_all(fifo, ("a", "1"), ("a", "2"), ("a", "3"))
    first, second = fifo.receive(MaxNumberOfMessages=2, WaitTimeSeconds=20)
    fifo.delete(first)
    assert fifo.receive() == []
    fifo.delete(second)
    assert fifo.receive_one()["Body"] == "3"


def test_the_order_is_the_same_after_a_visibility_timeout(fifo):
    send_all(fifo, ("a", "1"), ("a", "2"), ("a", "3"))
    assert bodies(fifo.receive(MaxNumberOfMessages=2, VisibilityTimeout=1, WaitTimeSeconds=20)) == ["1", "2"]
    assert bodies(fifo.receive(MaxNumberOfMessages=3, WaitTimeSeconds=20)) == ["1", "2", "3"]


def test_a_released_message_is_received_first_again(fifo):
    send_all(fifo, ("a", "1"), ("a", "2"))
    fifo.hide(fifo.receive_one(), 0)
    assert bodies(fifo.receive(MaxNumberOfMessages=2, WaitTimeSeconds=20)) == ["1", "2"]


def test_many_groups_are_received_at_once(fifo):
    send_all(fifo, *((f"g{i}", f"m{i}") for i in range(20)))
    assert sorted(bodies(fifo.receive_all(20))) == sorted(f"m{i}" for i in range(20))


def test_a_batch_keeps_its_order(fifo):
    answer = fifo.send_batch([{"Id": f"e{i}", "MessageBody": str(i), "MessageGroupId": "g"} for i in range(10)])
    numbers = [entry["SequenceNumber"] for entry in answer["Successful"]]
    assert numbers == sorted(numbers, key=int)
    assert bodies(fifo.receive_all(10)) == [str(i) for i in range(10)]


def test_a_batch_with_an_entry_without_a_group_is_rejected_as_a_whole(fifo):
    with refused("InvalidParameterValue", "The request must contain the parameter MessageGroupId."):
        fifo.send_batch([{"Id": "no", "MessageBody": "m"}, {"Id": "yes", "MessageBody": "m", "MessageGroupId": "g"}])
    fifo.expect_counts()


def test_an_expired_handle_deletes_nothing(fifo):
    send_all(fifo, ("a", "1"))
    message = fifo.receive_one(VisibilityTimeout=0)
    with refused("InvalidParameterValue", "The receipt handle has expired"):
        fifo.delete(message)
    fifo.expect_counts(visible=1)


def test_a_queues_delay_applies_to_all_its_messages(make_queue):
    queue = make_queue({"ContentBasedDeduplication": "true", "DelaySeconds": "900"}, fifo=True)
    send_all(queue, ("a", "1"))
    queue.expect_counts(delayed=1)
    assert queue.receive() == []


def test_a_message_arrives_after_its_queues_delay(make_queue):
    queue = make_queue({"ContentBasedDeduplication": "true", "DelaySeconds": "1"}, fifo=True)
    send_all(queue, ("a", "1"))
    assert queue.receive_one()["Body"] == "1"


def test_a_fifo_message_cannot_have_its_own_delay(fifo):
    with refused("InvalidParameterValue", NOT_HERE):
        fifo.send("m", MessageGroupId="g", DelaySeconds=5)


def test_a_message_needs_a_group(fifo):
    with refused("MissingParameter", "The request must contain the parameter MessageGroupId."):
        fifo.send("m")


@pytest.mark.parametrize("group", ["", "a b", "é", "x" * 129, "tab\t"])
def test_an_invalid_group_name_is_rejected(fifo, group):
    with refused("InvalidParameterValue", "MessageGroupId"):
        fifo.send("m", MessageGroupId=group)


def test_a_group_name_may_contain_punctuation(fifo):
    group = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    fifo.send("m", MessageGroupId=group)
    assert fifo.receive_one(AttributeNames=["MessageGroupId"])["Attributes"]["MessageGroupId"] == group


def test_the_same_receive_attempt_returns_the_same_messages(fifo):
    send_all(fifo, ("a", "1"), ("a", "2"))
    first = fifo.receive(MaxNumberOfMessages=10, ReceiveRequestAttemptId="try", WaitTimeSeconds=20)
    again = fifo.receive(MaxNumberOfMessages=10, ReceiveRequestAttemptId="try", WaitTimeSeconds=20)
    assert bodies(first) == bodies(again) == ["1", "2"]
    assert [m["MessageId"] for m in first] == [m["MessageId"] for m in again]


def test_another_receive_attempt_returns_nothing_while_the_group_is_blocked(fifo):
    send_all(fifo, ("a", "1"))
    fifo.receive_one(ReceiveRequestAttemptId="one")
    assert fifo.receive(ReceiveRequestAttemptId="two") == []


def test_a_receive_attempt_does_not_return_deleted_messages(fifo):
    send_all(fifo, ("a", "1"), ("a", "2"))
    message = fifo.receive_one(ReceiveRequestAttemptId="try")
    fifo.delete(message)
    got = fifo.receive(ReceiveRequestAttemptId="try", WaitTimeSeconds=1)
    assert "1" not in bodies(got)
