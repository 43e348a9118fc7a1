# SPDX-License-Identifier: Apache-2.0
"""Names of pipelines, ids, names of files, and metadata that try to be something else."""
import urllib.parse

import pytest

from support.job_requests import problem, rejected
from support.raw import exchange, request_bytes

TRAVERSALS = ["..", ".", "../hostile", "..%2Fhostile", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "hostile%2f..%2fhostile-other",
              "..%5c..", "hostile%00", "%00", "%ff%fe", "hostile%0d%0aX-Evil:%201", "hostile;x=1", "%zz", "%", "a" * 5000,
              "%F0%9F%98%80", "~root", "hostile%20", "*", "hostile'--"]


@pytest.mark.parametrize("name", TRAVERSALS, ids=lambda name: name[:30])
def test_a_pipeline_can_not_be_reached_by_another_name(jobs, no_new_job, name):
    for method, target in (("GET", f"/pipelines/{name}"), ("GET", f"/pipelines/{name}/jobs"), ("POST", f"/pipelines/{name}/jobs"),
                           ("GET", f"/pipelines/{name}/events")):
        answer = jobs.call(method, target)
        assert answer is None or 400 <= answer.status < 500, answer
        assert answer is None or b"root:" not in answer.body


@pytest.mark.parametrize("job", TRAVERSALS, ids=lambda name: name[:30])
def test_an_id_in_the_path_is_no_path(jobs, job):
    for method, rest in (("GET", ""), ("GET", "/result"), ("POST", "/cancel"), ("POST", "/retry"), ("GET", "/deliveries"),
                         ("POST", "/deliveries/../resend"), ("GET", "/events")):
        answer = jobs.call(method, f"/jobs/{job}{rest}")
        assert answer is None or 400 <= answer.status < 500, answer


@pytest.mark.parametrize("job", ["", "a" * 65, "a/b", "../x", "a b", "a\nb", "a\0b", "\xff", "é", "a%b", "a;b", "a'b", "<a>"], ids=repr)
def test_an_invalid_id_is_rejected(jobs, no_new_job, job):
    problem(jobs.submit(query="id=" + urllib.parse.quote(job)), 400)


@pytest.mark.parametrize("job", [".", "..", "...", "-", "--help", "_", "a" * 64, "A.b-C_9"])
def test_an_odd_but_valid_id_is_an_id(jobs, job):
    """Also in the names of objects: none of them leaves its folder."""
    answer = jobs.submit(query=f"id={job}")
    if answer.status == 400:  # a stricter server is right, too
        problem(answer, 400)
        return
    assert answer.status == 202, answer
    document = answer.json
    assert document["task_id"] == job
    key = document["input"]["key"]
    assert key.startswith("in/") and "/../" not in key and "/./" not in key and not key.endswith(("/..", "/.")), key
    assert jobs.call("GET", f"/jobs/{job}").json["input"] == document["input"]


@pytest.mark.parametrize("key", ["a" * 257, "", "a\tb", "é"], ids=repr)
def test_an_odd_idempotency_key_is_an_id_or_an_error(jobs, key):
    answer = jobs.submit(headers={"Idempotency-Key": key})
    assert answer.status in (202, 400), answer
    if answer.status == 202:
        again = jobs.submit(headers={"Idempotency-Key": key})
        assert key == "" or again.json["task_id"] == answer.json["task_id"]


NAMES = ["../../etc/passwd", "/etc/passwd", "..\\..\\boot.ini", "C:\\x.png", ".", "..", "...", "a/../../b", "a\r\nX-Evil: 1", "a\0b",
         "\x1b[2Jx", ".htaccess", "a" * 1024, "é.png", " ", "%2e%2e%2f", "a?b#c&d=e", "\u202egnp.exe", "\x7f", "in/x", "out/x.json"]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name)[:30])
