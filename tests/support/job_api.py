# SPDX-License-Identifier: Apache-2.0
"""The job API with plain HTTP, and pipelines without machines: a test does the work itself, with boto3."""
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request

from support.queues import unique_name
from support.raw import Caller
from support.waiting import PATIENCE_SECONDS


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def request(url, method="GET", body=None, headers=None, timeout=PATIENCE_SECONDS):
    sent = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    opener = urllib.request.build_opener(NoRedirects)
    try:
        with opener.open(sent, timeout=timeout) as got:
            return Answer(got.status, got.headers, got.read())
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.headers, error.read())


class Pipeline:
    """A new pipeline, with a key. Nothing runs its workers."""

    def __init__(self, server, **spec):
        self.server, self.name = server, unique_name()[:30]
        self.caller = Caller(server)
        spec = {"name": self.name, "builtin": "ocr", "max": 1, "retries": 1, **spec}
        self.applied = self.operation("ApplyPipeline", {"spec": json.dumps(spec)})
        made = self.operation("CreatePipelineKey", {"pipeline": self.name, "name": "test"})
        self.key_id, self.secret = made["key"]["id"], made["secret"]
        described = self.operation("DescribePipeline", {"name": self.name})["pipeline"]
        self.bucket, self.queue, self.failed_queue = described["bucket"], described["queueUrl"], described["failedQueueUrl"]

    def operation(self, name, members):
        answer = self.caller.json(name, members, scope=self.caller.scope("pipelines"), target="StokerPipelines",
                                  headers={"Content-Type": "application/x-amz-json-1.1"})
        assert answer.status == 200, answer
        return answer.json if answer.body else None

    def __call__(self, method, target, body=None, headers=None, secret=None, timeout=PATIENCE_SECONDS):
        fields = {"Authorization": f"Bearer {secret or self.secret}", "Content-Type": "application/octet-stream", **(headers or {})}
        return request(self.server.endpoint + target, method, body, fields, timeout)

    def submit(self, body=b"input", query=None, headers=None):
        target = f"/pipelines/{self.name}/jobs" + ("?" + urllib.parse.urlencode(query) if query else "")
        return self("POST", target, body, headers)

    def job(self, task_id, wait=None):
        answer = self("GET", f"/jobs/{task_id}", headers={"Prefer": f"wait={wait}"} if wait else None)
        assert answer.status == 200, answer
        return answer.json

    def delete(self):
        self.operation("DeletePipeline", {"name": self.name, "deleteData": True})

    def events(self, target, headers=None):
        """An open stream of server-sent events."""
        return EventStream(self, target, headers)


class EventStream:
    def __init__(self, pipeline, target, headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", pipeline.server.port, timeout=PATIENCE_SECONDS)
        self.connection.request("GET", target, headers={"Authorization": f"Bearer {pipeline.secret}", **(headers or {})})
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        assert self.answer.headers["Content-Type"] == "text/event-stream"

    def __iter__(self):
        event = {}
        for line in self.answer:
            line = line.decode().rstrip("\n")
            name, _, value = line.partition(": ")
            if line and not line.startswith(":"):
                event[name] = value
            elif "data" in event:
                yield int(event["id"]), json.loads(event["data"])
                event = {}

    def close(self):
        self.connection.close()


class Worker:
    """What a worker does, step by step, with boto3."""

    def __init__(self, pipeline, s3, sqs):
        self.pipeline, self.s3, self.sqs = pipeline, s3, sqs

    def receive(self, visibility=60):
        """The next item: its message and its record; None if there is none."""
        got = self.sqs.receive_message(QueueUrl=self.pipeline.queue, WaitTimeSeconds=1, VisibilityTimeout=visibility).get("Messages", [])
        if not got:
            return None
        body = json.loads(got[0]["Body"])
        if "Records" not in body:  # s3:TestEvent
            self.sqs.delete_message(QueueUrl=self.pipeline.queue, ReceiptHandle=got[0]["ReceiptHandle"])
            return self.receive(visibility)
        record = body["Records"][0]["s3"]
        record["key"] = urllib.parse.unquote_plus(record["object"]["key"])
        return got[0], record

    def report(self, record, attempt=1, task=""):
        job = {"bucket": self.pipeline.bucket, "key": record["key"], "sequencer": record["object"]["sequencer"],
               "attempt": attempt, "status": "RUNNING"}
        return self.pipeline.operation("ReportJobs", {"pipeline": self.pipeline.name, "task": task, "jobs": [job]})

    def succeed(self, item, result=b'{"text": "done"}'):
        message, record = item
        self.s3.put_object(Bucket=self.pipeline.bucket, Key=f"out/{record['key'][3:]}.json", Body=result,
                           ContentType="application/json", Metadata={"stoker-sequencer": record["object"]["sequencer"]})
        self.sqs.delete_message(QueueUrl=self.pipeline.queue, ReceiptHandle=message["ReceiptHandle"])

    def fail(self, item, attempt=1):
        message, record = item
        error = {"error": {"type": "BadImage", "message": "not a PNG"}, "attempt": attempt}
        self.s3.put_object(Bucket=self.pipeline.bucket, Key=f"errors/{record['key'][3:]}.json", Body=json.dumps(error).encode())
        try:
            self.sqs.change_message_visibility(
                QueueUrl=self.pipeline.queue, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
        except self.sqs.exceptions.ClientError as error:
            # The last failure has moved it to the dead-letter queue.
            assert "does not exist or is not available" in str(error), error
