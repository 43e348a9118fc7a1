# SPDX-License-Identifier: Apache-2.0
"""Jobs from submission to result, with plain HTTP as the client and boto3 as the worker."""
import hashlib
import json
import os

import pytest

from support import sigv4
from support.job_api import Pipeline, Worker, request
from support.raw import Caller
from support.server import run_stoker
from support.waiting import PATIENCE_SECONDS, eventually
from support.webhooks import receiver, verified  # noqa: F401


@pytest.fixture(scope="module")
def s3(connect):
    return connect("s3")


@pytest.fixture
def pipeline(server):
    made = Pipeline(server)
    yield made
    made.delete()


@pytest.fixture
def worker(pipeline, s3, sqs):
    return Worker(pipeline, s3, sqs)


def test_a_job_from_submission_to_result(pipeline, worker, s3):
    answer = pipeline.submit(b"image", {"filename": "scan 1.png", "metadata.customer": "7"}, {"Content-Type": "image/png"})
    assert answer.status == 202, answer
    job = answer.json
    assert answer.headers["Location"] == f"/jobs/{job['task_id']}"
    assert job["status"] == "QUEUED" and job["attempts"] == 0 and job["metadata"] == {"customer": "7"}
    stored = s3.get_object(Bucket=job["input"]["bucket"], Key=job["input"]["key"])
    assert stored["Body"].read() == b"image" and stored["ContentType"] == "image/png"
    assert pipeline("GET", f"/jobs/{job['task_id']}/result").status == 409

    item = worker.receive()
    assert item[1]["key"] == job["input"]["key"]
    assert worker.report(item[1]) == {"running": 1}
    running = pipeline.job(job["task_id"])
    assert running["status"] == "RUNNING" and running["attempts"] == 1 and running["started_at"]
    worker.succeed(item, b'{"text": "hello"}')
    done = pipeline.job(job["task_id"], wait=30)
    assert done["status"] == "SUCCEEDED" and done["finished_at"] and done["error"] is None
    result = pipeline("GET", done["result"]["url"])
    assert result.json == {"text": "hello"} and result.headers["Content-Type"] == "application/json"
    summary = pipeline("GET", f"/pipelines/{pipeline.name}").json
    assert (summary["queued"], summary["running"], summary["succeeded"]) == (0, 0, 1)


def test_a_file_in_the_bucket_is_a_job_too(pipeline, worker, s3):
    s3.put_object(Bucket=pipeline.bucket, Key="in/folder/ä b.png", Body=b"x")
    jobs = pipeline("GET", f"/pipelines/{pipeline.name}/jobs").json["jobs"]
    assert [(job["status"], job["input"]["key"]) for job in jobs] == [("QUEUED", "in/folder/ä b.png")]
    worker.succeed(worker.receive())
    assert pipeline.job(jobs[0]["task_id"])["result"]["key"] == "out/folder/ä b.png.json"


def test_a_large_result_is_served_and_a_large_input_stored(pipeline, worker, s3):
    body = os.urandom(3_000_000)
    job = pipeline.submit(body).json
    assert s3.get_object(Bucket=pipeline.bucket, Key=job["input"]["key"])["Body"].read() == body
    result = json.dumps({"data": "x" * 500_000}).encode()
    worker.succeed(worker.receive(), result)
    assert pipeline("GET", f"/jobs/{job['task_id']}/result").body == result


def test_the_same_id_is_the_same_job(pipeline, worker):
    first = pipeline.submit(b"one", headers={"Idempotency-Key": "order 7/é".encode().decode("latin-1")})
    again = pipeline.submit(b"one", headers={"Idempotency-Key": "order 7/é".encode().decode("latin-1")})
    assert (first.status, again.status) == (202, 200)
    assert first.json["task_id"] == again.json["task_id"]
    assert pipeline.submit(b"two", {"id": first.json["task_id"]}).status == 409
    worker.succeed(worker.receive())
    assert worker.receive() is None


