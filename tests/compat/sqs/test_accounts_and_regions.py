# SPDX-License-Identifier: Apache-2.0
"""Accounts and regions have separate queues."""
import pytest

from support.queues import NO_QUEUE, Queue, refused


@pytest.fixture(scope="module")
def far(connect):
    """The same account in another region."""
    return connect("sqs", region="eu-west-1")


def test_another_accounts_queues_are_not_listed(other_sqs, queue):
    assert "QueueUrls" not in other_sqs.list_queues(QueueNamePrefix=queue.name)
    with refused(NO_QUEUE, "does not exist"):
        other_sqs.get_queue_url(QueueName=queue.name)


def test_the_same_name_in_two_accounts_is_two_queues(other_sqs, queue):
    theirs = Queue(other_sqs, queue.name)
    try:
        assert theirs.url != queue.url
        theirs.send("theirs")
        queue.expect_counts()
        theirs.expect_counts(visible=1)
    finally:
        other_sqs.delete_queue(QueueUrl=theirs.url)
    queue.expect_counts()


def test_another_regions_queues_are_not_listed(far, queue):
    assert "QueueUrls" not in far.list_queues(QueueNamePrefix=queue.name)
    with refused(NO_QUEUE, "does not exist"):
        far.get_queue_url(QueueName=queue.name)


def test_the_same_name_in_two_regions_is_two_queues(far, queue):
    theirs = Queue(far, queue.name)
    try:
        assert ":eu-west-1:" in theirs.arn and ":us-east-1:" in queue.arn
        theirs.send("far away")
        queue.expect_counts()
        theirs.expect_counts(visible=1)
    finally:
        far.delete_queue(QueueUrl=theirs.url)
    queue.expect_counts()


def test_a_dead_letter_queue_is_in_the_same_region(far, make_queue):
    source, dead = make_queue(), make_queue(client=far)
    with refused("InvalidParameterValue", "RedrivePolicy"):
        source.set(RedrivePolicy='{"deadLetterTargetArn":"%s","maxReceiveCount":1}' % dead.arn)
