# SPDX-License-Identifier: Apache-2.0
"""Forms (multipart/form-data) that are malformed, endless or ambiguous. A rejected form leaves nothing behind."""
import json

import pytest

from support.job_requests import problem, rejected
from support.raw import Connection
from support.waiting import eventually


@pytest.fixture(autouse=True)
def nothing_left_behind(server):
    """No incomplete upload remains on the disk."""
    yield
    incoming = server.data / "objects" / "incoming"
    eventually(lambda: not list(incoming.iterdir()))


def part(name, content, filename=None, more=b""):
    disposition = f'Content-Disposition: form-data; name="{name}"' + (f'; filename="{filename}"' if filename is not None else "")
    return disposition.encode() + b"\r\n" + more + b"\r\n" + content


def form(*parts, boundary=b"cut", end=True):
    body = b"".join(b"--" + boundary + b"\r\n" + one + b"\r\n" for one in parts)
    return body + (b"--" + boundary + b"--\r\n" if end else b"")


FILE = part("file", b"content", "a.png")


def test_a_valid_form_is_a_job(jobs):
    """Otherwise the tests below test nothing."""
    answer = jobs.form(form(part("id", b"form-1"), part("metadata", b'{"a": "b"}'), part("priority", b"3"), FILE))
    assert answer.status == 202, answer
    assert answer.json["task_id"] == "form-1" and answer.json["metadata"] == {"a": "b"} and answer.json["priority"] == 3
    assert answer.json["input"]["size"] == 7


@pytest.mark.parametrize("content_type", [
    "multipart/form-data", "multipart/form-data; boundary=", 'multipart/form-data; boundary=""', "multipart/form-data; boundary=" + "x" * 300,
    "multipart/form-data; boundary=other", "multipart/form-data; boundary=cut; boundary=other", 'multipart/form-data; boundary="cut',
    "multipart/form-data; boundary=cut\xff", "multipart/form-data; Boundary", "multipart/mixed; boundary=cut"], ids=lambda text: text[:60])
def test_an_invalid_boundary_is_rejected(jobs, content_type):
    answer = jobs.form(form(FILE), content_type=content_type)
    if content_type.startswith("multipart/mixed") and answer.status == 202:
        return  # a raw body of that type
    if "=cut;" in content_type or '="cut' in content_type:  # a lenient server finds the boundary
        assert answer.status == 400 or answer.json["input"]["size"] == 7, answer
        return
    rejected(answer, 400)