def test_a_poison_input_fails_with_its_error_and_can_be_retried(pipeline, worker):
    job = pipeline.submit().json["task_id"]
    for attempt in (1, 2):
        item = worker.receive()
        worker.report(item[1], attempt)
        worker.fail(item, attempt)
        assert pipeline.job(job)["status"] == ("QUEUED" if attempt == 1 else "FAILED")
    assert worker.receive() is None  # it is in the dead-letter queue
    failed_queue = worker.sqs.get_queue_attributes(QueueUrl=pipeline.failed_queue, AttributeNames=["All"])["Attributes"]
    assert failed_queue["ApproximateNumberOfMessages"] == "1"
    failed = pipeline.job(job)
    assert failed["status"] == "FAILED" and failed["attempts"] == 2
    assert failed["error"] == {"type": "BadImage", "message": "not a PNG"}
    assert pipeline("GET", f"/jobs/{job}/result").json["job_status"] == "FAILED"

    again = pipeline("POST", f"/jobs/{job}/retry")
    assert again.status == 202 and again.json["status"] == "QUEUED" and again.json["error"] is None
    failed_queue = worker.sqs.get_queue_attributes(QueueUrl=pipeline.failed_queue, AttributeNames=["All"])["Attributes"]
    assert failed_queue["ApproximateNumberOfMessages"] == "0"
    worker.succeed(worker.receive())
    assert pipeline.job(job)["status"] == "SUCCEEDED"
    assert pipeline("POST", f"/jobs/{job}/retry").status == 409


def test_a_cancelled_job_is_not_received_and_a_holder_notices(pipeline, worker):
    waiting, held = pipeline.submit(b"1", {"id": "waiting"}), pipeline.submit(b"2", {"id": "held"})
    assert (waiting.status, held.status) == (202, 202)
    assert pipeline("POST", "/jobs/waiting/cancel").json["status"] == "CANCELLED"
    message, record = worker.receive()
    assert record["key"].startswith("in/held/")
    assert pipeline("POST", "/jobs/held/cancel").status == 200
    with pytest.raises(worker.sqs.exceptions.ClientError):
        worker.sqs.change_message_visibility(QueueUrl=pipeline.queue, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=60)
    assert worker.receive() is None
    assert pipeline("POST", "/jobs/held/retry").status == 202
    worker.succeed(worker.receive())
    assert pipeline.job("held")["status"] == "SUCCEEDED"


def test_higher_priorities_are_received_first(pipeline, worker):
    for name, priority in (("none", 0), ("low", 1), ("high", 9), ("middle", 5)):
        assert pipeline.submit(name.encode(), {"id": name, "priority": priority}).status == 202
    attributes = worker.sqs.get_queue_attributes(QueueUrl=pipeline.queue, AttributeNames=["All"])["Attributes"]
    assert attributes["ApproximateNumberOfMessages"] == "4"
    order = []
    while item := worker.receive():
        order.append(item[1]["key"].split("/")[1])
    assert order == ["high", "middle", "low", "none"]


def test_lists_are_filtered_and_paged(pipeline, worker):
    ids = [pipeline.submit(bytes([i]), {"id": f"job-{i}"}).json["task_id"] for i in range(5)]
    worker.succeed(worker.receive())
    found, cursor = [], ""
    while cursor is not None:
        page = pipeline("GET", f"/jobs?limit=2{cursor}").json
        assert len(page["jobs"]) <= 2
        found += [job["task_id"] for job in page["jobs"]]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    assert found == ids[::-1]
    assert [job["task_id"] for job in pipeline("GET", "/jobs?status=SUCCEEDED").json["jobs"]] == ["job-0"]
    created = pipeline.job("job-4")["created_at"]
    assert pipeline("GET", f"/jobs?created_after={created}").json["jobs"] == []


def test_events_of_a_pipeline_can_be_continued(pipeline, worker):
    stream = pipeline.events(f"/pipelines/{pipeline.name}/events")
    job = pipeline.submit().json["task_id"]
    events = iter(stream)
    first, document = next(events)
    assert document["task_id"] == job and document["status"] == "QUEUED"
    worker.succeed(worker.receive())
    last, document = next(events)
    assert document["status"] == "SUCCEEDED" and last > first
    stream.close()
    again = pipeline.events(f"/pipelines/{pipeline.name}/events", {"Last-Event-ID": str(first)})
    assert next(iter(again)) == (last, document)
    again.close()


def test_events_of_a_job_end_with_it(pipeline, worker):
    job = pipeline.submit().json["task_id"]
    stream = pipeline.events(f"/jobs/{job}/events")
    events = iter(stream)
    assert next(events)[1]["status"] == "QUEUED"
    worker.succeed(worker.receive())
    assert [document["status"] for _, document in events] == ["SUCCEEDED"]


def test_a_submission_can_wait_for_its_result(pipeline, worker):
    answer = pipeline.submit(headers={"Prefer": "wait=0"})
    assert answer.status == 202 and answer.headers["Preference-Applied"] == "wait=0"
    worker.succeed(worker.receive())
    assert pipeline("GET", f"/jobs/{answer.json['task_id']}/result", headers={"Prefer": "wait=30"}).json == {"text": "done"}


