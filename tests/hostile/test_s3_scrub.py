# SPDX-License-Identifier: Apache-2.0
"""`stoker scrub` finds damaged objects, and only these."""
import json
import os
import subprocess

import pytest

from support.s3_raw import S3Caller
from support.server import Server, binary
from support.waiting import eventually

LARGE = 300_000  # a file; small objects are rows


@pytest.fixture
def shelf():
    with Server() as running:
        caller = S3Caller(running)
        assert caller.call("PUT", "/shelf").status == 200
        yield running, caller


def scrub(server, *arguments):
    return subprocess.run(
        [binary(), "scrub", "--data", str(server.data), *arguments], capture_output=True, text=True, timeout=300
    )


def lines_of(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def file_of(server, put):
    """The path of the file that `put` creates. The file moves to its place after the response."""
    def files():
        return {path.name: path for path in server.data.glob("objects/*/*") if path.parent.name != "incoming"}

    eventually(lambda: not list(server.data.glob("objects/incoming/*")))
    before = set(files())
    put()
    (path,) = eventually(lambda: [path for name, path in files().items() if name not in before])
    return path


def put(caller, key, size=LARGE):
    answer = caller.call("PUT", f"/shelf/{key}", os.urandom(size))
    assert answer.status == 200, answer


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))


def test_undamaged_objects_are_reported_as_such(shelf):
    server, caller = shelf
    put(caller, "small", 100)
    put(caller, "large")
    result = scrub(server)
    assert result.returncode == 0, result
    assert result.stdout == "objects and parts read: 2, of 300100 bytes: all are what was uploaded\n"
    assert lines_of(scrub(server, "--json")) == [{"done": {"checked": 2, "bytes": 300100, "bad": 0, "unnamed": 0}}]


def test_damaged_files_are_found(shelf):
    server, caller = shelf
    for number in range(3):
        put(caller, f"whole/{number}")
    flipped = file_of(server, lambda: put(caller, "flipped"))
    cut = file_of(server, lambda: put(caller, "cut"))
    lost = file_of(server, lambda: put(caller, "lost"))
    flip(flipped, 12345)
    os.truncate(cut, 1000)
    os.unlink(lost)
    (server.data / "objects" / "ab").mkdir(exist_ok=True)
    (server.data / "objects" / "ab" / ("ab" + "0" * 30)).write_bytes(b"nobody's")

    result = scrub(server, "--json")
    assert result.returncode == 1, result
    lines = lines_of(result)
    found = {line["finding"].get("key"): line["finding"]["problem"] for line in lines[:-1]}
    assert found == {"flipped": "DAMAGED", "cut": "SHORT", "lost": "MISSING", None: "UNNAMED"}
    assert lines[-1] == {"done": {"checked": 6, "bytes": 6 * LARGE, "bad": 3, "unnamed": 1}}
    table = scrub(server)
    assert table.returncode == 1
    text = " ".join(table.stdout.split())  # long cells continue on further lines
    assert "1000 bytes where there were 300000" in text and "3 are not what was uploaded" in text

    assert caller.call("GET", "/shelf/lost").status == 500
    assert caller.call("GET", "/shelf/whole/0").status == 200
    for key in ("flipped", "cut", "lost"):
        assert caller.call("DELETE", f"/shelf/{key}").status == 204
    assert scrub(server).returncode == 0


def test_damaged_parts_are_found(shelf):
    server, caller = shelf
    started = caller.call("POST", "/shelf/parts?uploads")
    upload = started.body.split(b"<UploadId>")[1].split(b"<")[0].decode()

    def put_part():
        answer = caller.call("PUT", f"/shelf/parts?partNumber=1&uploadId={upload}", os.urandom(LARGE))
        assert answer.status == 200, answer

    part = file_of(server, put_part)
    assert scrub(server).returncode == 0
    flip(part, 0)
    (finding,) = [line["finding"] for line in lines_of(scrub(server, "--json")) if "finding" in line]
    assert (finding["problem"], finding["part"], finding["uploadId"]) == ("DAMAGED", 1, upload)


def test_only_the_root_key_may_scrub(shelf):
    server, _ = shelf
    made = subprocess.run(
        [binary(), "key", "create", "--account", "222222222222", "--json", "--data", str(server.data)],
        capture_output=True, text=True, check=True,
    )
    key = json.loads(made.stdout)["key"]
    credentials = server.data / "credentials"
    before = credentials.read_text()
    credentials.write_text(f"[default]\naws_access_key_id = {key['id']}\naws_secret_access_key = {key['secret']}\n")
    try:
        result = scrub(server)
    finally:
        credentials.write_text(before)
    assert result.returncode == 1 and "AccessDenied" in result.stderr, result
