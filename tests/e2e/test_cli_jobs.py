# SPDX-License-Identifier: Apache-2.0
"""stoker submit, jobs, job and top against a real server. What workers do is done by the tests."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios

import pytest

from support.job_requests import Jobs, Pipelines, finish
from support.server import Server, binary, run_stoker
from support.waiting import PATIENCE_SECONDS, eventually

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def server():
    with Server() as running:
        yield running


@pytest.fixture(scope="module")
def jobs(server):
    _, secret = Pipelines(server).create("cli")
    return Jobs(server, "cli", secret)


def stoker(server, *arguments, **more):
    return run_stoker(*arguments, "--data", server.data, **more)


def files(folder, *names):
    for name in names:
        (folder / name).write_text(f"content of {name}")
    return [str(folder / name) for name in names]


def job_of(jobs, name):
    """The job of the file with this name, as soon as there is one."""
    def find():
        listed = jobs.call("GET", f"{jobs.path}?limit=1000").json["jobs"]
        return next((job for job in listed if job["input"]["key"].endswith(name)), None)
    return eventually(find)


def test_submitted_files_are_jobs_with_their_content(server, jobs, tmp_path):
    done = stoker(server, "submit", "cli", *files(tmp_path, "one.txt", "two.txt"), "--metadata", "from=test")
    assert done.returncode == 0, done.stderr
    printed = dict(reversed(line.split("  ")) for line in done.stdout.splitlines())
    assert set(printed) == {str(tmp_path / "one.txt"), str(tmp_path / "two.txt")}
    job = jobs.call("GET", f"/jobs/{printed[str(tmp_path / 'one.txt')]}").json
    assert job["input"]["size"] == len("content of one.txt") and job["metadata"] == {"from": "test"}
    assert "2 submitted" in done.stderr


def test_waiting_writes_results_and_reports_failures(server, jobs, tmp_path):
    inputs = files(tmp_path, "good.txt", "bad.txt")
    process = subprocess.Popen([binary(), "submit", "cli", *inputs, "--wait", "--output", str(tmp_path / "out"), "--data", str(server.data)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finish(server, job_of(jobs, "good.txt"), b'{"text": "done"}')
    assert jobs.call("POST", f"/jobs/{job_of(jobs, 'bad.txt')['task_id']}/cancel").status == 200
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1, err
    assert json.loads((tmp_path / "out" / "good.txt.json").read_text()) == {"text": "done"}
    assert not (tmp_path / "out" / "bad.txt.json").exists()
    assert "SUCCEEDED" in out and "CANCELLED" in err and "1 succeeded, 1 failed" in err


def test_the_same_id_and_file_again_is_the_same_job(server, jobs, tmp_path):
    (path,) = files(tmp_path, "same.txt")
    for _ in range(2):
        done = stoker(server, "submit", "cli", path, "--id", "same-1")
        assert done.returncode == 0 and done.stdout.startswith("same-1  "), done.stderr
    (tmp_path / "same.txt").write_text("something else")
    done = stoker(server, "submit", "cli", path, "--id", "same-1")
    assert done.returncode == 1 and "not sent" in done.stderr, done.stderr


def test_errors_name_what_is_wrong(server, jobs, tmp_path):
    for arguments, part in ((["submit", "cli", tmp_path], "is a folder"), (["submit", "cli", tmp_path / "none"], "no such file"),
                            (["submit", "absent", *files(tmp_path, "x")], "absent"), (["job", "show", "no-such-job"], "no-such-job")):
        done = stoker(server, *arguments)
        assert done.returncode == 1 and part in done.stderr, done


def test_jobs_are_listed_shown_cancelled_and_retried(server, jobs):
    jobs.submit(b"x", "id=life&filename=life.txt")
    listed = stoker(server, "jobs", "cli", "--status", "queued", "--limit", "1000")
    assert "life" in listed.stdout and all(len(line) <= 80 for line in listed.stdout.splitlines()), listed
    assert "QUEUED" in stoker(server, "job", "show", "life").stdout
    assert stoker(server, "job", "cancel", "life").stdout == "life  CANCELLED\n"
    assert stoker(server, "job", "retry", "life").stdout == "life  QUEUED\n"
    finish(server, job_of(jobs, "life.txt"), b'{"a": 1}')
    eventually(lambda: jobs.call("GET", "/jobs/life").json["status"] == "SUCCEEDED")
    assert stoker(server, "job", "result", "life").stdout == '{"a": 1}'
    assert json.loads(stoker(server, "job", "show", "life", "--json").stdout)["status"] == "SUCCEEDED"


def test_watching_prints_each_change(server, jobs):
    process = subprocess.Popen([binary(), "jobs", "-w", "cli", "--data", str(server.data)], stdout=subprocess.PIPE, text=True)
    try:
        def first_line():
            jobs.submit(b"x")  # until the listener is there
            return select.select([process.stdout], [], [], 0.2)[0]
        eventually(first_line)
        assert "QUEUED" in process.stdout.readline()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_top_once_is_plain_text(server, jobs):
    done = stoker(server, "top", "--once")
    assert done.returncode == 0, done.stderr
    assert "PIPELINE" in done.stdout and "cli" in done.stdout and "stoker-cli" in done.stdout
    assert "\x1b" not in done.stdout and all(len(line) <= 80 for line in done.stdout.splitlines())


class Terminal:
    """`stoker top` on a terminal of its own."""

    def __init__(self, server, columns=80, rows=24):
        self.process, self.screen = None, b""
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.slave)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen([binary(), "top", "--data", str(server.data)], stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        preexec_fn=take_terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, wait=0.2):
        while select.select([self.master], [], [], wait)[0]:
            self.screen += os.read(self.master, 65536)
            wait = 0

    def frame_comes(self, within):
        """Frames come each second."""
        came = bool(select.select([self.master], [], [], within)[0])
        self.read(0)
        return came

    def shows(self, text):
        self.read()
        return text in self.screen

    def last_frame(self):
        frame = self.screen.split(b"\x1b[H")[-1]
        return [ESCAPES.sub(b"", line).decode().rstrip("\r") for line in frame.split(b"\n")]

    def ended(self):
        """The exit status; the terminal is as it was."""
        eventually(lambda: self.read() or self.process.poll() is not None)
        self.read()
        assert self.screen.count(ENTER) == self.screen.count(LEAVE) and self.screen.rstrip().endswith(LEAVE), self.screen[-200:]
        assert b"\x1b[?25h" in self.screen.split(b"\x1b[H")[-1]
        assert termios.tcgetattr(self.slave) == self.before
        return self.process.returncode


def test_top_fits_the_terminal_and_follows_its_size(server, jobs):
    with Terminal(server) as terminal:
        eventually(lambda: terminal.shows(b"stoker-cli"))
        assert terminal.screen.startswith(ENTER)
        assert len(terminal.last_frame()) <= 24 and all(len(line) <= 80 for line in terminal.last_frame())
        terminal.screen = b""
        terminal.resize(40, 6)
        # A frame of the old size may be the next one.
        eventually(lambda: terminal.shows(b"\x1b[J") and len(terminal.last_frame()) <= 6 and
                   all(len(line) <= 40 for line in terminal.last_frame()))
        terminal.screen = ENTER
        os.write(terminal.master, b"xq")
        assert terminal.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_top_restores_the_terminal_when_it_is_ended(server, jobs, number):
    with Terminal(server) as terminal:
        eventually(lambda: terminal.shows(b"stoker-cli"))
        terminal.process.send_signal(number)
        assert terminal.ended() == 0


def test_ctrl_c_ends_top(server, jobs):
    with Terminal(server) as terminal:
        eventually(lambda: terminal.shows(b"stoker-cli"))
        os.write(terminal.master, b"\x03")
        assert terminal.ended() == 0


def test_ctrl_z_restores_the_terminal_until_top_is_continued(server, jobs):
    with Terminal(server) as terminal:
        eventually(lambda: terminal.shows(b"stoker-cli"))
        os.write(terminal.master, b"\x1a")
        eventually(lambda: open(f"/proc/{terminal.process.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "T")
        terminal.read()
        assert terminal.screen.rstrip().endswith(LEAVE) and termios.tcgetattr(terminal.slave) == terminal.before
        terminal.process.send_signal(signal.SIGCONT)
        eventually(lambda: terminal.read() or terminal.screen.count(ENTER) == 2)
        os.write(terminal.master, b"q")
        assert terminal.ended() == 0


def test_top_names_what_it_can_not_read_and_quits_while_the_server_hangs(tmp_path):
    with Server() as server:
        Pipelines(server).create("hangs")
        with Terminal(server) as terminal:
            eventually(lambda: terminal.shows(b"stoker-hangs"))
            os.kill(server.process.pid, signal.SIGSTOP)
            try:
                eventually(lambda: not terminal.frame_comes(within=3))  # a request is in progress now
                os.write(terminal.master, b"q")
                assert terminal.ended() == 0
            finally:
                os.kill(server.process.pid, signal.SIGCONT)