def test_a_filename_stays_in_its_folder(jobs, name):
    answer = jobs.submit(query="filename=" + urllib.parse.quote(name))
    if answer.status == 400:
        problem(answer, 400)
        return
    assert answer.status == 202, answer
    assert "x-evil" not in answer.headers
    key = answer.json["input"]["key"]
    assert key.startswith("in/"), key
    parts = key.split("/")[1:]
    assert parts and all(part not in ("", ".", "..") for part in parts), key
    assert not any(ord(c) < 0x20 or ord(c) == 0x7f for c in key), key


@pytest.mark.parametrize("name", ["\\xff\\xfe", "a\\xc3", "\\xed\\xa0\\x80"])
def test_a_filename_that_is_not_utf8_is_rejected_or_replaced(jobs, name):
    raw = name.encode().decode("unicode_escape").encode("latin-1")
    answer = jobs.submit(query="filename=" + urllib.parse.quote(raw))
    assert answer.status in (202, 400), answer
    if answer.status == 202:
        answer.body.decode("utf-8")
        assert jobs.call("GET", f"/jobs/{answer.json['task_id']}").status == 200


@pytest.mark.parametrize("value", [
    'attachment; filename="a', 'attachment; filename=', 'attachment; filename="a\\"; x="', "attachment; filename*=UTF-8''%2e%2e%2fx",
    "attachment; filename*=UTF-8''%zz", "attachment; filename*=x''y", "; ; ;", "filename", 'attachment; filename="a"; filename="../b"',
    "attachment; filename=" + "a" * 20_000, 'inline; filename="x\ty"', "\xff\xfe"], ids=lambda value: value[:40])
def test_an_odd_content_disposition_does_no_harm(jobs, value):
    answer = jobs.submit(headers={"Content-Disposition": value})
    assert answer is not None and answer.status in (202, 400, 431), answer
    if answer.status == 202:
        key = answer.json["input"]["key"]
        assert key.startswith("in/") and ".." not in key.split("/"), key


def test_a_header_can_not_be_split_by_a_filename(jobs, server):
    """Neither of the answer, nor of a later download of the input."""
    answer = jobs.submit(query="filename=" + urllib.parse.quote("a\r\nSet-Cookie: x=1"))
    assert "set-cookie" not in answer.headers
    raw = request_bytes("POST", jobs.path, {**jobs.fields("POST", jobs.path), "Content-Length": "1",
                                            "Content-Disposition": 'attachment; filename="a\rSet-Cookie: x=1"'}, b"x")
    answer = exchange(server.port, raw)
    if answer is None or answer.status != 202:
        rejected(answer)


@pytest.mark.parametrize("query", [
    "metadata.=x", "metadata", "metadata.a=" + "x" * 3000, "&".join(f"metadata.k{i}=v" for i in range(51)), "metadata.%ff=x",
    "metadata.a=%ff", "metadata.a=%00", "metadata.a=1&metadata.a=2"], ids=lambda query: query[:40])
def test_odd_metadata_is_rejected_or_kept_as_it_is(jobs, query):
    answer = jobs.submit(query=query)
    if answer.status == 202:
        kept = answer.json["metadata"]
        assert len(kept) <= 50 and sum(len(k) + len(v) for k, v in kept.items()) <= 2048, kept
        return
    problem(answer, 400)


@pytest.mark.parametrize("query", ["priority=10", "priority=-1", "priority=", "priority=1e3", "priority=99999999999999999999", "priority=x",
                                   "priority=1.5", "priority=1%00", "unknown=1", "id=a&id=b", "filename=a&filename=b", "%ff=1", "=", "id"])
def test_invalid_parameters_are_rejected(jobs, no_new_job, query):
    answer = jobs.submit(query=query)
    problem(answer, 400)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "FOO"])
def test_other_methods_are_rejected(jobs, method):
    answer = exchange(jobs.port, jobs.bytes(method, jobs.path), head_only=method == "HEAD")
    assert answer is not None and 400 <= answer.status < 500 or answer.status == 501, answer
    answer = exchange(jobs.port, jobs.bytes(method, "/jobs"), head_only=method == "HEAD")
    assert answer is not None and 400 <= answer.status < 500 or answer.status == 501, answer
