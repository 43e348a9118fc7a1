# SPDX-License-Identifier: Apache-2.0
"""Buckets for one test each, clients of several kinds, and requests like a browser's."""
import os
import pathlib
import socket
import subprocess
import urllib.error
import urllib.request

import pytest

from support.buckets import Bucket
from support.s3_raw import S3Caller

AWS = "/usr/bin/aws"  # Debian's; the machine may have another version


@pytest.fixture(scope="session")
def s3(connect):
    return connect("s3")


@pytest.fixture(scope="session")
def s3_v4(connect):
    """Presigns with Signature Version 4; boto3's default in old regions is version 2."""
    return connect("s3", signature_version="s3v4")


@pytest.fixture(scope="session")
def other_s3(connect, other_key):
    """The same service for another account."""
    return connect("s3", other_key)


@pytest.fixture
def make_bucket(s3):
    """make_bucket() -> a new bucket, emptied and deleted when the test ends."""
    made = []

    def make(name=None, client=None, **more):
        bucket = Bucket(client or s3, name, **more)
        made.append(bucket)
        return bucket

    yield make
    for bucket in made:
        bucket.remove()


@pytest.fixture
def bucket(make_bucket):
    return make_bucket()


@pytest.fixture
def versioned(bucket):
    bucket.set_versioning("Enabled")
    return bucket


@pytest.fixture(scope="session")
def raw(server):
    """Requests by hand."""
    return S3Caller(server)


class Fetched:
    def __init__(self, answer):
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()

    def __repr__(self):
        return f"<{self.status} {self.body[:500]!r}>"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.fixture(scope="session")
def fetch():
    """fetch(method, url, body, headers) -> the answer: HTTP without any key, as browsers and curl speak it."""
    opener = urllib.request.build_opener(_NoRedirects)

    def send(method, url, body=None, headers=None):
        request = urllib.request.Request(url, data=body, headers=headers or {}, method=method)
        if body is not None and not request.has_header("Content-type"):
            request.add_header("Content-Type", "")  # urllib would say that it is a form
        try:
            with opener.open(request, timeout=300) as answer:
                return Fetched(answer)
        except urllib.error.HTTPError as error:
            return Fetched(error)

    return send


@pytest.fixture
def local_names(monkeypatch):
    """*.localhost is this machine, as browsers and most resolvers have it; Debian's has not always."""
    resolve = socket.getaddrinfo

    def look_up(host, *arguments, **more):
        name = host.decode() if isinstance(host, bytes) else host
        return resolve("127.0.0.1" if name and name.endswith(".localhost") else host, *arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.fixture(scope="session")
def aws(server):
    """aws(argument...) -> what it wrote; with fails=True what it wrote to standard error."""
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
        "LC_ALL": "C.UTF-8",
    }

    def run(*arguments, fails=False, given=None, binary=False):
        command = [AWS, "--endpoint-url", server.endpoint, *map(str, arguments)]
        done = subprocess.run(command, env=environment, input=given, capture_output=True, timeout=300)
        assert (done.returncode != 0) == fails, done.stderr.decode() + done.stdout.decode()
        output = done.stderr if fails else done.stdout
        return output if binary else output.decode()

    return run
