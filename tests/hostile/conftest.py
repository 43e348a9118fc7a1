# SPDX-License-Identifier: Apache-2.0
"""One server per session, which must be healthy after every test."""
import pytest

from support.job_requests import Jobs, Pipelines
from support.raw import Caller, exchange, request_bytes
from support.s3_raw import S3Caller
from support.server import Server


@pytest.fixture(scope="session")
def server():
    with Server() as running:
        yield running


@pytest.fixture(autouse=True)
def server_stays_healthy(request):
    yield
    if "server" not in request.fixturenames:
        return
    server = request.getfixturevalue("server")
    assert server.alive, server.log.read_text(errors="replace")[-2000:]
    answer = exchange(server.port, request_bytes("GET", "/health", {"Host": "localhost", "Connection": "close"}))
    assert answer is not None and answer.status == 200, answer
    assert not server.findings(), server.findings()


@pytest.fixture(scope="session")
def caller(server):
    return Caller(server)


@pytest.fixture(scope="session")
def url(caller):
    """A queue for all tests."""
    answer = caller.json("CreateQueue", {"QueueName": "hostile"})
    assert answer.status == 200, answer
    return answer.json["QueueUrl"]


@pytest.fixture
def send(server):
    """send(bytes) -> the response, on its own connection."""
    return lambda data: exchange(server.port, data)


@pytest.fixture(scope="session")
def s3(server):
    return S3Caller(server)


@pytest.fixture(scope="session")
def bucket(s3):
    """The path of a bucket for all tests."""
    answer = s3.call("PUT", "/hostile-bucket")
    assert answer.status == 200, answer
    return "/hostile-bucket"


@pytest.fixture(scope="session")
def pipelines(server):
    return Pipelines(server)


@pytest.fixture(scope="session")
def jobs(server, pipelines):
    """A pipeline without workers, and a key of it."""
    _, secret = pipelines.create("hostile")
    return Jobs(server, "hostile", secret)


@pytest.fixture(scope="session")
def other_jobs(server, pipelines):
    """Another pipeline of the same account."""
    _, secret = pipelines.create("hostile-other")
    return Jobs(server, "hostile-other", secret)


@pytest.fixture
def no_new_job(jobs):
    """What the test submits is not accepted, not even in part."""
    before = jobs.ids()
    yield
    assert jobs.ids() == before
