# SPDX-License-Identifier: Apache-2.0
"""Waiting for a condition, with a deadline that a busy machine meets, too."""
import time

PAUSE_SECONDS = 0.05
# For what must happen: long enough for a sanitizer build on a machine with ten times the work that it can do.
PATIENCE_SECONDS = 300
# For what an alarm or a metric of a minute must bring about: an alarm repeats its action once a minute while its state
# lasts, so what a first action came too early for needs another one.
ALARM_PATIENCE_SECONDS = PATIENCE_SECONDS + 180


def eventually(check, seconds=PATIENCE_SECONDS):
    """Returns the first true result of `check`; fails with the last result at the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        answer = check()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"not within {seconds} s; last seen: {answer!r}"
        time.sleep(PAUSE_SECONDS)
