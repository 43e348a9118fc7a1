# SPDX-License-Identifier: Apache-2.0
"""Threads that use a bucket until the server is killed."""
import random
import threading

from object_ledger import GONE, body_of, etag_of
from support.raw import Connection

PUT, COPY, COMPLETE = "ObjectCreated:Put", "ObjectCreated:Copy", "ObjectCreated:CompleteMultipartUpload"
DELETE = "ObjectRemoved:Delete"
PART = 5 << 20
SMALL = (1, 50, 2000, 30_000, 65_000)  # a row of the database
LARGE = (66_000, 200_000, 1_500_000)  # a file


class Gone(Exception):
    """The server was killed, and the connection with it."""


class Session:
    """One thread's connection, its random numbers and its keys."""

    def __init__(self, s3, bucket, ledger, prefix, seed):
        self.s3, self.bucket, self.ledger, self.prefix = s3, bucket, ledger, prefix
        self.random = random.Random(seed)
        self.connection = Connection(s3.port)

    def call(self, method, key, body=b"", wanted=200, **more):
        try:
            answer = self.connection.exchange(self.s3.bytes(method, f"/{self.bucket}/{key}", body, **more))
        except OSError as error:
            raise Gone from error
        if answer is None:
            raise Gone
        if answer.status != wanted:
            self.ledger.problem(f"{method} {key} answered {answer}")
            raise Gone
        if len(answer.body) < int(answer.headers.get("content-length", "0")):
            raise Gone  # killed during the response
        return answer

    def put(self, key, token, size):
        body = body_of(token, size)
        attempt = self.ledger.attempt(key, token, PUT, etag_of(body, 0))
        self.call("PUT", key, body)
        attempt.acknowledged = True
        return attempt


def put_new(session, n, sizes):
    key = f"{session.prefix}-{n}"
    session.put(key, key, session.random.choice(sizes))


def overwrite(session, n):
    """Overwrites a few keys, with small and large objects."""
    session.put(f"{session.prefix.split('-')[1]}-over{n % 3}", f"{session.prefix}-{n}", session.random.choice(SMALL + LARGE))


def put_and_delete(session, n):
    key = f"{session.prefix}-{n}"
    session.put(key, key, session.random.choice(SMALL + LARGE))
    attempt = session.ledger.attempt(key, GONE, DELETE)
    session.call("DELETE", key, wanted=204)
    attempt.acknowledged = True


def put_and_copy(session, n):
    """A copy shares the bytes of its source, which is then deleted."""
    source, copy = f"{session.prefix}-{n}", f"{session.prefix}-{n}-copy"
    made = session.put(source, source, session.random.choice(SMALL + LARGE))
    attempt = session.ledger.attempt(copy, source, COPY, made.etag)
    session.call("PUT", copy, headers={"X-Amz-Copy-Source": f"/{session.bucket}/{source}"})
    attempt.acknowledged = True
    gone = session.ledger.attempt(source, GONE, DELETE)
    session.call("DELETE", source, wanted=204)
    gone.acknowledged = True


def upload_in_parts(session, n):
    key = f"{session.prefix}-{n}"
    part_size = PART if n % 4 == 3 else 300_000
    whole = body_of(key, PART + 70_000 if part_size == PART else 100_000)
    upload = session.call("POST", f"{key}?uploads").body.split(b"<UploadId>")[1].split(b"</UploadId>")[0].decode()
    parts = session.ledger.parts.setdefault((key, upload), {})
    for number, at in enumerate(range(0, len(whole), part_size), 1):
        piece = whole[at : at + part_size]
        answer = session.call("PUT", f"{key}?partNumber={number}&uploadId={upload}", piece)
        parts[number] = (answer.headers["etag"], piece)
    fate = session.random.random()
    if fate < 0.2:
        return  # judge() completes it
    if fate < 0.4:
        del session.ledger.parts[(key, upload)]
        session.call("DELETE", f"{key}?uploadId={upload}", wanted=204)
        return
    attempt = session.ledger.attempt(key, key, COMPLETE, etag_of(whole, part_size))
    del session.ledger.parts[(key, upload)]
    session.call("POST", f"{key}?uploadId={upload}", completion(parts))
    attempt.acknowledged = True


def completion(parts):
    listed = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{parts[n][0]}</ETag></Part>" for n in sorted(parts))
    return f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()


JOBS = {
    "small": lambda s, n: put_new(s, n, SMALL),
    "little": lambda s, n: put_new(s, n, SMALL),
    "large": lambda s, n: put_new(s, n, LARGE),
    "again": overwrite,
    "gone": put_and_delete,
    "copied": put_and_copy,
    "parts": upload_in_parts,
}


def start(s3, bucket, ledger, round_number, seed):
    """The threads of one round; each ends when the server does."""

    def run(name, job):
        try:
            session = Session(s3, bucket, ledger, f"r{round_number}-{name}", f"{seed}/{round_number}/{name}")
            with session.connection:
                for n in range(1_000_000):
                    job(session, n)
        except (Gone, OSError):
            pass
        except Exception as error:  # a mistake in the test must not look like a normal end
            ledger.problem(f"a thread failed: {error!r}")

    threads = [threading.Thread(target=run, args=item) for item in JOBS.items()]
    for thread in threads:
        thread.start()
    return threads
