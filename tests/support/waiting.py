# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition, with a deadline that a busy machine meets, too."""
import time

PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 120  # for what must happen: long enough for a sanitizer build on a busy machine


def eventually(check, seconds=PATIENCE_SECONDS):
    """Returns the first true result of `check`; fails with the last result at the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        answer = check()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s; last seen: {answer!r}"
        time.sleep(PAUSE_SECONDS)
