# SPDX-License-Identifier: Apache-2.0
"""Messages in flight: deleting, changing the visibility timeout, releasing."""
import pytest

from support.queues import refused

PREFIX = "AWS.SimpleQueueService."
GARBAGE = ["x", "not a handle", "QUFBQQ==", "A" * 2000, "é", "../../etc/passwd"]


def test_a_deleted_message_is_gone(queue):
    queue.send()
    queue.delete(queue.receive_one(VisibilityTimeout=1))
    queue.expect_counts()
    assert queue.receive(WaitTimeSeconds=2) == []  # longer than its visibility timeout


def test_deleting_twice_is_no_error(queue):
    queue.send()
    message = queue.receive_one()
    queue.delete(message)
    queue.delete(message)


def test_a_message_can_be_deleted_after_its_timeout(queue):
    queue.send()
    queue.delete(queue.receive_one(VisibilityTimeout=0))
    queue.expect_counts()


def test_an_older_handle_is_accepted(queue):
    """Amazon: the request succeeds, and the message might not be deleted."""
    queue.send()
    older = queue.receive_one(VisibilityTimeout=0)
    newer = queue.receive_one()
    queue.delete(older)
    queue.delete(newer)
    queue.expect_counts()


@pytest.mark.parametrize("handle", GARBAGE)
def test_an_invalid_handle_is_rejected(sqs, queue, handle):
    with refused("ReceiptHandleIsInvalid", "is not a valid receipt handle"):
        sqs.delete_message(QueueUrl=queue.url, ReceiptHandle=handle)
    with refused("ReceiptHandleIsInvalid", "is not a valid receipt handle"):
        sqs.change_message_visibility(QueueUrl=queue.url, ReceiptHandle=handle, VisibilityTimeout=1)


def test_an_empty_handle_is_missing(sqs, queue):
    with refused("MissingParameter", "ReceiptHandle"):
        sqs.delete_message(QueueUrl=queue.url, ReceiptHandle="")


def test_the_handle_of_another_queue_is_rejected(make_queue):
    one, other = make_queue(), make_queue()
    one.send()
    message = one.receive_one()
    with refused("ReceiptHandleIsInvalid", "is not a valid receipt handle"):
        other.delete(message)
    one.expect_counts(in_flight=1)


def test_a_visibility_timeout_is_extended(queue):
    queue.send()
    message = queue.receive_one(VisibilityTimeout=2)
    queue.hide(message, 600)
    assert queue.receive(WaitTimeSeconds=3) == []
    queue.expect_counts(in_flight=1)


def test_a_message_is_released_at_once(queue):
    queue.send()
    queue.hide(queue.receive_one(VisibilityTimeout=600), 0)
    queue.receive_one()


@pytest.mark.parametrize("seconds", [-1, 43201])
def test_the_longest_visibility_timeout_is_12_hours(queue, seconds):
    queue.send()
    message = queue.receive_one()
    with refused("InvalidParameterValue", "VisibilityTimeout"):
        queue.hide(message, seconds)


def test_the_12_hours_begin_with_the_receive(queue):
    queue.send()
    message = queue.receive_one()
    queue.receive(WaitTimeSeconds=1)  # a second has to pass
    with refused("InvalidParameterValue", "Total VisibilityTimeout for the message is beyond the limit"):
        queue.hide(message, 43200)


def test_the_visibility_of_a_deleted_message_cannot_change(queue):
    queue.send()
    message = queue.receive_one()
    queue.delete(message)
    with refused("InvalidParameterValue", "Message does not exist or is not available for visibility timeout change"):
        queue.hide(message, 10)


def test_a_message_can_be_hidden_after_its_timeout(queue):
    queue.send()
    queue.hide(queue.receive_one(VisibilityTimeout=0), 600)
    queue.expect_counts(in_flight=1)


def take(queue, count):
    queue.send_batch([{"Id": str(i), "MessageBody": str(i)} for i in range(count)])
    return queue.receive_all(count)


def test_ten_messages_are_deleted_in_one_request(sqs, queue):
    entries = [{"Id": m["Body"], "ReceiptHandle": m["ReceiptHandle"]} for m in take(queue, 10)]
    answer = sqs.delete_message_batch(QueueUrl=queue.url, Entries=entries)
    assert sorted(entry["Id"] for entry in answer["Successful"]) == sorted(str(i) for i in range(10))
    assert "Failed" not in answer
    queue.expect_counts()


def test_an_invalid_handle_in_a_batch_fails_alone(sqs, queue):
    (message,) = take(queue, 1)
    entries = [{"Id": "good", "ReceiptHandle": message["ReceiptHandle"]}, {"Id": "bad", "ReceiptHandle": "garbage"}]
    answer = sqs.delete_message_batch(QueueUrl=queue.url, Entries=entries)
    assert [entry["Id"] for entry in answer["Successful"]] == ["good"]
    (failed,) = answer["Failed"]
    assert (failed["Id"], failed["Code"], failed["SenderFault"]) == ("bad", "ReceiptHandleIsInvalid", True)
    queue.expect_counts()


def test_several_visibility_timeouts_change_in_one_request(sqs, queue):
    messages = take(queue, 2)
    entries = [
        {"Id": "back", "ReceiptHandle": messages[0]["ReceiptHandle"], "VisibilityTimeout": 0},
        {"Id": "long", "ReceiptHandle": messages[1]["ReceiptHandle"], "VisibilityTimeout": 600},
        {"Id": "bad", "ReceiptHandle": "garbage", "VisibilityTimeout": 1},
        {"Id": "much", "ReceiptHandle": messages[1]["ReceiptHandle"], "VisibilityTimeout": 43201},
    ]
    answer = sqs.change_message_visibility_batch(QueueUrl=queue.url, Entries=entries)
    assert sorted(entry["Id"] for entry in answer["Successful"]) == ["back", "long"]
    codes = {entry["Id"]: entry["Code"] for entry in answer["Failed"]}
    assert codes == {"bad": "ReceiptHandleIsInvalid", "much": "InvalidParameterValue"}
    queue.expect_counts(visible=1, in_flight=1)


@pytest.mark.parametrize("kind", ["delete", "change"])
def test_invalid_batches_are_rejected(sqs, queue, kind):
    name = {"delete": "DeleteMessageBatch", "change": "ChangeMessageVisibilityBatch"}[kind]
    call = {"delete": sqs.delete_message_batch, "change": sqs.change_message_visibility_batch}[kind]
    more = {"change": {"VisibilityTimeout": 1}}.get(kind, {})
    entries = [{"Id": f"e{i}", "ReceiptHandle": "h", **more} for i in range(11)]
    with refused(PREFIX + "EmptyBatchRequest", f"at least one {name}RequestEntry"):
        call(QueueUrl=queue.url, Entries=[])
    with refused(PREFIX + "TooManyEntriesInBatchRequest", "You have sent 11."):
        call(QueueUrl=queue.url, Entries=entries)
    with refused(PREFIX + "BatchEntryIdsNotDistinct", "Id e0 repeated."):
        call(QueueUrl=queue.url, Entries=[entries[0], entries[0]])
    with refused(PREFIX + "InvalidBatchEntryId", "batch entry id"):
        call(QueueUrl=queue.url, Entries=[{**entries[0], "Id": "a b"}])
