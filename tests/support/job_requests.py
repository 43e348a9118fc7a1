# SPDX-License-Identifier: Apache-2.0
"""Raw requests of the job API, and a pipeline for them. Its workers never run: the server has no machines."""
import hashlib
import json
import urllib.parse

from support import sigv4
from support.raw import Caller, exchange, request_bytes
from support.s3_raw import S3Caller

JSON_11 = "application/x-amz-json-1.1"


class Pipelines:
    """Operations of the service `pipelines`."""

    def __init__(self, server, key=None):
        self.caller = Caller(server, key)

    def __call__(self, operation, members):
        return self.caller.json(operation, members, scope=self.caller.scope("pipelines"), target="StokerPipelines",
                                headers={"Content-Type": JSON_11})

    def create(self, name, **more):
        answer = self("ApplyPipeline", {"spec": json.dumps({"name": name, "builtin": "ocr", "max": 1, **more})})
        assert answer.status == 200, answer
        answer = self("CreatePipelineKey", {"pipeline": name})
        assert answer.status == 200, answer
        return answer.json["key"]["id"], answer.json["secret"]


class Jobs:
    """Requests with a bearer key, or signed where `secret` is None."""

    def __init__(self, server, pipeline, secret):
        self.server, self.pipeline, self.secret = server, pipeline, secret
        self.port, self.host = server.port, f"127.0.0.1:{server.port}"

    def fields(self, method, target, body=b"", headers=None):
        fields = {"Host": self.host, **(headers or {})}
        if self.secret is not None:
            return {"Authorization": f"Bearer {self.secret}", **fields}
        caller = Caller(self.server)
        fields["X-Amz-Content-Sha256"] = hashlib.sha256(body).hexdigest()
        return sigv4.signed_headers(caller.scope("pipelines"), method, target, fields, body, None)

    def bytes(self, method, target, body=b"", headers=None, length=None):
        """`length`: the Content-Length if it differs from the body's; "" for none."""
        fields = self.fields(method, target, body, headers)
        promised = str(len(body)) if length is None else str(length)
        if promised and (body or length is not None or method == "POST"):
            fields["Content-Length"] = promised
        return request_bytes(method, target, fields, body)

    def call(self, method, target, body=b"", headers=None, length=None):
        return exchange(self.port, self.bytes(method, target, body, headers, length))

    @property
    def path(self):
        return f"/pipelines/{self.pipeline}/jobs"

    def submit(self, body=b"input", query="", headers=None):
        return self.call("POST", self.path + (f"?{query}" if query else ""), body, headers)

    def form(self, body, boundary="cut", content_type=None):
        return self.submit(body, headers={"Content-Type": content_type or f"multipart/form-data; boundary={boundary}"})

    def ids(self):
        """Of all jobs of the pipeline."""
        found, cursor = set(), ""
        while cursor is not None:
            page = self.call("GET", f"{self.path}?limit=1000{cursor}").json
            found |= {job["task_id"] for job in page["jobs"]}
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        return found


def finish(server, job, result=b'{"text": "done"}'):
    """Does what a worker does at the end: writes the result."""
    name = job["input"]["key"].removeprefix("in/")
    answer = S3Caller(server).call("PUT", f"/{job['input']['bucket']}/out/{urllib.parse.quote(name)}.json", result)
    assert answer.status == 200, answer


def problem(answer, *statuses):
    """An error of the client, as RFC 9457 has it."""
    assert answer is not None, "the connection was closed without an answer"
    assert 400 <= answer.status < 500, answer
    assert not statuses or answer.status in statuses, answer
    assert answer.headers["content-type"].split(";")[0] == "application/problem+json", answer.headers
    document = json.loads(answer.body)
    assert {"type", "title", "status", "detail"} <= document.keys(), document
    assert document["status"] == answer.status, document
    assert document["detail"], document
    return document


def rejected(answer, *statuses):
    """The same; or HTTP itself refuses the request, with a plain 4xx or the end of the connection."""
    if answer is None or not answer.headers.get("content-type", "").startswith("application/problem"):
        assert answer is None or 400 <= answer.status < 500 or answer.status in (501, 505), answer
        return
    problem(answer, *statuses)
