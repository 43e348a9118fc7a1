# SPDX-License-Identifier: Apache-2.0
"""Amazon's own command line."""
import json
import os
import pathlib
import subprocess

import pytest

from support.queues import unique_name

AWS = "/usr/bin/aws"  # Debian's; the machine may have another version


@pytest.fixture(scope="module")
def aws(server):
    """aws(argument...) -> its JSON output; failed(argument...) -> its error output."""
    if not pathlib.Path(AWS).exists():
        pytest.skip("needs Debian's awscli")
    key = server.root_key
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(server.folder),
        "AWS_ACCESS_KEY_ID": key.id,
        "AWS_SECRET_ACCESS_KEY": key.secret,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_PAGER": "",
        "AWS_MAX_ATTEMPTS": "1",
    }

    def run(*arguments, fails=False):
        command = [AWS, "--endpoint-url", server.endpoint, "--output", "json", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else json.loads(done.stdout or "null")

    return run


@pytest.fixture
def url(aws):
    made = aws("sqs", "create-queue", "--queue-name", unique_name(), "--attributes", "VisibilityTimeout=45")
    yield made["QueueUrl"]
    aws("sqs", "delete-queue", "--queue-url", made["QueueUrl"])


def test_a_message_is_sent_and_received(aws, url):
    sent = aws("sqs", "send-message", "--queue-url", url, "--message-body", "from the shell: ü & <>")
    got = aws("sqs", "receive-message", "--queue-url", url, "--attribute-names", "All")["Messages"]
    assert [(m["MessageId"], m["Body"]) for m in got] == [(sent["MessageId"], "from the shell: ü & <>")]
    aws("sqs", "delete-message", "--queue-url", url, "--receipt-handle", got[0]["ReceiptHandle"])
    assert aws("sqs", "receive-message", "--queue-url", url) is None


def test_attributes_are_read_and_counted(aws, url):
    aws("sqs", "send-message", "--queue-url", url, "--message-body", "one")
    shown = aws("sqs", "get-queue-attributes", "--queue-url", url, "--attribute-names", "All")["Attributes"]
    assert shown["VisibilityTimeout"] == "45"
    assert shown["ApproximateNumberOfMessages"] == "1"
    assert shown["QueueArn"].endswith(url.rsplit("/", 1)[1])


def test_a_queue_is_found_listed_and_purged(aws, url):
    name = url.rsplit("/", 1)[1]
    assert aws("sqs", "get-queue-url", "--queue-name", name)["QueueUrl"] == url
    assert aws("sqs", "list-queues", "--queue-name-prefix", name)["QueueUrls"] == [url]
    aws("sqs", "send-message", "--queue-url", url, "--message-body", "one")
    aws("sqs", "purge-queue", "--queue-url", url)
    assert aws("sqs", "receive-message", "--queue-url", url) is None


def test_message_attributes_are_typed(aws, url):
    attribute = '{"n":{"DataType":"Number","StringValue":"5"}}'
    aws("sqs", "send-message", "--queue-url", url, "--message-body", "m", "--message-attributes", attribute)
    (message,) = aws("sqs", "receive-message", "--queue-url", url, "--message-attribute-names", "All")["Messages"]
    assert message["MessageAttributes"] == json.loads(attribute)


def test_a_missing_queue_is_reported(aws):
    error = aws("sqs", "get-queue-url", "--queue-name", unique_name(), fails=True)
    assert "AWS.SimpleQueueService.NonExistentQueue" in error and "does not exist" in error


def test_the_caller_identity(aws, account):
    assert aws("sts", "get-caller-identity")["Account"] == account
