# SPDX-License-Identifier: Apache-2.0
"""Waiting for something that must come true, with a deadline."""
import time

PAUSE_SECONDS = 0.05


def eventually(check, seconds=20):
    """The first true answer of `check`; fails with the last one when none comes in time."""
    deadline = time.monotonic() + seconds
    while True:
        answer = check()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s; last seen: {answer!r}"
        time.sleep(PAUSE_SECONDS)
