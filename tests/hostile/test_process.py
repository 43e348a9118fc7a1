# SPDX-License-Identifier: Apache-2.0
"""Failing starts, and stops under load."""
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import tempfile
import threading

import pytest

from support.polls import start_poll
from support.raw import Caller, Connection
from support.server import Server, binary, create_key, run_stoker
from support.waiting import PATIENCE_SECONDS, eventually

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def refuses_to_start(*parts, data, listen="127.0.0.1:0", wrapper=(), status=1):
    """`stoker up` exits with this status and one line with the reason."""
    done = run_stoker("up", "--data", data, "--listen", listen, wrapper=wrapper)
    assert done.returncode == status, (done.returncode, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("stoker: "), done.stderr
    assert done.stdout == ""
    for part in parts:
        assert str(part) in lines[0], lines[0]


@pytest.fixture
def own():
    """A server that the test may kill."""
    server = Server()
    yield server
    server.remove()


def test_a_folder_has_only_one_server(own):
    own.start()
    refuses_to_start("in use", own.process.pid, own.data, data=own.data)
    own.stop()
    own.start()  # the lock ends with its process
    own.stop()


def test_a_killed_server_leaves_no_lock(own):
    own.start()
    own.kill()
    own.start()
    own.stop()


def test_a_port_that_is_in_use(own, tmp_path):
    own.start()
    refuses_to_start(own.port, "in use", data=tmp_path / "other", listen=f"127.0.0.1:{own.port}")
    own.stop()


@pytest.mark.parametrize("listen", ["words", "127.0.0.1:99999", "127.0.0.1:-1", ":", "", "127.0.0.1:80x", "127.0.0.1:"])
def test_an_invalid_address_is_rejected(tmp_path, listen):
    refuses_to_start("--listen", "ADDRESS:PORT", data=tmp_path / "data", listen=listen, status=2)


def test_an_address_of_another_machine_is_rejected(tmp_path):
    refuses_to_start("192.0.2.1", data=tmp_path / "data", listen="192.0.2.1:0")


def test_a_folder_that_cannot_be_created_is_reported(tmp_path):
    refuses_to_start("/proc/nothing", data="/proc/nothing/data")
    (tmp_path / "file").write_text("")
    refuses_to_start(tmp_path / "file", data=tmp_path / "file")
    refuses_to_start(tmp_path / "file", data=tmp_path / "file" / "below")


@pytest.fixture
def nobodys(monkeypatch):
    """A folder of root's with a copy of the program that `nobody` can run."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root can become somebody else")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stoker-test-"))
    folder.chmod(0o755)
    monkeypatch.setenv("STOKER_BIN", str(shutil.copy(binary(), folder / "stoker")))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("mode", [0o000, 0o555])
def test_a_folder_without_permission_is_reported(nobodys, mode):
    (nobodys / "data").mkdir(mode=mode)
    refuses_to_start(nobodys / "data", data=nobodys / "data", wrapper=NOBODY)
    refuses_to_start(nobodys / "more", data=nobodys / "more", wrapper=NOBODY)


def test_a_database_without_permission_is_reported(nobodys):
    (nobodys / "data").mkdir()
    os.chown(nobodys / "data", 65534, 65534)
    (nobodys / "data" / "stoker.db").touch(mode=0o600)
    refuses_to_start(nobodys / "data", data=nobodys / "data", wrapper=NOBODY)


def test_a_database_of_a_newer_version(own):
    own.start()
    own.stop()
    with sqlite3.connect(own.data / "stoker.db") as database:
        database.execute("UPDATE schema_versions SET version = 999 WHERE module = 'sqs'")
    database.close()
    refuses_to_start("newer Stoker", "999", "sqs", data=own.data)


def test_a_database_of_an_unknown_module(own):
    own.start()
    own.stop()
    with sqlite3.connect(own.data / "stoker.db") as database:
        database.execute("INSERT INTO schema_versions (module, version) VALUES ('tomorrow', 1)")
    database.close()
    refuses_to_start("newer Stoker", "tomorrow", data=own.data)


@pytest.mark.parametrize("damage", [b"not a database at all" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_not_a_database_is_rejected(own, damage):
    own.data.mkdir()
    (own.data / "stoker.db").write_bytes(damage)
    refuses_to_start(data=own.data)


def test_a_damaged_database_is_not_served(own):
    own.start()
    own.stop()
    database = own.data / "stoker.db"
    whole = database.read_bytes()
    database.write_bytes(whole[: len(whole) // 2])
    refuses_to_start(data=own.data)


def test_data_without_its_database_is_not_taken_for_a_new_server(own):
    own.start()
    own.stop()
    credentials = (own.data / "credentials").read_bytes()
    (own.data / "stoker.db").unlink()
    refuses_to_start("credentials", "stoker.db is missing", data=own.data)
    (own.data / "stoker.db").touch()
    refuses_to_start("stoker.db is empty", data=own.data)
    assert (own.data / "credentials").read_bytes() == credentials, "the key is still the one that clients have"


def test_a_log_that_was_deleted_after_a_crash_is_reported(own):
    own.start()
    own.kill()
    log = own.data / "stoker.db-wal"
    assert log.exists()
    kept = log.read_bytes()
    log.unlink()
    refuses_to_start("stoker.db-wal is missing", data=own.data)
    log.write_bytes(kept)
    own.start()


def test_a_folder_that_everybody_may_write_to_is_refused(own):
    own.data.mkdir(parents=True)
    own.data.chmod(0o777)
    refuses_to_start("chmod o-w", data=own.data)


def test_processes_are_never_chosen_silently(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    refuses_to_start("no container engine", "--driver process", data=tmp_path / "data")


def test_commands_without_a_server_report_it(own, tmp_path):
    for command in (["env"], ["status"], ["key", "list"]):
        done = run_stoker(*command, "--data", tmp_path / "nothing")
        assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1, done.stderr
    own.start()
    own.stop()
    for command in (["status"], ["key", "list"]):
        done = run_stoker(*command, "--data", own.data)
        assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["nothing"], ["up", "--nothing"], ["up", "--account", "12"], ["key", "delete"]]
)
def test_an_invalid_command_line_is_rejected(arguments):
    done = run_stoker(*arguments)
    assert done.returncode not in (0, -signal.SIGSEGV, -signal.SIGABRT) and done.stderr


def test_a_stopping_server_answers_its_long_polls(own):
    own.start()
    with Connection(own.port) as connection:
        start_poll(Caller(own), connection, "q")
        own.process.send_signal(signal.SIGTERM)
        answer = connection.read_answer()
        assert answer is not None and answer.status == 200 and answer.json.get("Messages", []) == []
    assert own.process.wait(PATIENCE_SECONDS) == 0
    assert not own.findings()


def refuses_connections(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return False
    except OSError:
        return True


def test_a_stopping_server_accepts_no_connections(own):
    own.start()
    with Connection(own.port) as busy, Connection(own.port) as idle:
        start_poll(Caller(own), busy, "q")
        own.process.send_signal(signal.SIGTERM)
        assert idle.closed()
        eventually(lambda: refuses_connections(own.port))
        assert busy.read_answer().status == 200
    assert own.process.wait(PATIENCE_SECONDS) == 0


def test_acknowledged_messages_survive_a_stop(own):
    own.start()
    caller = Caller(own)
    url = caller.json("CreateQueue", {"QueueName": "kept"}).json["QueueUrl"]
    stopping, acknowledged = threading.Event(), []

    def load():
        while not stopping.is_set():
            try:
                answer = caller.json("SendMessage", {"QueueUrl": url, "MessageBody": "m"})
            except OSError:
                return
            if answer is None:
                return
            assert answer.status == 200, answer
            acknowledged.append(answer.json["MessageId"])

    thread = threading.Thread(target=load)
    thread.start()
    eventually(lambda: acknowledged)
    own.stop()
    stopping.set()
    thread.join()
    own.start()
    names = {"QueueUrl": url, "AttributeNames": ["ApproximateNumberOfMessages"]}
    shown = Caller(own).json("GetQueueAttributes", names).json["Attributes"]
    assert len(acknowledged) > 0 and int(shown["ApproximateNumberOfMessages"]) >= len(acknowledged)
    own.stop()


def test_only_the_owner_can_read_the_data_folder(own):
    own.start()
    create_key(own.data, "123456789012")
    assert own.data.stat().st_mode & 0o077 == 0
    for path in own.data.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    own.stop()
