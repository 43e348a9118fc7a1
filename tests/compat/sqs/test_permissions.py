# SPDX-License-Identifier: Apache-2.0
"""Access to a queue: policies, AddPermission, RemovePermission, another account."""
import json

import pytest

from support.queues import NO_QUEUE, refused

OTHER = "210987654321"


def statements(queue):
    policy = queue.attribute("Policy")
    return json.loads(policy)["Statement"] if policy else []


def add(sqs, queue, label="label", accounts=(OTHER,), actions=("SendMessage",)):
    sqs.add_permission(QueueUrl=queue.url, Label=label, AWSAccountIds=list(accounts), Actions=list(actions))


def test_a_permission_becomes_a_statement_of_the_policy(sqs, queue, account):
    add(sqs, queue, accounts=[account], actions=["SendMessage", "ReceiveMessage"])
    (statement,) = statements(queue)
    assert statement["Sid"] == "label"
    assert statement["Effect"] == "Allow"
    assert statement["Principal"] == {"AWS": f"arn:aws:iam::{account}:root"}
    assert sorted(statement["Action"]) == ["SQS:ReceiveMessage", "SQS:SendMessage"]
    assert statement["Resource"] == queue.arn


def test_a_label_must_be_unique(sqs, queue, account):
    add(sqs, queue, accounts=[account])
    with refused("InvalidParameterValue", "Value label for parameter Label is invalid. Reason: Already exists."):
        add(sqs, queue, accounts=[account])


def test_a_permission_is_removed_by_its_label(sqs, queue, account):
    add(sqs, queue, "one", accounts=[account])
    add(sqs, queue, "two", accounts=[account])
    sqs.remove_permission(QueueUrl=queue.url, Label="one")
    assert [statement["Sid"] for statement in statements(queue)] == ["two"]


def test_an_unknown_label_cannot_be_removed(sqs, queue):
    with refused("InvalidParameterValue", "can't find label"):
        sqs.remove_permission(QueueUrl=queue.url, Label="nobody")


def test_only_some_actions_can_be_permitted(sqs, queue, account):
    with refused("InvalidParameterValue", "Only the queue owner is allowed to invoke this action"):
        add(sqs, queue, accounts=[account], actions=["CreateQueue"])


def test_seven_actions_at_most(sqs, queue, account):
    actions = ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "GetQueueUrl"]
    actions += ["ListDeadLetterSourceQueues", "PurgeQueue", "ReceiveMessage", "SendMessage"]
    with refused("OverLimit", "8 Actions were found, maximum allowed is 7."):
        add(sqs, queue, accounts=[account], actions=actions)


def test_an_invalid_account_is_rejected(sqs, queue):
    with refused("InvalidParameterValue", "PrincipalId"):
        add(sqs, queue, accounts=["nobody"])


# The following tests need a second account, and so a server of our own.

# Amazon responds with AccessDenied; here such a queue does not exist (docs/compatibility.md).
CLOSED = ("AccessDenied", NO_QUEUE)


def send_as(client, queue):
    return client.send_message(QueueUrl=queue.url, MessageBody="from outside")


def test_another_account_may_not_send(other_sqs, queue):
    with refused(CLOSED):
        send_as(other_sqs, queue)


def test_another_account_cannot_look_up_a_queues_url(other_sqs, queue, account):
    with refused(NO_QUEUE, "does not exist"):
        other_sqs.get_queue_url(QueueName=queue.name, QueueOwnerAWSAccountId=account)


def test_a_permission_allows_another_account_only_its_action(sqs, other_sqs, queue):
    add(sqs, queue, actions=["SendMessage"])
    sent = send_as(other_sqs, queue)
    got = queue.receive_one(AttributeNames=["SenderId"])
    assert got["MessageId"] == sent["MessageId"]
    assert got["Attributes"]["SenderId"] == OTHER
    with refused(CLOSED):
        other_sqs.receive_message(QueueUrl=queue.url)
    sqs.remove_permission(QueueUrl=queue.url, Label="label")
    with refused(CLOSED):
        send_as(other_sqs, queue)


