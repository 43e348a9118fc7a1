# SPDX-License-Identifier: Apache-2.0
"""Threads that use the queues until the server is killed."""
import random
import threading
import time

from ledger import body_of, check_order, token_of
from support.raw import Connection

VISIBILITY_SECONDS = 5
SURE_SECONDS = 3  # a younger handle is current: nobody else can have received the message
SIZES = (20, 20, 20, 500, 1900, 2100, 9000)  # around the size from which bodies are in a separate table


class Gone(Exception):
    """The server was killed, and the connection with it."""


class Session:
    """One thread's connection and its random numbers."""

    def __init__(self, caller, ledger, seed):
        self.caller, self.ledger, self.random = caller, ledger, random.Random(seed)
        self.connection = Connection(caller.port)

    def call(self, operation, members, since=None):
        """`since`: when the handle was received; after its timeout the call may fail."""
        try:
            answer = self.connection.exchange(self.caller.json_bytes(operation, members))
        except OSError as error:
            raise Gone from error
        if answer is None:
            raise Gone
        if answer.status == 400 and since and time.monotonic() - since >= SURE_SECONDS:
            raise Gone
        if answer.status != 200:
            self.ledger.problem(f"{operation} answered {answer}")
            raise Gone
        try:
            return answer.json
        except ValueError as error:  # killed during the response
            raise Gone from error

    def receive(self, url, most):
        members = {"QueueUrl": url, "MaxNumberOfMessages": most, "VisibilityTimeout": VISIBILITY_SECONDS}
        return self.call("ReceiveMessage", {**members, "WaitTimeSeconds": 1}).get("Messages", [])


def send_one(session, url, token):
    session.ledger.try_send([token])
    body = body_of(token, session.random.choice(SIZES))
    answer = session.call("SendMessage", {"QueueUrl": url, "MessageBody": body})
    session.ledger.acknowledge_send(token, answer["MessageId"])


def send_several(session, url, tokens):
    session.ledger.try_send(tokens)
    entries = [{"Id": f"e{i}", "MessageBody": body_of(token, 100)} for i, token in enumerate(tokens)]
    answer = session.call("SendMessageBatch", {"QueueUrl": url, "Entries": entries})
    for entry in answer.get("Successful", []):
        session.ledger.acknowledge_send(tokens[int(entry["Id"][1:])], entry["MessageId"])
    if answer.get("Failed"):
        session.ledger.problem(f"a batch failed in part: {answer['Failed']}")


def receive_and_delete(session, url):
    began = time.monotonic()
    messages = session.receive(url, session.random.randint(1, 10))
    chosen = [message for message in messages if session.random.random() < 0.8]
    if not chosen:
        return
    tokens = [token_of(message["Body"]) for message in chosen]
    session.ledger.try_delete(tokens)
    if len(chosen) > 1 and session.random.random() < 0.5:
        entries = [{"Id": f"e{i}", "ReceiptHandle": m["ReceiptHandle"]} for i, m in enumerate(chosen)]
        answer = session.call("DeleteMessageBatch", {"QueueUrl": url, "Entries": entries})
        done = [tokens[int(entry["Id"][1:])] for entry in answer.get("Successful", [])]
    else:
        done = tokens[:1]
        session.call("DeleteMessage", {"QueueUrl": url, "ReceiptHandle": chosen[0]["ReceiptHandle"]})
    if time.monotonic() - began < SURE_SECONDS:
        session.ledger.acknowledge_delete(done)


class Groups:
    """Each FIFO sender has a group, and repeats an unacknowledged message before the next one."""

    def __init__(self):
        self.next = {}

    def send(self, session, url, group):
        number = self.next.get(group, 0)
        token = f"{group}-{number}"
        session.ledger.try_send([token])
        members = {"MessageGroupId": group, "MessageDeduplicationId": token, "MessageBody": body_of(token, 50)}
        answer = session.call("SendMessage", {"QueueUrl": url, **members})
        session.ledger.acknowledge_send(token, answer["MessageId"])
        self.next[group] = number + 1


def receive_in_order(session, url):
    """Deletes the first of the received messages; the others are received again, in order."""
    began = time.monotonic()
    messages = session.receive(url, 5)
    check_order(session.ledger, [(message["Body"], message["MessageId"]) for message in messages])
    for message in messages[: session.random.randint(1, 5)]:
        token = token_of(message["Body"])
        session.ledger.try_delete([token])
        session.call("DeleteMessage", {"QueueUrl": url, "ReceiptHandle": message["ReceiptHandle"]}, since=began)
        if time.monotonic() - began >= SURE_SECONDS:
            return
        session.ledger.acknowledge_delete([token])


def start(caller, urls, ledgers, groups, round_number, seed):
    """The threads of one round; each ends when the server does."""
    standard, fifo = urls["standard"], urls["fifo"]
    prefix = f"r{round_number}"
    jobs = [
        ("standard", lambda s, n: send_one(s, standard, f"{prefix}a{n}")),
        ("standard", lambda s, n: send_one(s, standard, f"{prefix}b{n}")),
        ("standard", lambda s, n: send_several(s, standard, [f"{prefix}c{n}e{i}" for i in range(1 + n % 10)])),
        ("standard", lambda s, _: receive_and_delete(s, standard)),
        ("standard", lambda s, _: receive_and_delete(s, standard)),
        ("fifo", lambda s, _: groups.send(s, fifo, "g1")),
        ("fifo", lambda s, _: groups.send(s, fifo, "g2")),
        ("fifo", lambda s, _: receive_in_order(s, fifo)),
    ]

    def run(name, job, own_seed):
        try:
            session = Session(caller, ledgers[name], own_seed)
            with session.connection:
                for n in range(1_000_000):
                    job(session, n)
        except (Gone, OSError):
            pass
        except Exception as error:  # a mistake in the test must not look like a normal end
            ledgers[name].problem(f"a thread failed: {error!r}")

    threads = [
        threading.Thread(target=run, args=(name, job, f"{seed}/{round_number}/{i}"))
        for i, (name, job) in enumerate(jobs)
    ]
    for thread in threads:
        thread.start()
    return threads
