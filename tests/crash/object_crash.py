# SPDX-License-Identifier: Apache-2.0
"""Kills the server at random moments while objects are written, and checks every acknowledged byte.

STOKER_CRASH_ROUNDS   how often the server is killed (20)
STOKER_CRASH_SEED     the seed of the random numbers (random, and printed)
"""
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import sys
import time
import urllib.parse
import xml.etree.ElementTree

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
import object_load  # noqa: E402
from object_ledger import Ledger  # noqa: E402
from support.raw import Caller, Connection  # noqa: E402
from support.s3_raw import S3Caller  # noqa: E402
from support.server import Server, run_stoker  # noqa: E402
from support.waiting import PATIENCE_SECONDS, eventually  # noqa: E402

LOAD_SECONDS = (0.2, 0.9)
BUCKET = "crash-objects"


def make(server):
    """Creates a bucket that publishes all its events to a queue; returns the queue's URL."""
    caller, s3 = Caller(server), S3Caller(server)
    url = caller.json("CreateQueue", {"QueueName": "events"}).json["QueueUrl"]
    shown = caller.json("GetQueueAttributes", {"QueueUrl": url, "AttributeNames": ["QueueArn"]})
    arn = shown.json["Attributes"]["QueueArn"]
    statement = {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage", "Resource": arn}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    caller.json("SetQueueAttributes", {"QueueUrl": url, "Attributes": {"Policy": policy}})
    events = "<Event>s3:ObjectCreated:*</Event><Event>s3:ObjectRemoved:*</Event>"
    body = f"<NotificationConfiguration><QueueConfiguration><Queue>{arn}</Queue>{events}</QueueConfiguration></NotificationConfiguration>"
    assert s3.call("PUT", f"/{BUCKET}").status == 200
    answer = s3.call("PUT", f"/{BUCKET}?notification", body.encode())
    assert answer.status == 200, answer
    return url


def listed_keys(s3):
    keys, token = [], ""
    while True:
        answer = s3.call("GET", f"/{BUCKET}?{token}list-type=2")
        root = xml.etree.ElementTree.fromstring(answer.body)
        space = root.tag.partition("}")[0] + "}"
        keys += [(one.find(f"{space}Key").text, int(one.find(f"{space}Size").text)) for one in root.iter(f"{space}Contents")]
        if root.find(f"{space}IsTruncated").text != "true":
            return keys
        token = "continuation-token=" + urllib.parse.quote(root.find(f"{space}NextContinuationToken").text, safe="") + "&"


def read_all(s3, ledger):
    """key -> (etag, body) of all listed objects."""
    found = {}
    with Connection(s3.port) as connection:
        for key, size in listed_keys(s3):
            answer = connection.exchange(s3.bytes("GET", f"/{BUCKET}/{key}"))
            if answer.status != 200 or len(answer.body) != size:
                ledger.problem(f"{key} is listed with {size} bytes and answers {answer.status} with {len(answer.body)}")
                continue
            found[key] = (answer.headers["etag"].strip('"'), answer.body)
    return found


def drain(caller, url):
    """Every event in the queue: (name, key, etag)."""
    events, empty = [], 0
    ask = {"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 3600}
    with Connection(caller.port) as connection:
        while empty < 2:
            messages = connection.exchange(caller.json_bytes("ReceiveMessage", ask)).json.get("Messages", [])
            empty = 0 if messages else empty + 1
            for message in messages:
                for record in json.loads(message["Body"]).get("Records", []):
                    item = record["s3"]["object"]
                    etag = item.get("eTag") if record["eventName"].startswith("ObjectCreated") else None
                    events.append((record["eventName"], urllib.parse.unquote_plus(item["key"]), etag))
    return events


def finish_uploads(s3, ledger):
    """Acknowledged parts exist, and their uploads can be completed."""
    finished = 0
    for (key, upload), parts in ledger.parts.items():
        if not parts:
            continue
        listed = s3.call("GET", f"/{BUCKET}/{key}?uploadId={upload}")
        if listed.status != 200:
            ledger.problem(f"the upload of {key} is gone: {listed}")
            continue
        missing = [n for n, (etag, _) in parts.items() if etag.strip('"').encode() not in listed.body]
        if missing:
            ledger.problem(f"parts {missing} of {key} were acknowledged and are gone")
            continue
        done = s3.call("POST", f"/{BUCKET}/{key}?uploadId={upload}", object_load.completion(parts))
        got = s3.call("GET", f"/{BUCKET}/{key}")
        if done.status != 200 or got.body != b"".join(parts[n][1] for n in sorted(parts)):
            ledger.problem(f"{key}: its parts make {got}")
        s3.call("DELETE", f"/{BUCKET}/{key}")
        finished += 1
    return finished


def check_incoming(server, ledger):
    left = list((server.data / "objects" / "incoming").iterdir())
    if left:
        ledger.problem(f"{len(left)} files were left in incoming: {left[:3]}")


def scrub(server, ledger):
    """The server's own check of its objects."""
    done = run_stoker("scrub", "--data", server.data, timeout=600)
    if done.returncode != 0:
        ledger.problem(f"scrub ended with {done.returncode}: {done.stdout[-500:]} {done.stderr[-500:]}")


def check_files(server, ledger):
    """Every file has a row, and every row has its file. The server has stopped."""
    with contextlib.closing(sqlite3.connect(f"file:{server.data / 'stoker.db'}?mode=ro", uri=True)) as database:
        rows = {name: (size, refs) for name, size, refs in database.execute("SELECT file, size, refs FROM s3_blobs")}
    rows.pop(None, None)
    files = {path.name: path.stat().st_size for path in (server.data / "objects").rglob("*") if path.is_file()}
    for name in files.keys() - rows.keys():
        ledger.problem(f"the file {name} is nobody's")
    for name, (size, refs) in rows.items():
        if files.get(name) != size and (refs or name in files):  # an unused file is deleted before its row
            ledger.problem(f"the file {name} has {files.get(name)} bytes, not {size}")
    return len(files)


def main():
    rounds = int(os.environ.get("STOKER_CRASH_ROUNDS", "20"))
    seed = os.environ.get("STOKER_CRASH_SEED") or str(random.SystemRandom().randrange(1 << 32))
    print(f"crash: objects, seed {seed}, {rounds} rounds", flush=True)
    chance, ledger = random.Random(seed), Ledger()
    server = Server(arguments=["--log-level", "warn"])
    try:
        server.start()
        url = make(server)
        for number in range(rounds):
            before = ledger.counts()[1]
            threads = object_load.start(S3Caller(server), BUCKET, ledger, number, seed)
            time.sleep(chance.uniform(*LOAD_SECONDS))
            eventually(lambda: ledger.counts()[1] > before)
            server.kill()
            for thread in threads:
                thread.join(PATIENCE_SECONDS)
                assert not thread.is_alive(), "a thread outlived its server"
            server.start()
            check_incoming(server, ledger)
        verdict = judge(server, url, ledger, rounds)
    finally:
        server.remove()
    return verdict


def judge(server, url, ledger, rounds):
    s3 = S3Caller(server)
    found = read_all(s3, ledger)
    shown = ledger.check_objects(found)
    events = drain(Caller(server), url)
    ledger.check_events(events, shown)
    finished = finish_uploads(s3, ledger)
    eventually(lambda: not list((server.data / "objects" / "incoming").iterdir()))
    scrub(server, ledger)
    server.stop()
    files = check_files(server, ledger)
    for problem in ledger.problems:
        print("crash:", problem)
    tried, acknowledged = ledger.counts()
    verdict = "FAILED" if ledger.problems else "nothing lost, nothing half"
    print(
        f"crash: objects, {rounds} rounds, {acknowledged} acknowledged writes of {tried}, {len(found)} objects of "
        f"{sum(len(body) for _, body in found.values()) >> 20} MiB, {files} files, {len(events)} events, {finished} uploads resumed: "
        f"{verdict}"
    )
    if acknowledged < rounds:
        print("crash: there was no load")
    return 1 if ledger.problems or acknowledged < rounds else 0


if __name__ == "__main__":
    sys.exit(main())
