# SPDX-License-Identifier: Apache-2.0
"""A task of the chaos test: locks a file for each of its GPUs, and reports a lock that is held. The
kernel releases the locks with the process, so every double assignment is detected."""
import fcntl
import os
import signal
import sys
import time

# The first process of a container has no default actions of signals.
signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))
os.umask(0)  # the next task with this GPU has another user
folder, seconds = sys.argv[1], float(sys.argv[2])
held = []
for gpu in os.environ["NVIDIA_VISIBLE_DEVICES"].split(","):
    lock = open(os.path.join(folder, gpu + ".lock"), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        with open(os.path.join(folder, "violations"), "a") as report:
            report.write(f"{gpu} was held when {os.environ.get('TASK', '?')} got it\n")
    held.append(lock)
time.sleep(seconds)
sys.exit(int(seconds * 10) % 5)
