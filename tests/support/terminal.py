# SPDX-License-Identifier: Apache-2.0
"""A program in a terminal of its own."""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

from support import server
from support.waiting import PATIENCE_SECONDS


class Terminal:
    def __init__(self, command, columns=80, rows=24, env=None):
        self.master, slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env, preexec_fn=self._own)
        self.output = b""
        self.at = 0  # what is before this was expected already

    def _own(self):
        """In the new process: it leads a session whose terminal this is."""
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it, and so do their children
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        server.end_with_parent()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        keys = keys.encode() if isinstance(keys, str) else keys
        while keys:
            keys = keys[os.write(self.master, keys) :]

    def read(self, seconds=0.1):
        """Whether something came."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.output += os.read(self.master, 65536)
            self.heard = time.monotonic()
        except OSError:  # nobody has the other end open
            return False
        return True

    def expect(self, text):
        """Waits for the text, after the one that was expected last; returns what came before it."""
        text = text.encode() if isinstance(text, str) else text
        self.heard, searched = time.monotonic(), self.at
        while True:
            found = self.output.find(text, searched)
            searched = max(self.at, len(self.output) - len(text))
            if found >= 0:
                before, self.at = self.output[self.at : found], found + len(text)
                return before
            assert time.monotonic() < self.heard + PATIENCE_SECONDS, f"no {text!r} in {self.output[-2000:]!r}"
            self.read()

    def wait(self):
        """The exit status, after all output was read."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"still running: {self.output[-2000:]!r}"
            self.read()
        while self.read(0):
            pass
        return self.process.returncode

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.before
