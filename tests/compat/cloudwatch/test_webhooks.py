# SPDX-License-Identifier: Apache-2.0
"""Webhooks as the actions of alarms, an extension: signed by Standard Webhooks, sent until they are accepted."""
import base64
import hashlib
import hmac
import http.server
import json
import queue
import threading

import pytest

from support.queues import unique_name
from support.raw import Caller
from support.waiting import PATIENCE_SECONDS, eventually


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.received.put((dict(self.headers), body))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.received, server.statuses = queue.Queue(), []
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


def test_an_alarm_calls_its_webhook_until_it_is_accepted(connect, receiver, webhook):
    cloudwatch, name = connect("cloudwatch"), unique_name()
    cloudwatch.put_metric_alarm(
        AlarmName=name, Namespace=name, MetricName="Depth", Statistic="Maximum", Period=60, EvaluationPeriods=1,
        Threshold=5, ComparisonOperator="GreaterThanThreshold", AlarmActions=[webhook["arn"]],
    )
    receiver.statuses = [500]
    cloudwatch.put_metric_data(Namespace=name, MetricData=[{"MetricName": "Depth", "Value": 10}])
    headers, body = receiver.received.get(timeout=PATIENCE_SECONDS)
    assert verified(webhook, headers, body)
    assert json.loads(body)["NewStateValue"] == "ALARM"
    again, same = receiver.received.get(timeout=PATIENCE_SECONDS)
    assert verified(webhook, again, same)
    assert (again["webhook-id"], same) == (headers["webhook-id"], body)

    def executed():
        return cloudwatch.describe_alarm_history(AlarmName=name, HistoryItemType="Action")["AlarmHistoryItems"]

    (item,) = eventually(executed)
    assert item["HistorySummary"] == f"Successfully executed action {webhook['arn']}"
    cloudwatch.delete_alarms(AlarmNames=[name])
