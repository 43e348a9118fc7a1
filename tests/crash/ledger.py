# SPDX-License-Identifier: Apache-2.0
"""Records the requests and the acknowledgements, and checks the final content of the queues against them.

A token names one message. Threads write only under the lock, and only what they know:
an acknowledgement is written after it was read, so the ledger never claims too much.
"""
import hashlib
import threading


def body_of(token, size):
    """A body that proves itself: the token, then text derived from it."""
    filler = hashlib.sha256(token.encode()).hexdigest()
    return f"{token}|{size}|" + (filler * (size // len(filler) + 1))[:size]


def token_of(body):
    token, size, _ = body.split("|", 2)
    return token if body == body_of(token, int(size)) else None


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.tried = set()
        self.sent = {}  # token -> message id, acknowledged
        self.tried_deletes = set()
        self.deleted = set()  # acknowledged, with a handle that was certainly current
        self.problems = []

    def try_send(self, tokens):
        with self.lock:
            self.tried.update(tokens)

    def acknowledge_send(self, token, message_id):
        with self.lock:
            self.sent[token] = message_id

    def try_delete(self, tokens):
        with self.lock:
            self.tried_deletes.update(tokens)

    def acknowledge_delete(self, tokens):
        with self.lock:
            self.deleted.update(tokens)

    def problem(self, text):
        with self.lock:
            if len(self.problems) < 20:
                self.problems.append(text)

    def check_left(self, name, left):
        """`left`: (body, message id) of all messages in the queue."""
        seen = {}
        for body, message_id in left:
            token = token_of(body)
            if token is None:
                self.problem(f"{name}: a body was damaged: {body[:80]!r}")
            elif token in seen:
                self.problem(f"{name}: {token} is there twice")
            elif token not in self.tried:
                self.problem(f"{name}: {token} was never sent")
            else:
                seen[token] = message_id
                if self.sent.get(token, message_id) != message_id:
                    self.problem(f"{name}: {token} is {message_id} and was acknowledged as {self.sent[token]}")
        for token in self.sent.keys() - seen.keys() - self.tried_deletes:
            self.problem(f"{name}: {token} was acknowledged and is gone")
        for token in self.deleted & seen.keys():
            self.problem(f"{name}: {token} was acknowledged deleted and is back")
        return len(seen.keys() - self.sent.keys())  # stored without an acknowledgement, which is allowed


def check_order(ledger, left):
    """FIFO: tokens are GROUP-NUMBER, and the numbers of each group must be received in ascending order."""
    last = {}
    for body, _ in left:
        token = token_of(body) or "damaged-0"
        group, number = token.rsplit("-", 1)
        if int(number) <= last.get(group, -1):
            ledger.problem(f"fifo: {token} came after {group}-{last[group]}")
        last[group] = int(number)