def test_a_permission_covers_the_batch_operation(sqs, other_sqs, queue):
    add(sqs, queue, actions=["SendMessage", "ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility"])
    other_sqs.send_message_batch(QueueUrl=queue.url, Entries=[{"Id": "a", "MessageBody": "m"}])
    (message,) = other_sqs.receive_message(QueueUrl=queue.url, WaitTimeSeconds=20)["Messages"]
    entry = {"Id": "a", "ReceiptHandle": message["ReceiptHandle"]}
    other_sqs.change_message_visibility_batch(QueueUrl=queue.url, Entries=[{**entry, "VisibilityTimeout": 60}])
    other_sqs.delete_message_batch(QueueUrl=queue.url, Entries=[entry])
    queue.expect_counts()


def test_a_permitted_account_can_look_up_the_url(sqs, other_sqs, queue, account):
    add(sqs, queue, actions=["GetQueueUrl"])
    found = other_sqs.get_queue_url(QueueName=queue.name, QueueOwnerAWSAccountId=account)
    assert found["QueueUrl"] == queue.url


def test_a_permission_never_covers_the_owners_operations(sqs, other_sqs, queue):
    add(sqs, queue, actions=["*"])
    send_as(other_sqs, queue)
    other_sqs.get_queue_attributes(QueueUrl=queue.url, AttributeNames=["All"])
    owners = [
        lambda: other_sqs.set_queue_attributes(QueueUrl=queue.url, Attributes={"DelaySeconds": "1"}),
        lambda: other_sqs.tag_queue(QueueUrl=queue.url, Tags={"a": "b"}),
        lambda: add(other_sqs, queue, "mine"),
    ]
    for attempt in owners:
        with pytest.raises(other_sqs.exceptions.ClientError):
            attempt()
    assert queue.attribute("DelaySeconds") == "0"


def set_policy(queue, *statements_):
    base = {"Principal": "*", "Resource": queue.arn}
    queue.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [{**base, **one} for one in statements_]}))


def test_a_policy_may_allow_everybody(other_sqs, queue):
    set_policy(queue, {"Effect": "Allow", "Action": "sqs:*"})
    send_as(other_sqs, queue)
    assert other_sqs.receive_message(QueueUrl=queue.url, WaitTimeSeconds=20)["Messages"]


def test_a_deny_overrides_an_allow(other_sqs, queue):
    set_policy(queue, {"Effect": "Allow", "Action": "sqs:*"}, {"Effect": "Deny", "Action": "sqs:SendMessage"})
    with refused("AccessDenied"):
        send_as(other_sqs, queue)
    other_sqs.receive_message(QueueUrl=queue.url)


def test_a_deny_applies_to_the_owner_who_can_remove_it(queue):
    set_policy(queue, {"Effect": "Deny", "Action": "sqs:SendMessage"})
    with refused("AccessDenied", "sqs:"):
        queue.send()
    queue.set(Policy="")
    queue.send()


def test_a_condition_narrows_a_permission(other_sqs, queue, account):
    only = {"Effect": "Allow", "Action": "sqs:SendMessage"}
    set_policy(queue, {**only, "Condition": {"StringEquals": {"aws:PrincipalAccount": account}}})
    with refused(CLOSED):
        send_as(other_sqs, queue)
    set_policy(queue, {**only, "Condition": {"StringEquals": {"aws:PrincipalAccount": OTHER}}})
    send_as(other_sqs, queue)


def test_a_statement_for_another_queue_has_no_effect(other_sqs, make_queue):
    one, other = make_queue(), make_queue()
    set_policy(one, {"Effect": "Allow", "Action": "sqs:*", "Resource": other.arn})
    with refused(CLOSED):
        send_as(other_sqs, one)