def test_signed_requests_work_with_and_without_a_hash(server, pipeline):
    caller = Caller(server)
    target = f"/pipelines/{pipeline.name}/jobs"
    for body_hash in (None, hashlib.sha256(b"x").hexdigest(), "UNSIGNED-PAYLOAD"):
        fields = {"Host": f"127.0.0.1:{server.port}", **({"X-Amz-Content-Sha256": body_hash} if body_hash else {})}
        fields = sigv4.signed_headers(caller.scope("pipelines"), "POST", target, fields, b"x", body_hash)
        answer = request(server.endpoint + target, "POST", b"x", {**fields, "Content-Type": "text/plain"})
        assert answer.status == 202, answer
    fields = sigv4.signed_headers(caller.scope("pipelines"), "GET", "/jobs", {"Host": f"127.0.0.1:{server.port}"}, b"", None)
    assert len(request(server.endpoint + "/jobs", headers=fields).json["jobs"]) >= 3


def test_buckets_named_like_paths_of_the_api_work(s3):
    for name in ("jobs", "pipelines"):
        s3.create_bucket(Bucket=name)
        s3.put_object(Bucket=name, Key="a", Body=b"x")
        assert s3.get_object(Bucket=name, Key="a")["Body"].read() == b"x"
        s3.delete_object(Bucket=name, Key="a")
        s3.delete_bucket(Bucket=name)


def test_the_end_of_a_job_is_sent_and_signed(server, s3, sqs, receiver):  # noqa: F811
    pipeline = Pipeline(server, webhook=f"http://127.0.0.1:{receiver.server_port}/hook")
    worker = Worker(pipeline, s3, sqs)
    receiver.statuses.append(500)
    job = pipeline.submit().json
    assert job["webhook"] == {"url": f"http://127.0.0.1:{receiver.server_port}/hook", "status": None, "attempts": 0, "error": None}
    result = json.dumps({"text": "x" * 100_000, "number": 1}).encode()
    worker.succeed(worker.receive(), result)
    seen = [receiver.received.get(timeout=PATIENCE_SECONDS) for _ in range(2)]  # the second after 5 s
    assert {headers["webhook-id"] for headers, _ in seen} == {f"msg_{pipeline.name}_{job['task_id']}"}
    for headers, body in seen:
        assert verified({"secret": pipeline.applied["webhookSecret"]}, headers, body)
        event = json.loads(body)
        assert event["type"] == "job.succeeded" and event["data"]["task_id"] == job["task_id"]
        assert event["data"]["result"] == json.loads(result)
    eventually(lambda: pipeline.job(job["task_id"])["webhook"]["status"] == "DELIVERED")
    deliveries = pipeline("GET", f"/jobs/{job['task_id']}/deliveries").json["deliveries"]
    assert len(deliveries) == 1 and deliveries[0]["attempts"] == 2 and deliveries[0]["response_status"] == 204
    again = pipeline("POST", f"/jobs/{job['task_id']}/deliveries/{deliveries[0]['id']}/resend")
    assert again.status == 202
    headers, body = receiver.received.get(timeout=PATIENCE_SECONDS)
    assert headers["webhook-id"] == f"msg_{pipeline.name}_{job['task_id']}" and json.loads(body)["data"]["result"] == json.loads(result)
    pipeline.delete()


def test_the_webhook_of_a_job_wins(server, pipeline, worker, receiver):  # noqa: F811
    job = pipeline.submit(query={"webhook": f"http://127.0.0.1:{receiver.server_port}/mine", "id": "hooked"})
    assert job.status == 202
    worker.succeed(worker.receive())
    headers, body = receiver.received.get(timeout=PATIENCE_SECONDS)
    assert headers["webhook-id"] == f"msg_{pipeline.name}_hooked" and json.loads(body)["data"]["status"] == "SUCCEEDED"
    secret = run_stoker("pipeline", "webhook-secret", pipeline.name, "--data", server.data).stdout.strip()
    assert secret == pipeline.operation("GetWebhookSecret", {"pipeline": pipeline.name})["secret"]
    assert verified({"secret": secret}, headers, body)


def test_a_deleted_pipeline_takes_its_jobs_and_keys_along(server, s3, sqs):
    pipeline = Pipeline(server)
    pipeline.submit(query={"id": "gone"})
    pipeline.delete()
    assert pipeline("GET", "/jobs/gone").status == 401
