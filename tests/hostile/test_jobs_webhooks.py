# SPDX-License-Identifier: Apache-2.0
"""Webhooks of jobs: targets that lead into the server's own network, and receivers that do not behave."""
import http.server
import socket
import threading
import urllib.parse

import pytest

from support.job_requests import Jobs, Pipelines, finish, problem
from support.server import Server
from support.waiting import eventually

METADATA = "169.254.169.254"


@pytest.fixture(scope="module")
def open_server():
    """One that may call private networks: the receivers of these tests are on loopback."""
    with Server(arguments=["--webhook-private-networks"]) as running:
        yield running


@pytest.fixture(scope="module")
def open_jobs(open_server):
    _, secret = Pipelines(open_server).create("calls")
    return Jobs(open_server, "calls", secret)


def finished(jobs, url, **more):
    """A job with this webhook that has succeeded; its id."""
    answer = jobs.submit(query="webhook=" + urllib.parse.quote(url), **more)
    assert answer.status == 202, answer
    finish(jobs.server, answer.json)
    return answer.json["task_id"]


def deliveries(jobs, job):
    return jobs.call("GET", f"/jobs/{job}/deliveries").json["deliveries"]


def attempted(jobs, job):
    """The delivery after its first attempt."""
    return eventually(lambda: next((one for one in deliveries(jobs, job) if one["attempts"] > 0), None))


@pytest.mark.parametrize("url", [
    "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "//example.com", "example.com", "http://", "http:///x", "http://:80/",
    "http://user:password@example.com/", "http://example.com/#fragment", "http://example.com:99999/", "http://example.com:-1/",
    "http://exa mple.com/", "http://example.com/\r\nX-Evil: 1", "http://example.com/\0", "http://[::1", "http://\xff/", "unix:///run/docker.sock",
    "http://example.com/" + "x" * 3000, "gopher://127.0.0.1:6379/_FLUSHALL", "\thttp://example.com/", ""], ids=lambda url: repr(url)[:40])
def test_an_invalid_url_is_rejected(jobs, no_new_job, url):
    problem(jobs.submit(query="webhook=" + urllib.parse.quote(url)), 400)


@pytest.mark.parametrize("host", [
    "127.0.0.1", "localhost", METADATA, "10.0.0.1", "172.16.0.1", "192.168.0.1", "0.0.0.0", "[::1]", "[::]", "[fe80::1]", "[fd00::1]",
    "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "100.64.0.1", "224.0.0.1",
    "255.255.255.255", "[64:ff9b::7f00:1]"])
def test_a_private_target_is_never_called(jobs, server, host):
    """Rejected at once, or never connected to: here something listens on all addresses of this machine."""
    with socket.create_server(("", 0)) as listener:
        listener.settimeout(0.3)
        answer = jobs.submit(query="webhook=" + urllib.parse.quote(f"http://{host}:{listener.getsockname()[1]}/"))
        if answer.status == 400:
            problem(answer, 400)
            return
        assert answer.status == 202, answer
        finish(server, answer.json)
        tried = attempted(jobs, answer.json["task_id"])
        assert tried["status"] != "DELIVERED" and tried["response_status"] is None, tried
        with pytest.raises(TimeoutError):
            listener.accept()


