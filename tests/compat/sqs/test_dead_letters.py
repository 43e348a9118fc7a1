# SPDX-License-Identifier: Apache-2.0
"""Dead-letter queues: redrive policies and redrive permissions."""
import json

import pytest

from support.queues import refused, unique_name


def redrive(arn, count=1):
    return json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": count})


@pytest.fixture
def dead(make_queue):
    return make_queue()


def bury(source, body="doomed"):
    """Sends a message and makes it a dead letter by one receive."""
    sent = source.send(body)
    source.receive_one(VisibilityTimeout=0)
    assert source.receive() == []
    return sent


def test_the_redrive_policy_is_returned_unchanged(make_queue, dead):
    source = make_queue({"RedrivePolicy": redrive(dead.arn, 5)})
    assert json.loads(source.attribute("RedrivePolicy")) == {"deadLetterTargetArn": dead.arn, "maxReceiveCount": 5}
    source.set(RedrivePolicy="")
    assert source.attributes("RedrivePolicy") == {}


def test_the_receive_count_may_be_a_string(make_queue, dead):
    source = make_queue({"RedrivePolicy": redrive(dead.arn, "7")})
    assert int(json.loads(source.attribute("RedrivePolicy"))["maxReceiveCount"]) == 7


def test_a_message_moves_after_its_last_allowed_receive(make_queue, dead):
    source = make_queue({"RedrivePolicy": redrive(dead.arn, 2)})
    sent = source.send("doomed", MessageAttributes={"a": {"DataType": "String", "StringValue": "kept"}})
    for _ in range(2):
        source.receive_one(VisibilityTimeout=0)
    assert source.receive() == []
    got = dead.receive_one(AttributeNames=["All"], MessageAttributeNames=["All"])
    assert (got["MessageId"], got["Body"]) == (sent["MessageId"], "doomed")
    assert got["MessageAttributes"]["a"]["StringValue"] == "kept"
    assert got["Attributes"]["DeadLetterQueueSourceArn"] == source.arn
    assert got["Attributes"]["ApproximateReceiveCount"] == "3"
    source.expect_counts()


def test_a_queue_may_be_its_own_dead_letter_queue(queue):
    queue.set(RedrivePolicy=redrive(queue.arn))
    sent = queue.send("again")
    for _ in range(3):
        assert queue.receive_one(VisibilityTimeout=0)["MessageId"] == sent["MessageId"]
    queue.delete(queue.receive_one())
    queue.expect_counts()


def test_a_dead_letter_keeps_its_sent_timestamp(make_queue, dead):
    source = make_queue({"RedrivePolicy": redrive(dead.arn)})
    source.send()
    first = source.receive_one(VisibilityTimeout=0, AttributeNames=["SentTimestamp"])
    assert source.receive() == []
    later = dead.receive_one(AttributeNames=["SentTimestamp"])
    assert later["Attributes"]["SentTimestamp"] == first["Attributes"]["SentTimestamp"]


def test_a_live_message_behind_a_dead_one_is_received(make_queue, dead):
    source = make_queue({"RedrivePolicy": redrive(dead.arn)})
    source.send("doomed")
    source.receive_one(VisibilityTimeout=0)
    source.send("alive")
    assert source.receive_one()["Body"] == "alive"
    assert dead.receive_one()["Body"] == "doomed"


def test_messages_go_to_a_fifo_dead_letter_queue_in_order(make_queue):
    dead = make_queue(fifo=True)
    source = make_queue({"ContentBasedDeduplication": "true", "RedrivePolicy": redrive(dead.arn)}, fifo=True)
    for body in "abc":
        source.send(body, MessageGroupId="g")
    assert len(source.receive_all(3, VisibilityTimeout=0)) == 3
    assert source.receive() == []
    got = dead.receive_all(3, AttributeNames=["All"])
    assert [message["Body"] for message in got] == ["a", "b", "c"]
    assert {message["Attributes"]["MessageGroupId"] for message in got} == {"g"}
    assert {message["Attributes"]["DeadLetterQueueSourceArn"] for message in got} == {source.arn}


