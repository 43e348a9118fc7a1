# SPDX-License-Identifier: Apache-2.0
"""A long poll that is known to wait."""
import json

from support.waiting import eventually


def call(caller, operation, **members):
    answer = caller.json(operation, members)
    assert answer.status == 200, answer
    return answer.json


def attribute(caller, url, name):
    return call(caller, "GetQueueAttributes", QueueUrl=url, AttributeNames=[name])["Attributes"][name]


def start_poll(caller, connection, name, **more):
    """Sends a ReceiveMessage of 20 seconds on `connection`, for a new queue, and returns the queue's URL as soon as
    the server has run the request, which then waits. `more`: members of the request.

    A request that waits shows nothing of itself. So the queue holds a message that was received as often as its
    redrive policy allows: the poll moves it to the dead-letter queue, whose count shows that the poll has run.
    """
    dead = call(caller, "CreateQueue", QueueName=name + "-dead")["QueueUrl"]
    policy = json.dumps({"deadLetterTargetArn": attribute(caller, dead, "QueueArn"), "maxReceiveCount": 1})
    url = call(caller, "CreateQueue", QueueName=name, Attributes={"RedrivePolicy": policy})["QueueUrl"]
    call(caller, "SendMessage", QueueUrl=url, MessageBody="received too often")
    assert call(caller, "ReceiveMessage", QueueUrl=url, VisibilityTimeout=0)["Messages"]
    connection.send(caller.json_bytes("ReceiveMessage", {"QueueUrl": url, "WaitTimeSeconds": 20, **more}))
    eventually(lambda: attribute(caller, dead, "ApproximateNumberOfMessages") == "1")
    return url
