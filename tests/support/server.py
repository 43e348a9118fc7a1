# SPDX-License-Identifier: Apache-2.0
"""A Stoker process with its own folder and port."""
import ctypes
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

from support.ports import free_port
from support.waiting import PATIENCE_SECONDS

PR_SET_PDEATHSIG = 1  # of prctl
ROOT = pathlib.Path(__file__).resolve().parents[2]

# Texts of the reports of sanitizers.
FINDINGS = (
    "ERROR: AddressSanitizer",
    "LeakSanitizer",
    "WARNING: ThreadSanitizer",
    "runtime error",
)


def binary():
    return str(ROOT / os.environ.get("STOKER_BIN", "build/release/src/stoker"))


def environment():
    """Of a server: a build with sanitizers keeps less of what was freed than by default (256 MB), which tests of memory
    would count."""
    given = os.environ.get("ASAN_OPTIONS")
    quarantine = "quarantine_size_mb=16:thread_local_quarantine_size_kb=64"
    return {**os.environ, "ASAN_OPTIONS": f"{given}:{quarantine}" if given else quarantine}


def end_with_parent():
    """Called in a new process: it must not outlive a test run that is killed, and compete with the next one."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start_process(command, **more):
    """A process in a session of its own that ends with the thread that started it."""
    return subprocess.Popen(command, start_new_session=True, preexec_fn=end_with_parent, **more)


class Key:
    """An access key and its account."""

    def __init__(self, access_key, secret, account=None, token=None):
        self.id, self.secret, self.account, self.token = access_key, secret, account, token


class Schema:
    """A PostgreSQL schema for one server; STOKER_TEST_STORE has the URL of the database (tests/postgres.sh)."""

    def __init__(self, database):
        self.database, self.name = database, "test_" + uuid.uuid4().hex
        self._execute(f"CREATE SCHEMA {self.name}")

    @property
    def url(self):
        return f"{self.database}{'&' if '?' in self.database else '?'}options=-csearch_path%3D{self.name}"

    def remove(self):
        self._execute(f"DROP SCHEMA {self.name} CASCADE")

    def _execute(self, sql):
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", self.database, "-c", sql], check=True, stderr=subprocess.DEVNULL)


class Server:
    """`arguments` go to `stoker up`, which has an agent only with `agent`. A given `data` folder is kept; otherwise a
    temporary one is used.

    With port 0 in `listen` each start has another port, which no outgoing connection takes while a test starts the
    server again.

    With STOKER_TEST_STORE the server has its state in PostgreSQL, in its own schema.
    """

    def __init__(self, data=None, listen="127.0.0.1:0", arguments=(), wrapper=(), agent=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stoker-test-"))
        self.data = pathlib.Path(data) if data else self.folder / "data"
        self.log = self.folder / "stderr.log"
        self.listen = listen
        self.arguments = list(arguments)
        self.agent = agent
        self.wrapper = list(wrapper)
        self.schema = Schema(os.environ["STOKER_TEST_STORE"]) if os.environ.get("STOKER_TEST_STORE") else None
        self.process = None
        self.endpoint = None

    def start(self):
        command = [*self.wrapper, binary(), "up", "--data", str(self.data), "--listen", self._address()]
        command += [] if self.agent else ["--no-agent"]
        command += ["--store", self.schema.url] if self.schema else []
        with open(self.log, "ab") as log:
            self.process = start_process(
                command + self.arguments, stdout=subprocess.PIPE, stderr=log, env=environment())
        line = self._first_line()
        if " is ready at " not in line:
            self.kill()
            raise AssertionError(f"stoker did not start: {line!r} {self.log.read_text()!r}")
        self.endpoint = line.split(" is ready at ")[1].split(",")[0]
        return self

    def _address(self):
        host, port = self.listen.rsplit(":", 1)
        return self.listen if port != "0" else f"{host}:{free_port(host)}"

    def _first_line(self):
        """The line that it prints when it is ready, or the output until the deadline."""
        got, deadline = b"", time.monotonic() + PATIENCE_SECONDS
        while not got.endswith(b"\n") and time.monotonic() < deadline:
            ready, _, _ = select.select([self.process.stdout], [], [], 0.2)
            piece = os.read(self.process.stdout.fileno(), 4096) if ready else None
            if piece == b"":
                break
            got += piece or b""
        return got.decode()

    @property
    def port(self):
        return int(self.endpoint.rsplit(":", 1)[1])

    @property
    def alive(self):
        return self.process is not None and self.process.poll() is None

    @property
    def root_key(self):
        fields = dict(
            line.split(" = ", 1)
            for line in (self.data / "credentials").read_text().splitlines()
            if " = " in line
        )
        return Key(fields["aws_access_key_id"], fields["aws_secret_access_key"])

    def findings(self):
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return [line for line in text.splitlines() if any(word in line for word in FINDINGS)]

    def stop(self):
        """Stops it with SIGTERM and checks that it ends cleanly."""
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"stoker did not end within {PATIENCE_SECONDS} s of SIGTERM") from None
        self.process.stdout.close()
        findings = self.findings()
        assert not findings, findings
        assert code == 0, f"stoker ended with {code}: {self.log.read_text(errors='replace')[-2000:]}"

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()

    def remove(self):
        if self.alive:
            self.kill()
        if self.schema:
            self.schema.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, failed, *_):
        try:
            if self.alive and not failed:
                self.stop()
        finally:
            self.remove()


def run_stoker(*arguments, text=None, timeout=PATIENCE_SECONDS, wrapper=()):
    """Runs one command of the command line."""
    return subprocess.run(
        [*wrapper, binary(), *map(str, arguments)], input=text, capture_output=True, text=True, timeout=timeout
    )


def create_key(data, account):
    done = run_stoker("key", "create", "--data", data, "--account", account, "--json")
    assert done.returncode == 0, done.stderr
    key = json.loads(done.stdout)["key"]
    return Key(key["id"], key["secret"], key["account"])