INVALID = [
    ("{", "Redrive policy is not a valid JSON map"),
    ("[]", "Redrive policy is not a valid JSON map"),
    ('{"maxReceiveCount":1}', "deadLetterTargetArn"),
    ('{"deadLetterTargetArn":"%s"}', "maxReceiveCount"),
    ('{"deadLetterTargetArn":"%s","maxReceiveCount":0}', "maxReceiveCount"),
    ('{"deadLetterTargetArn":"%s","maxReceiveCount":1001}', "maxReceiveCount"),
    ('{"deadLetterTargetArn":"%s","maxReceiveCount":"many"}', "maxReceiveCount"),
    ('{"deadLetterTargetArn":"%s-not","maxReceiveCount":1}', "Dead letter target does not exist"),
    ('{"deadLetterTargetArn":"words","maxReceiveCount":1}', "deadLetterTargetArn"),
]


@pytest.mark.parametrize("text,part", INVALID)
def test_an_invalid_redrive_policy_is_rejected(sqs, queue, dead, text, part):
    text = text.replace("%s", dead.arn)
    with refused("InvalidParameterValue", part):
        queue.set(RedrivePolicy=text)
    with refused("InvalidParameterValue", part):
        sqs.create_queue(QueueName=unique_name(), Attributes={"RedrivePolicy": text})


def test_source_and_dead_letter_queue_must_have_the_same_type(make_queue):
    standard, fifo = make_queue(), make_queue(fifo=True)
    for source, target in ((standard, fifo), (fifo, standard)):
        with refused("InvalidParameterValue", "Dead-letter queue must be same type of queue as the source"):
            source.set(RedrivePolicy=redrive(target.arn))


def test_a_dead_letter_queue_may_deny_all_sources(make_queue):
    dead = make_queue({"RedriveAllowPolicy": '{"redrivePermission":"denyAll"}'})
    with refused("InvalidParameterValue", "RedrivePolicy"):
        make_queue().set(RedrivePolicy=redrive(dead.arn))


def test_a_dead_letter_queue_may_allow_only_listed_sources(make_queue):
    named, other = make_queue(), make_queue()
    allow = {"redrivePermission": "byQueue", "sourceQueueArns": [named.arn]}
    dead = make_queue({"RedriveAllowPolicy": json.dumps(allow)})
    assert json.loads(dead.attribute("RedriveAllowPolicy")) == allow
    named.set(RedrivePolicy=redrive(dead.arn))
    with refused("InvalidParameterValue", "RedrivePolicy"):
        other.set(RedrivePolicy=redrive(dead.arn))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        '{"redrivePermission":"sometimes"}',
        '{"redrivePermission":"byQueue"}',
        '{"redrivePermission":"byQueue","sourceQueueArns":[]}',
        '{"redrivePermission":"byQueue","sourceQueueArns":["words"]}',
        '{"redrivePermission":"allowAll","sourceQueueArns":["arn:aws:sqs:us-east-1:123456789012:q"]}',
        json.dumps(
            {
                "redrivePermission": "byQueue",
                "sourceQueueArns": [f"arn:aws:sqs:us-east-1:123456789012:q{i}" for i in range(11)],
            }
        ),
    ],
)
def test_an_invalid_redrive_allow_policy_is_rejected(queue, text):
    with refused("InvalidParameterValue", "RedriveAllowPolicy"):
        queue.set(RedriveAllowPolicy=text)


def sources_of(sqs, dead, **more):
    return sqs.list_dead_letter_source_queues(QueueUrl=dead.url, **more)


def test_a_dead_letter_queues_sources_are_listed(sqs, make_queue, dead):
    assert sources_of(sqs, dead).get("queueUrls", []) == []
    sources = [make_queue({"RedrivePolicy": redrive(dead.arn)}) for _ in range(3)]
    assert sorted(sources_of(sqs, dead)["queueUrls"]) == sorted(source.url for source in sources)


def test_sources_are_listed_page_by_page(sqs, make_queue, dead):
    sources = [make_queue({"RedrivePolicy": redrive(dead.arn)}) for _ in range(3)]
    first = sources_of(sqs, dead, MaxResults=2)
    second = sources_of(sqs, dead, MaxResults=2, NextToken=first["NextToken"])
    assert (len(first["queueUrls"]), len(second["queueUrls"])) == (2, 1)
    assert sorted(first["queueUrls"] + second["queueUrls"]) == sorted(source.url for source in sources)
    assert "NextToken" not in second
