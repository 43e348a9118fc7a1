# SPDX-License-Identifier: Apache-2.0
"""Ports for programs that can't choose one by themselves, or that must find theirs free when they start again."""
import errno
import functools
import itertools
import random
import socket

# Below the range of which the kernel gives ports to outgoing connections: one of those could take the port of a server
# between its end and its next start.
FIRST, LAST = 20000, 29999
# Each process of the tests has a part of the range: the port of a server that is about to start, also again, must not be
# chosen for one of another suite that runs at the same time.
PART = 250


def bound(address, port):
    """A socket with this port; None if the port is in use."""
    one = socket.socket()
    try:
        one.bind((address, port))
    except OSError as error:
        one.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    return one


@functools.lru_cache(maxsize=None)
def own_part():
    """The ports of this process, in a circle, and what keeps others from them: a socket with the part's first port."""
    parts = list(range(FIRST, LAST, PART))
    random.shuffle(parts)
    for first in parts:
        guard = bound("127.0.0.1", first)
        if guard:
            return itertools.cycle(range(first + 1, first + PART)), guard
    raise AssertionError("every part of the range of ports is taken")


def free_port(address="127.0.0.1"):
    ports, _ = own_part()
    while True:
        port = next(ports)
        probe = bound(address, port)
        if probe:
            probe.close()
            return port