BROKEN = {
    "empty": b"",
    "only the end": b"--cut--\r\n",
    "no file": form(part("id", b"x")),
    "no end": form(FILE, end=False),
    "end of the head": b"--cut\r\nContent-Disposition: form-data; name=\"file\"\r\n",
    "half a boundary": form(FILE)[:-6],
    "no disposition": form(b"Content-Type: text/plain\r\n\r\nx", FILE),
    "no name": form(b"Content-Disposition: form-data\r\n\r\nx", FILE),
    "another kind": form(b'Content-Disposition: attachment; name="file"; filename="a"\r\n\r\nx'),
    "two files": form(FILE, part("file", b"other", "b.png")),
    "two ids": form(part("id", b"a"), part("id", b"b"), FILE),
    "an id after the file that contradicts": form(part("id", b"a"), FILE, part("id", b"b")),
    "unknown field": form(part("surprise", b"x"), FILE),
    "invalid id": form(part("id", b"../x"), FILE),
    "id that is not UTF-8": form(part("id", b"\xff\xfe"), FILE),
    "metadata that is no JSON": form(part("metadata", b"{"), FILE),
    "metadata that is a list": form(part("metadata", b"[1]"), FILE),
    "metadata with numbers": form(part("metadata", b'{"a": 1}'), FILE),
    "metadata with an object": form(part("metadata", b'{"a": {"b": "c"}}'), FILE),
    "metadata that is not UTF-8": form(part("metadata", b'{"a": "\xff"}'), FILE),
    "deep metadata": form(part("metadata", b"[" * 100_000), FILE),
    "large metadata": form(part("metadata", json.dumps({"a": "x" * 5000}).encode()), FILE),
    "much metadata": form(part("metadata", json.dumps({f"k{i}": "v" for i in range(60)}).encode()), FILE),
    "priority that is no number": form(part("priority", b"high"), FILE),
    "priority beyond": form(part("priority", b"10"), FILE),
    "webhook that is no URL": form(part("webhook", b"javascript:alert(1)"), FILE),
    "a large field": form(part("id", b"a" * 200_000), FILE),
    "a large head": form(b"X-Junk: " + b"j" * 200_000 + b"\r\n" + FILE),
    "many headers": form(b"X-Junk: j\r\n" * 20_000 + FILE),
    "an endless head": b"--cut\r\n" + b"X" * 1_000_000,
    "many fields": form(*[part(f"f{i}", b"x") for i in range(5000)], FILE),
    "many empty parts": b"--cut\r\n\r\n" * 50_000 + form(FILE),
    "NUL in a name": form(b'Content-Disposition: form-data; name="fi\0le"; filename="a"\r\n\r\nx'),
    "bare line feeds": form(FILE).replace(b"\r\n", b"\n"),
    "nested": form(b'Content-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=in\r\n\r\n'
                   b'--in\r\nContent-Disposition: file; filename="a"\r\n\r\nx\r\n--in--')[:-9],
    "base64": form(part("id", b"Zm9v", more=b"Content-Transfer-Encoding: base64\r\n"), FILE, end=False),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_malformed_form_is_rejected(jobs, no_new_job, kind):
    rejected(jobs.form(BROKEN[kind]), 400, 413)


def test_a_nested_form_is_the_content_of_its_part(jobs):
    """Its inner parts are not fields: an inner id is not the job's."""
    inner = form(part("id", b"inner"), boundary=b"in")
    answer = jobs.form(form(part("file", inner, "a", more=b"Content-Type: multipart/form-data; boundary=in\r\n"), part("id", b"outer")))
    if answer.status == 400:
        problem(answer, 400)
        return
    assert answer.status == 202 and answer.json["task_id"] == "outer", answer
    assert answer.json["input"]["size"] == len(inner)


def test_a_line_break_in_a_name_adds_no_header(jobs):
    answer = jobs.form(form(b'Content-Disposition: form-data; name="file\r\nContent-Type: text/html"; filename="a"\r\n\r\nx'))
    assert answer.status in (202, 400), answer
    if answer.status == 202:
        assert answer.json["input"]["size"] == 1 and "\n" not in answer.json["input"]["content_type"], answer


def test_almost_a_boundary_is_content(jobs):
    content = b"\r\n--cu\r\n--cut \r\n--cut\tx--cut--\r\n-\r\n--"
    answer = jobs.form(form(part("file", content, "a")))
    if answer.status == 202:
        assert answer.json["input"]["size"] == len(content)
    else:
        problem(answer, 400)


@pytest.mark.parametrize("name", ["../../x", "a\\..\\b", "a%0d%0ab", "..", "", "a\tb", "a;b", "\xff", "é"], ids=repr)
def test_a_filename_in_a_form_stays_in_its_folder(jobs, name):
    raw = part("file", b"x", "NAME").replace(b"NAME", name.encode("latin-1"))
    answer = jobs.form(form(raw))
    assert answer.status in (202, 400), answer
    if answer.status == 202:
        key = answer.json["input"]["key"]
        assert key.startswith("in/") and all(one not in ("", ".", "..") for one in key.split("/")), key


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.999])
def test_a_form_that_ends_early_is_no_job(jobs, server, no_new_job, kept):
    whole = jobs.bytes("POST", jobs.path, form(part("file", b"x" * 3_000_000, "a")), {"Content-Type": "multipart/form-data; boundary=cut"})
    with Connection(server.port) as connection:
        connection.send(whole[: int(len(whole) * kept)])
        connection.socket.shutdown(1)
        answer = connection.read_answer()
        assert answer is None or 400 <= answer.status < 500, answer