class Bad(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.paths.append(self.path)
        self.server.answer(self)

    do_GET = do_POST

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    """Its `answer` is set by the test."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bad)
    server.paths, server.released = [], threading.Event()
    server.daemon_threads = True
    server.url = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", [f"http://{METADATA}/latest/meta-data/", "SELF", "//evil.example/", "file:///etc/passwd"])
def test_a_redirect_is_not_followed(open_jobs, receiver, status, target):
    def redirect(request):
        request.send_response(status)
        request.send_header("Location", receiver.url + "stolen" if target == "SELF" else target)
        request.send_header("Content-Length", "0")
        request.end_headers()

    receiver.answer = redirect
    tried = attempted(open_jobs, finished(open_jobs, receiver.url))
    assert tried["status"] == "PENDING" and tried["response_status"] == status, tried
    assert set(receiver.paths) == {"/"}


def test_a_receiver_that_never_answers_does_not_hold_up_others(open_jobs, receiver):
    receiver.answer = lambda request: receiver.released.wait()
    stuck = [finished(open_jobs, receiver.url) for _ in range(20)]
    eventually(lambda: len(receiver.paths) >= 1)
    good = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bad)
    good.paths = []
    good.answer = lambda request: (request.send_response(204), request.end_headers())
    threading.Thread(target=good.serve_forever, daemon=True).start()
    try:
        job = finished(open_jobs, f"http://127.0.0.1:{good.server_port}/")
        eventually(lambda: deliveries(open_jobs, job)[0]["status"] == "DELIVERED")
    finally:
        good.shutdown()
        good.server_close()
    assert all(one["status"] == "PENDING" for job in stuck for one in deliveries(open_jobs, job))


def test_a_receiver_of_one_byte_per_second_is_given_up(open_jobs, receiver):
    """The whole exchange has a deadline, not each byte of it."""
    def drip(request):
        try:
            for byte in b"HTTP/1.1 204 No Content\r\nX-Long: " + b"x" * 10_000:
                request.wfile.write(bytes([byte]))
                request.wfile.flush()
                if receiver.released.wait(1):
                    return
        except OSError:
            receiver.gave_up = True

    receiver.gave_up, receiver.answer = False, drip
    tried = attempted(open_jobs, finished(open_jobs, receiver.url))
    assert tried["status"] == "PENDING" and tried["error"], tried
    eventually(lambda: receiver.gave_up)


@pytest.mark.parametrize("answer", [
    b"", b"garbage\r\n\r\n", b"HTTP/1.1 999 x\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    b"HTTP/1.1 500 Oh\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 3_000_000, b"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"HTTP/1.1 400 \x1b[2J\xff\r\nContent-Length: 0\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"], ids=lambda text: repr(text[:24]))
def test_an_odd_answer_is_a_failed_attempt(open_jobs, receiver, answer):
    def write(request):
        try:
            request.wfile.write(answer)
        except OSError:
            pass
        request.close_connection = True

    receiver.answer = write
    tried = attempted(open_jobs, finished(open_jobs, receiver.url))
    assert tried["status"] == "PENDING", tried
    assert tried["error"] is None or "\x1b" not in tried["error"], tried


def test_an_endless_answer_of_success_is_cut_off(open_jobs, receiver):
    """Only its status matters."""
    def pour(request):
        try:
            request.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while not receiver.released.is_set():
                request.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        except OSError:
            receiver.cut_off = True

    receiver.cut_off, receiver.answer = False, pour
    job = finished(open_jobs, receiver.url)
    attempted(open_jobs, job)
    eventually(lambda: receiver.cut_off)


def test_a_result_can_not_inject_headers(open_jobs, receiver):
    receiver.seen = []

    def keep(request):
        receiver.seen.append(dict(request.headers))
        request.send_response(204)
        request.end_headers()

    receiver.answer = keep
    answer = open_jobs.submit(query="id=a.b&filename=" + urllib.parse.quote("x\r\nEvil: 1") + "&webhook=" + urllib.parse.quote(receiver.url))
    assert answer.status == 202, answer
    finish(open_jobs.server, answer.json, b'{"a": "\\r\\nEvil: 1"}')
    eventually(lambda: receiver.seen)
    assert "Evil" not in receiver.seen[0]
    assert receiver.seen[0]["webhook-id"] == "msg_calls_a%2Eb"


def test_resending_an_unknown_delivery_is_rejected(open_jobs, receiver):
    receiver.answer = lambda request: (request.send_response(204), request.end_headers())
    job = finished(open_jobs, receiver.url)
    attempted(open_jobs, job)
    for delivery in ("0", "-1", "x", "..", "%00", "9" * 30, "' OR 1=1"):
        problem(open_jobs.call("POST", f"/jobs/{job}/deliveries/{urllib.parse.quote(delivery)}/resend"), 400, 404)
