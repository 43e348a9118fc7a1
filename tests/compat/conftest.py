# SPDX-License-Identifier: Apache-2.0
"""One server per session, and stock boto3 clients.

STOKER_COMPAT_ENDPOINT=amazon runs the same tests against Amazon with the
credentials of the environment; tests that need a second account are skipped there.
"""
import os

import boto3
import botocore.config
import pytest

from support.queues import Queue, unique_name
from support.server import Server, create_key

REGION = "us-east-1"
OTHER_REGION = "eu-west-1"
OTHER_ACCOUNT = "210987654321"
# Instances run at once, and nothing runs in them.
MACHINES = ["--provider", "command", "--provider-start", "echo box", "--provider-stop", "true"]


def on_amazon():
    return os.environ.get("STOKER_COMPAT_ENDPOINT") == "amazon"


@pytest.fixture(scope="session")
def server():
    if on_amazon():
        pytest.skip("needs a server of our own")
    with Server(arguments=[*MACHINES, "--webhook-private-networks"]) as running:
        yield running


@pytest.fixture(scope="session")
def connect(request):
    """connect(service, key, region) -> a client; the default is the root key.

    checked=False disables the client's validation; other settings are botocore's.
    """
    running = None if on_amazon() else request.getfixturevalue("server")
    options = {"retries": {"total_max_attempts": 1}, "connect_timeout": 30, "read_timeout": 300}

    def client(service, key=None, region=REGION, checked=True, endpoint=None, **settings):
        config = botocore.config.Config(
            parameter_validation=checked, max_pool_connections=20, **{**options, **settings}
        )
        if on_amazon() and key is None:
            return boto3.client(service, region_name=region, config=config)
        key = key or running.root_key
        return boto3.client(
            service,
            region_name=region,
            config=config,
            endpoint_url=None if on_amazon() else endpoint or running.endpoint,
            aws_access_key_id=key.id,
            aws_secret_access_key=key.secret,
            aws_session_token=key.token,
        )

    return client


@pytest.fixture(scope="session")
def sqs(connect):
    return connect("sqs")


@pytest.fixture(scope="session")
def sts(connect):
    return connect("sts")


@pytest.fixture(scope="session")
def account(sts):
    return sts.get_caller_identity()["Account"]


@pytest.fixture(scope="session")
def other_key(server):
    return create_key(server.data, OTHER_ACCOUNT)


@pytest.fixture(scope="session")
def other_sqs(connect, other_key):
    """The same service for another account."""
    return connect("sqs", other_key)


@pytest.fixture
def make_queue(sqs):
    """make_queue({attributes}, ...) -> a new queue, deleted when the test ends."""
    made = []

    def make(attributes=None, fifo=False, client=None, **more):
        attributes = dict(attributes or {}, **({"FifoQueue": "true"} if fifo else {}))
        queue = Queue(client or sqs, unique_name(".fifo" if fifo else ""), attributes, **more)
        made.append(queue)
        return queue

    yield make
    for queue in made:
        try:
            queue.client.delete_queue(QueueUrl=queue.url)
        except queue.client.exceptions.ClientError:
            pass  # the test deleted it


@pytest.fixture
def queue(make_queue):
    return make_queue()
