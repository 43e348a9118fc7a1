# SPDX-License-Identifier: Apache-2.0
"""Creating, finding, listing and deleting queues."""
import pytest

from support.queues import NO_QUEUE, Queue, refused, unique_name
from support.waiting import eventually

STANDARD_NAME = "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"
FIFO_NAME = "must end with .fifo suffix and be 1 to 80 in length"


def test_a_queues_url_ends_in_its_account_and_name(queue, account):
    assert queue.url.endswith(f"/{account}/{queue.name}")


def test_the_same_name_without_attributes_is_the_same_queue(sqs, queue):
    assert sqs.create_queue(QueueName=queue.name)["QueueUrl"] == queue.url


def test_the_same_name_with_the_same_attributes_is_the_same_queue(sqs, make_queue):
    made = make_queue({"VisibilityTimeout": "17", "DelaySeconds": "3"})
    again = sqs.create_queue(QueueName=made.name, Attributes={"VisibilityTimeout": "17"})
    assert again["QueueUrl"] == made.url


def test_the_same_name_with_another_value_is_rejected(sqs, make_queue):
    made = make_queue({"VisibilityTimeout": "17"})
    with refused("QueueAlreadyExists", "already exists with the same name and a different value for attribute"):
        sqs.create_queue(QueueName=made.name, Attributes={"VisibilityTimeout": "18"})


@pytest.mark.parametrize("name", ["with space", "with.dot", "with/slash", "a" * 81, "ümlaut", "a\r\nb", "x.fifo"])
def test_an_invalid_queue_name_is_rejected(sqs, name):
    with refused("InvalidParameterValue", STANDARD_NAME):
        sqs.create_queue(QueueName=name)


def test_a_name_of_80_characters_is_valid(sqs):
    name = unique_name().ljust(80, "x")
    queue = Queue(sqs, name)
    assert queue.url.endswith("/" + name)
    sqs.delete_queue(QueueUrl=queue.url)


@pytest.mark.parametrize("name", ["plain", "a.b.fifo", ".fifo", "x" * 76 + ".fifo", "a.FIFO"])
def test_a_fifo_queues_name_ends_in_fifo(sqs, name):
    with refused("InvalidParameterValue", FIFO_NAME):
        sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true"})


def test_a_fifo_queue_has_the_attribute_fifo_queue(make_queue):
    assert make_queue(fifo=True).attribute("FifoQueue") == "true"


def test_fifo_queue_false_is_rejected(sqs):
    with refused("InvalidAttributeName", "Unknown Attribute FifoQueue"):
        sqs.create_queue(QueueName=unique_name(), Attributes={"FifoQueue": "false"})


def test_queues_are_listed_by_prefix(sqs):
    prefix = unique_name("-")
    urls = [sqs.create_queue(QueueName=prefix + letter)["QueueUrl"] for letter in "abc"]
    try:
        eventually(lambda: sorted(sqs.list_queues(QueueNamePrefix=prefix).get("QueueUrls", [])) == sorted(urls))
        assert "NextToken" not in sqs.list_queues(QueueNamePrefix=prefix)
    finally:
        for url in urls:
            sqs.delete_queue(QueueUrl=url)


def test_an_unmatched_prefix_lists_no_queues(sqs):
    assert "QueueUrls" not in sqs.list_queues(QueueNamePrefix=unique_name("nobody"))


def test_queues_are_listed_page_by_page(sqs):
    prefix = unique_name("-")
    urls = sorted(sqs.create_queue(QueueName=f"{prefix}{i}")["QueueUrl"] for i in range(5))
    try:
        eventually(lambda: len(sqs.list_queues(QueueNamePrefix=prefix).get("QueueUrls", [])) == 5)
        pages, token = [], {}
        for _ in range(5):
            page = sqs.list_queues(QueueNamePrefix=prefix, MaxResults=2, **token)
            pages.append(page["QueueUrls"])
            if "NextToken" not in page:
                break
            token = {"NextToken": page["NextToken"]}
        assert [len(page) for page in pages] == [2, 2, 1]
        assert sorted(sum(pages, [])) == urls
    finally:
        for url in urls:
            sqs.delete_queue(QueueUrl=url)


@pytest.mark.parametrize("most", [0, 1001, -1])
def test_a_page_has_1_to_1000_queues(sqs, most):
    with refused("InvalidParameterValue", "MaxResults"):
        sqs.list_queues(MaxResults=most)


def test_a_next_token_needs_max_results(sqs):
    with refused("InvalidParameterValue", "MaxResults is a mandatory parameter"):
        sqs.list_queues(NextToken="abc")


def test_an_unknown_next_token_is_rejected(sqs):
    with refused("InvalidParameterValue", "next token"):
        sqs.list_queues(NextToken="!not a token!", MaxResults=2)


def test_a_queues_url_is_found_by_its_name(sqs, queue, account):
    assert sqs.get_queue_url(QueueName=queue.name)["QueueUrl"] == queue.url
    assert sqs.get_queue_url(QueueName=queue.name, QueueOwnerAWSAccountId=account)["QueueUrl"] == queue.url


def test_the_url_of_a_missing_queue_is_not_found(sqs):
    with refused(NO_QUEUE, "The specified queue does not exist"):
        sqs.get_queue_url(QueueName=unique_name())


def test_a_deleted_queue_is_gone(sqs, queue):
    queue.send()
    sqs.delete_queue(QueueUrl=queue.url)
    eventually(lambda: is_gone(sqs, queue))
    for use in (queue.send, queue.receive, queue.attributes, lambda: sqs.purge_queue(QueueUrl=queue.url)):
        with refused(NO_QUEUE, "The specified queue does not exist"):
            use()
    assert "QueueUrls" not in sqs.list_queues(QueueNamePrefix=queue.name)


def is_gone(sqs, queue):
    try:
        sqs.get_queue_url(QueueName=queue.name)
    except sqs.exceptions.ClientError:
        return True
    return None


def test_a_queue_cannot_be_deleted_twice(sqs, queue):
    sqs.delete_queue(QueueUrl=queue.url)
    eventually(lambda: is_gone(sqs, queue))
    with refused(NO_QUEUE, "The specified queue does not exist"):
        sqs.delete_queue(QueueUrl=queue.url)


def test_an_invalid_queue_url_is_rejected(sqs, queue):
    with pytest.raises(sqs.exceptions.ClientError) as caught:
        sqs.get_queue_attributes(QueueUrl=queue.url.rsplit("/", 2)[0] + "/nowhere/at/all", AttributeNames=["All"])
    error = caught.value.response
    assert error["Error"]["Code"] in ("InvalidAddress", NO_QUEUE)
    assert error["ResponseMetadata"]["HTTPStatusCode"] in (400, 404)


def test_a_purge_deletes_all_messages(sqs, queue):
    for body in "abc":
        queue.send(body)
    held = queue.receive_one()
    queue.send("late", DelaySeconds=60)
    sqs.purge_queue(QueueUrl=queue.url)
    queue.expect_counts()
    assert queue.receive() == []
    queue.delete(held)  # already purged: no error


def test_a_purged_queue_still_works(sqs, queue):
    queue.send("before")
    sqs.purge_queue(QueueUrl=queue.url)
    queue.expect_counts()
    queue.send("after")
    assert queue.receive_one()["Body"] == "after"
