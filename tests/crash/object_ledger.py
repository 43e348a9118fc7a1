# SPDX-License-Identifier: Apache-2.0
"""Records the requests for each key, in order, and the acknowledgements, and checks the stored objects against them.

Each key belongs to one thread, so its attempts have an order. After a crash the last one that was acknowledged
must be there, or one that was tried after it and never answered.
"""
import hashlib
import threading

GONE = None  # an attempt that deletes


def body_of(token, size):
    """Bytes that prove themselves: the token, then bytes derived from it."""
    head = f"{token}|{size}|".encode()
    filler = hashlib.sha256(token.encode()).digest()
    return head + (filler * (size // len(filler) + 1))[:size]


def token_of(body):
    """The token of an undamaged body, else None."""
    token, _, rest = body.partition(b"|")
    size, _, _ = rest.partition(b"|")
    if not size.isdigit() or body != body_of(token.decode(), int(size)):
        return None
    return token.decode()


def etag_of(body, part_size):
    """`part_size`: of all parts but the last; 0 for a single upload."""
    if not part_size:
        return hashlib.md5(body).hexdigest()
    parts = [body[at : at + part_size] for at in range(0, len(body), part_size)]
    return f"{hashlib.md5(b''.join(hashlib.md5(part).digest() for part in parts)).hexdigest()}-{len(parts)}"


class Attempt:
    def __init__(self, token, event, etag=None):
        self.token, self.event, self.etag, self.acknowledged = token, event, etag, False


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.attempts = {}  # key -> [Attempt], in order
        self.parts = {}  # (key, upload) -> {number: (etag, body)}, acknowledged; of uploads that nobody tried to complete
        self.problems = []

    def attempt(self, key, token, event, etag=None):
        made = Attempt(token, event, etag)
        with self.lock:
            self.attempts.setdefault(key, []).append(made)
        return made

    def problem(self, text):
        with self.lock:
            if len(self.problems) < 20:
                self.problems.append(text)

    def counts(self):
        with self.lock:
            every = [attempt for attempts in self.attempts.values() for attempt in attempts]
        return len(every), sum(attempt.acknowledged for attempt in every)

    def allowed(self, key):
        """The attempts whose result may be stored now: the last acknowledged one and those after it."""
        attempts = self.attempts[key]
        last = max((i for i, attempt in enumerate(attempts) if attempt.acknowledged), default=-1)
        since = attempts[last + 1 :]
        return ([attempts[last]] if last >= 0 else [Attempt(GONE, None)]) + since

    def check_objects(self, found):
        """`found`: key -> (etag, body) of all listed objects. Returns the attempt that each key shows."""
        shown = {}
        for key in found.keys() - self.attempts.keys():
            self.problem(f"{key} is listed and was never put")
        for key in self.attempts:
            etag, body = found.get(key, (None, None))
            token = GONE if body is None else token_of(body)
            if body is not None and token is None:
                self.problem(f"{key}: its {len(body)} bytes are damaged")
                continue
            fits = [attempt for attempt in self.allowed(key) if attempt.token == token]
            if not fits:
                self.problem(f"{key}: shows {token}, not {[a.token for a in self.allowed(key)]}")
                continue
            shown[key] = fits[0]
            if body is not None and etag != fits[0].etag:
                self.problem(f"{key}: its ETag is {etag}, not {fits[0].etag}")
        return shown

    def check_events(self, events, shown):
        """`events`: [(name, key, etag or None)] of every message. Each change is published once."""
        published = {}
        for name, key, etag in events:
            published[(name, key, etag)] = published.get((name, key, etag), 0) + 1
        for (name, key, etag), count in published.items():
            tried = [a for a in self.attempts.get(key, []) if a.event == name and (a.etag == etag or a.token is GONE)]
            if len(tried) < count:
                self.problem(f"{name} of {key} was published {count} times and tried {len(tried)} times")
        for key, attempts in self.attempts.items():
            for attempt in attempts:
                happened = attempt.acknowledged or (shown.get(key) is attempt and attempt.token is not GONE)
                if attempt.token is not GONE and happened and not published.get((attempt.event, key, attempt.etag)):
                    self.problem(f"{attempt.event} of {key} ({attempt.token}) was never published")
            removed = [a for a in attempts if a.token is GONE and a.acknowledged]
            if removed and published.get((removed[0].event, key, None), 0) < len(removed):
                self.problem(f"{key} was deleted {len(removed)} times and published {published.get((removed[0].event, key, None), 0)}")
