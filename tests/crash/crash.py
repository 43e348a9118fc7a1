# SPDX-License-Identifier: Apache-2.0
"""Kills the server at random moments under load, and checks all acknowledged messages.

STOKER_CRASH_ROUNDS   how often the server is killed (50)
STOKER_CRASH_SEED     the seed of the random numbers (random, and printed)
"""
import os
import pathlib
import random
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
import load  # noqa: E402
from ledger import Ledger, check_order  # noqa: E402
from support.raw import Caller, Connection  # noqa: E402
from support.server import Server  # noqa: E402
from support.waiting import PATIENCE_SECONDS, eventually  # noqa: E402

LOAD_SECONDS = (0.2, 0.9)
IDLE_SECONDS = 180  # a drain that receives nothing for so long has failed


def make_queues(caller):
    fifo = {"FifoQueue": "true"}
    queues = {"standard": ("standard", {}), "fifo": ("ordered.fifo", fifo)}
    urls = {}
    for name, (queue, attributes) in queues.items():
        answer = caller.json("CreateQueue", {"QueueName": queue, "Attributes": attributes})
        assert answer.status == 200, answer
        urls[name] = answer.json["QueueUrl"]
    return urls


def counts(caller, connection, url):
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    members = {"QueueUrl": url, "AttributeNames": names}
    shown = connection.exchange(caller.json_bytes("GetQueueAttributes", members)).json["Attributes"]
    return tuple(int(shown[name]) for name in names)


def drain(caller, url, ledger):
    """Receives and deletes all messages of the queue: (body, id) in the order of arrival. Without the deletes a
    FIFO group would block, and a queue stops at 120,000 messages in flight."""
    left, deadline = [], time.monotonic() + IDLE_SECONDS
    ask = {"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 3600, "WaitTimeSeconds": 1}
    with Connection(caller.port) as connection:
        total = sum(counts(caller, connection, url))
        while time.monotonic() < deadline:
            messages = connection.exchange(caller.json_bytes("ReceiveMessage", ask)).json.get("Messages", [])
            left += [(message["Body"], message["MessageId"]) for message in messages]
            if messages:
                deadline = time.monotonic() + IDLE_SECONDS
                entries = [{"Id": f"e{i}", "ReceiptHandle": m["ReceiptHandle"]} for i, m in enumerate(messages)]
                members = {"QueueUrl": url, "Entries": entries}
                connection.exchange(caller.json_bytes("DeleteMessageBatch", members))
            if not messages and counts(caller, connection, url) == (0, 0):
                break
        else:
            ledger.problem(f"{url} gave nothing for {IDLE_SECONDS} s and is not empty: {counts(caller, connection, url)}")
    if total != len(left):
        ledger.problem(f"{url} counted {total} messages and gave {len(left)}")
    return left


def main():
    rounds = int(os.environ.get("STOKER_CRASH_ROUNDS", "50"))
    seed = os.environ.get("STOKER_CRASH_SEED") or str(random.SystemRandom().randrange(1 << 32))
    print(f"crash: seed {seed}, {rounds} rounds", flush=True)
    chance = random.Random(seed)
    ledgers, groups = {"standard": Ledger(), "fifo": Ledger()}, load.Groups()
    server = Server(arguments=["--log-level", "warn"])
    try:
        server.start()
        urls = make_queues(Caller(server))
        for number in range(rounds):
            sent = sum(len(one.sent) for one in ledgers.values())
            threads = load.start(Caller(server), urls, ledgers, groups, number, seed)
            time.sleep(chance.uniform(*LOAD_SECONDS))
            eventually(lambda: sum(len(one.sent) for one in ledgers.values()) > sent and ledgers["standard"].deleted)
            server.kill()
            for thread in threads:
                thread.join(PATIENCE_SECONDS)
                assert not thread.is_alive(), "a thread outlived its server"
            server.start()
        verdict = judge(Caller(server), urls, ledgers, rounds)
        server.stop()
    finally:
        server.remove()
    return verdict


def judge(caller, urls, ledgers, rounds):
    standard, fifo = ledgers["standard"], ledgers["fifo"]
    unasked = standard.check_left("standard", drain(caller, urls["standard"], standard))
    in_order = drain(caller, urls["fifo"], fifo)
    unasked += fifo.check_left("fifo", in_order)
    check_order(fifo, in_order)
    problems = standard.problems + fifo.problems
    for problem in problems:
        print("crash:", problem)
    sent, deleted = (sum(len(getattr(one, what)) for one in ledgers.values()) for what in ("sent", "deleted"))
    left = sum(len(one.tried) - len(one.sent) for one in ledgers.values())
    verdict = "FAILED" if problems else "nothing lost, nothing twice"
    print(
        f"crash: {rounds} rounds, {sent} acknowledged sends ({len(fifo.sent)} in order), {deleted} acknowledged "
        f"deletes, {left} unanswered sends of which {unasked} had arrived: {verdict}"
    )
    if not sent or not deleted:
        print("crash: there was no load")
    return 1 if problems or not sent or not deleted else 0


if __name__ == "__main__":
    sys.exit(main())
