# SPDX-License-Identifier: Apache-2.0
"""Damage is never silent; backups are complete, and can be restored."""
import json
import os
import signal
import subprocess
import threading

import pytest

from support.raw import Caller, Connection
from support.s3_raw import S3Caller
from support.server import Server, binary, run_stoker, start_process
from support.waiting import eventually

LARGE = 300_000  # a file; small objects are rows
FRAME = 4096 + 24

pytestmark = pytest.mark.skipif(bool(os.environ.get("STOKER_TEST_STORE")), reason="about SQLite's files")


@pytest.fixture
def server(tmp_path):
    running = Server(data=tmp_path / "data").start()
    yield running
    running.remove()


def done(answer):
    assert answer is not None and answer.status in (200, 204), answer
    return answer


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def refusal(server):
    with pytest.raises(AssertionError):
        server.start()
    return server.log.read_text().strip().splitlines()[-1]


def send_some(server, count=30):
    caller = Caller(server)
    url = done(caller.json("CreateQueue", {"QueueName": "q"})).json["QueueUrl"]
    for number in range(count):
        done(caller.json("SendMessage", {"QueueUrl": url, "MessageBody": str(number)}))
    return url


def bodies(server, url):
    found, caller = set(), Caller(server)
    while True:
        answer = done(caller.json("ReceiveMessage", {"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 600}))
        if not answer.json.get("Messages"):
            return found
        found |= {message["Body"] for message in answer.json["Messages"]}


def test_a_log_that_is_damaged_in_the_middle_is_refused(server):
    url = send_some(server)
    server.kill()
    log = server.data / "stoker.db-wal"
    frames = (log.stat().st_size - 32) // FRAME
    assert frames > 60
    flip(log, 32 + (frames - 20) * FRAME + 500)  # of one of the messages
    result = refusal(server)
    assert "stoker.db-wal is damaged in frame" in result and "committed transactions" in result, result
    assert "--drop-damaged-log" in result and "stoker restore" in result, result
    server.arguments = ["--drop-damaged-log"]
    server.start()
    assert len(bodies(server, url)) < 30
    assert (server.data / "stoker.db-wal.damaged").exists()
    server.stop()


@pytest.mark.parametrize("size", [0, 31])
def test_a_log_that_is_cut_off_after_a_crash_is_refused(server, size):
    url = send_some(server, 5)
    server.kill()
    log = server.data / "stoker.db-wal"
    kept = log.read_bytes()
    os.truncate(log, size)
    assert "stoker.db-wal is cut off" in refusal(server)
    log.write_bytes(kept)
    server.start()
    assert len(bodies(server, url)) == 5
    server.stop()


def test_servers_that_wrote_nothing_can_be_killed_and_stopped(server):
    for end in (server.kill, server.stop, server.kill, server.kill, server.stop):
        end()
        server.start()
    server.stop()
    assert not (server.data / "running").exists()


@pytest.mark.parametrize("what", ["missing", "empty"])
def test_a_server_without_its_database_does_not_start_anew(server, what):
    send_some(server, 1)
    server.stop()
    credentials = (server.data / "credentials").read_text()
    (server.data / "stoker.db").unlink()
    if what == "empty":
        (server.data / "stoker.db").touch()
    assert f"its database stoker.db is {what}" in refusal(server)
    assert (server.data / "credentials").read_text() == credentials


def test_a_damaged_small_object_is_not_delivered(server):
    s3 = S3Caller(server)
    done(s3.call("PUT", "/shelf"))
    mark = os.urandom(500)
    done(s3.call("PUT", "/shelf/damaged", mark * 4))
    done(s3.call("PUT", "/shelf/whole", b"y" * 2000))
    server.stop()
    database = server.data / "stoker.db"
    flip(database, database.read_bytes().index(mark) + 100)
    server.start()
    s3 = S3Caller(server)
    answer = s3.call("GET", "/shelf/damaged")
    assert answer.status == 500 and answer.code == "InternalError", answer
    assert s3.call("GET", "/shelf/damaged", headers={"Range": "bytes=0-9"}).status == 500
    assert "an object's bytes are damaged" in server.log.read_text()
    assert done(s3.call("GET", "/shelf/whole")).body == b"y" * 2000
    found = run_stoker("scrub", "--data", server.data)
    assert found.returncode == 1 and "DAMAGED" in found.stdout, found
    server.stop()


def test_a_scrub_without_a_database_is_an_error(server):
    done(S3Caller(server).call("PUT", "/shelf"))
    os.rename(server.data / "stoker.db", server.data / "elsewhere")
    found = run_stoker("scrub", "--data", server.data)
    assert found.returncode == 1 and "stoker.db" in found.stderr, found
    os.rename(server.data / "elsewhere", server.data / "stoker.db")
    assert run_stoker("scrub", "--data", server.data).returncode == 0


class Load(threading.Thread):
    """Sends messages and stores objects until it is stopped; keeps what was acknowledged."""

    def __init__(self, server, url):
        super().__init__()
        self.caller, self.s3, self.url = Caller(server), S3Caller(server), url
        self.messages, self.objects, self.stopped, self.problem = [], [], threading.Event(), None

    def run(self):
        try:
            with Connection(self.caller.port) as connection:
                for number in range(100_000):
                    if self.stopped.is_set():
                        return
                    body = f"load {number}"
                    done(connection.exchange(self.caller.json_bytes("SendMessage", {"QueueUrl": self.url, "MessageBody": body})))
                    self.messages.append(body)
                    size = LARGE if number % 3 == 0 else 1000
                    done(self.s3.call("PUT", f"/shelf/{number}", b"%07d" % number * (size // 7)))
                    self.objects.append((number, size))
                    if number % 5 == 4:  # files are deleted beside a backup
                        gone, _ = self.objects.pop(0)
                        done(self.s3.call("DELETE", f"/shelf/{gone}"))
        except AssertionError as problem:
            self.problem = problem

    def end(self):
        self.stopped.set()
        self.join()
        assert self.problem is None, self.problem


def make_backup(server, folder):
    made = run_stoker("backup", folder, "--json", "--data", server.data)
    assert made.returncode == 0, made
    return json.loads(made.stdout)


def verify(folder):
    return run_stoker("backup", folder, "--verify", "--json")


def test_a_backup_under_load_has_all_that_was_acknowledged_before(server, tmp_path):
    s3 = S3Caller(server)
    done(s3.call("PUT", "/shelf"))
    url = send_some(server, 5)
    for number in range(4):
        done(s3.call("PUT", f"/shelf/kept-{number}", os.urandom(LARGE)))
    done(s3.call("PUT", "/shelf/empty"))
    load = Load(server, url)
    load.start()
    eventually(lambda: len(load.messages) > 20)
    before = list(load.messages)
    folder = tmp_path / "backup"
    first = make_backup(server, folder)
    load.end()
    assert first["copiedFiles"] >= 4 and first["keptFiles"] == 0
    checked = verify(folder)
    assert checked.returncode == 0, checked

    second = make_backup(server, folder)  # only what is new
    assert second["keptFiles"] >= 4
    done(s3.call("PUT", "/shelf/one-more", os.urandom(LARGE)))
    third = make_backup(server, folder)
    assert (third["copiedFiles"], third["copiedBytes"]) == (1, LARGE)
    assert verify(folder).returncode == 0
    server.stop()

    restored = Server(data=tmp_path / "restored")
    try:
        result = run_stoker("restore", folder, "--data", restored.data)
        assert result.returncode == 0, result
        assert run_stoker("restore", folder, "--data", restored.data).returncode == 1, "it is not empty any more"
        restored.start()
        assert restored.root_key.id == server.root_key.id
        assert set(before) <= bodies(restored, url.replace(str(server.port), str(restored.port)))
        s3 = S3Caller(restored)
        for number, size in load.objects:
            assert done(s3.call("GET", f"/shelf/{number}")).body == b"%07d" % number * (size // 7)
        assert run_stoker("scrub", "--data", restored.data).returncode == 0
        restored.stop()
    finally:
        restored.remove()


def test_a_killed_backup_leaves_the_one_before(server, tmp_path):
    s3 = S3Caller(server)
    done(s3.call("PUT", "/shelf"))
    for number in range(5):
        done(s3.call("PUT", f"/shelf/{number}", os.urandom(LARGE)))
    folder = tmp_path / "backup"
    make_backup(server, folder)
    for number in range(40):
        done(s3.call("PUT", f"/shelf/{number}", os.urandom(LARGE)))  # five of them anew
    running = start_process([binary(), "backup", str(folder), "--data", str(server.data)], stdout=subprocess.DEVNULL)
    eventually(lambda: (folder / "stoker-2.db").exists() or running.poll() is not None)
    running.send_signal(signal.SIGKILL)
    running.wait()
    checked = verify(folder)
    assert checked.returncode == 0, checked
    assert make_backup(server, folder)["databaseBytes"] > 0
    assert verify(folder).returncode == 0
    assert len(list(folder.glob("stoker-*.db"))) == 1
    server.stop()


def test_a_damaged_backup_is_found(server, tmp_path):
    s3 = S3Caller(server)
    done(s3.call("PUT", "/shelf"))
    done(s3.call("PUT", "/shelf/large%1B%5B2J", os.urandom(LARGE)))  # its name could clear a terminal
    folder = tmp_path / "backup"
    make_backup(server, folder)
    (file,) = [path for path in folder.glob("objects/*/*") if path.is_file()]
    flip(file, 5)
    checked = verify(folder)
    assert checked.returncode == 1 and "shelf/large" in checked.stdout, checked
    printed = run_stoker("backup", folder, "--verify").stdout
    assert "shelf/large?[2J" in printed and "\x1b" not in printed, printed
    flip(file, 5)
    (database,) = folder.glob("stoker-*.db")
    flip(database, 5000)
    checked = verify(folder)
    assert checked.returncode == 1 and "SHA-256" in checked.stdout, checked
    result = run_stoker("restore", folder, "--data", tmp_path / "restored")
    assert result.returncode == 1 and "damaged" in result.stderr, result
    assert not (tmp_path / "restored").exists()
    server.stop()


def test_a_backup_of_a_stopped_server_and_wrong_folders(server, tmp_path):
    done(S3Caller(server).call("PUT", "/shelf"))
    server.stop()
    assert make_backup(server, tmp_path / "backup")["databaseBytes"] > 0
    assert verify(tmp_path / "backup").returncode == 0
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("mine")
    result = run_stoker("backup", other, "--data", server.data)
    assert result.returncode == 1 and "letter.txt" in result.stderr, result
    result = run_stoker("backup", tmp_path / "b", "--data", tmp_path / "nothing")
    assert result.returncode == 1 and "no database" in result.stderr and "pg_dump" in result.stderr, result
    assert "manifest.json is missing" in run_stoker("restore", other, "--data", tmp_path / "r").stderr
