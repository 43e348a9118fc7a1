# SPDX-License-Identifier: Apache-2.0
"""A webhook and its receiver. Fixtures: a test imports `receiver` and `webhook`."""
import base64
import hashlib
import hmac
import http.server
import queue
import threading

import pytest

from support.queues import unique_name
from support.raw import Caller


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.received.put((dict(self.headers), body))
        status = self.server.statuses.pop(0) if self.server.statuses else 204
        if status < 300:
            self.server.accepted.append((dict(self.headers), body))
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.received, server.accepted, server.statuses = queue.Queue(), [], []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture
def webhook(server, receiver):
    caller, name = Caller(server), unique_name()

    def call(operation, members):
        headers = {"Content-Type": "application/x-amz-json-1.1"}
        answer = caller.json(operation, members, scope=caller.scope("stoker"), target="Stoker", headers=headers)
        assert answer.status == 200, answer
        return answer.json if answer.body else None

    yield call("CreateWebhook", {"name": name, "url": f"http://127.0.0.1:{receiver.server_port}/hook"})["webhook"]
    call("DeleteWebhook", {"name": name})


def verified(webhook, headers, body):
    """As a receiver checks it."""
    key = base64.b64decode(webhook["secret"].removeprefix("whsec_"))
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    signature = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{signature}"
