# SPDX-License-Identifier: Apache-2.0
"""Short forms of boto3's SQS calls, for one queue."""
import contextlib
import uuid

import botocore.exceptions
import pytest

from support.waiting import eventually

COUNTS = {
    "visible": "ApproximateNumberOfMessages",
    "in_flight": "ApproximateNumberOfMessagesNotVisible",
    "delayed": "ApproximateNumberOfMessagesDelayed",
}


def unique_name(suffix=""):
    return "stoker-test-" + uuid.uuid4().hex[:16] + suffix


class Queue:
    def __init__(self, client, name, attributes=None, **more):
        self.client, self.name = client, name
        self.url = client.create_queue(QueueName=name, Attributes=attributes or {}, **more)["QueueUrl"]

    def attributes(self, *names):
        answer = self.client.get_queue_attributes(QueueUrl=self.url, AttributeNames=list(names or ["All"]))
        return answer.get("Attributes", {})

    def attribute(self, name):
        return self.attributes(name).get(name)

    def set(self, **attributes):
        self.client.set_queue_attributes(QueueUrl=self.url, Attributes=attributes)

    @property
    def arn(self):
        return self.attribute("QueueArn")

    def send(self, body="hello", **more):
        return self.client.send_message(QueueUrl=self.url, MessageBody=body, **more)

    def send_batch(self, entries):
        return self.client.send_message_batch(QueueUrl=self.url, Entries=entries)

    def receive(self, **more):
        return self.client.receive_message(QueueUrl=self.url, **more).get("Messages", [])

    def receive_one(self, **more):
        """The next message."""
        messages = eventually(lambda: self.receive(**{"WaitTimeSeconds": 20, **more}))
        assert len(messages) == 1, f"received {len(messages)} messages"
        return messages[0]

    def receive_all(self, count, **more):
        """Receives `count` messages: on Amazon one receive may return fewer than there are."""
        got = []

        def enough():
            got.extend(self.receive(MaxNumberOfMessages=min(10, count - len(got)), **{"WaitTimeSeconds": 1, **more}))
            return len(got) >= count

        eventually(enough)
        return got

    def delete(self, message):
        self.client.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])

    def hide(self, message, seconds):
        self.client.change_message_visibility(
            QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=seconds
        )

    def counts(self):
        shown = self.attributes(*COUNTS.values())
        return {name: int(shown[attribute]) for name, attribute in COUNTS.items()}

    def expect_counts(self, visible=0, in_flight=0, delayed=0):
        """Waits for these counts: Amazon's may lag, ours are exact at once."""
        wanted = {"visible": visible, "in_flight": in_flight, "delayed": delayed}
        eventually(lambda: self.counts() == wanted or None)


@contextlib.contextmanager
def refused(code, part=""):
    """The calls inside must fail with this code (or one of these) and a message that contains this part."""
    with pytest.raises(botocore.exceptions.ClientError) as caught:
        yield caught
    error = caught.value.response["Error"]
    assert error["Code"] in ((code,) if isinstance(code, str) else code), error
    assert part in error["Message"], error


NO_QUEUE = "AWS.SimpleQueueService.NonExistentQueue"
