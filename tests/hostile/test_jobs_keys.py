# SPDX-License-Identifier: Apache-2.0
"""Keys of the job API: wrong ones, those of other pipelines and accounts, and attempts to get around them."""
import base64

import pytest

from support.job_requests import Jobs, Pipelines, finish, problem, rejected
from support import sigv4
from support.raw import Caller, exchange, request_bytes
from support.server import create_key


@pytest.fixture(scope="module")
def job(jobs):
    """A job with a result."""
    made = jobs.submit(query="id=keys").json
    finish(jobs.server, made)
    return made["task_id"]


def every_request(name, job):
    """All requests of the API, of a pipeline and a job."""
    return [
        ("GET", f"/pipelines/{name}"),
        ("GET", f"/pipelines/{name}/jobs"),
        ("POST", f"/pipelines/{name}/jobs"),
        ("GET", f"/pipelines/{name}/events"),
        ("GET", f"/jobs/{job}"),
        ("GET", f"/jobs/{job}/result"),
        ("GET", f"/jobs/{job}/events"),
        ("GET", f"/jobs/{job}/deliveries"),
        ("POST", f"/jobs/{job}/cancel"),
        ("POST", f"/jobs/{job}/retry"),
        ("POST", f"/jobs/{job}/deliveries/1/resend"),
    ]


def wrong_secrets(secret):
    return {
        "cut": secret[:-1],
        "longer": secret + "0",
        "changed": secret[:-1] + ("a" if secret[-1] != "a" else "b"),
        "upper case": "stk_" + secret[4:].swapcase(),
        "without its prefix": secret[4:],
        "prefix alone": "stk_",
        "empty": "",
        "long": "stk_" + "a" * 30_000,
        "with NUL": secret + "\0",
        "not ASCII": secret + "\xff",
        "twice": f"{secret} {secret}",
        "SQL": "stk_' OR '1'='1",
        "wildcard": "stk_%",
    }


@pytest.mark.parametrize("kind", wrong_secrets("stk_0123456789").keys())
def test_wrong_keys_open_nothing(server, jobs, job, no_new_job, kind):
    intruder = Jobs(server, jobs.pipeline, wrong_secrets(jobs.secret)[kind])
    for method, target in every_request(jobs.pipeline, job):
        rejected(intruder.call(method, target), 401)


@pytest.mark.parametrize("value", ["", "Bearer", "Basic {basic}", "bearer", "Token {secret}", "{secret}", "AWS x:y", "AWS4-HMAC-SHA256 x",
                                   "Bearer\t{secret}x"])
def test_other_kinds_of_authorization_open_nothing(server, jobs, job, value):
    basic = base64.b64encode(f"user:{jobs.secret}".encode()).decode()
    for method, target in every_request(jobs.pipeline, job):
        fields = {"Host": jobs.host, "Authorization": value.format(basic=basic, secret=jobs.secret), "Content-Length": "0"}
        rejected(exchange(server.port, request_bytes(method, target, fields)), 400, 401, 403)


def test_a_request_without_a_key_opens_nothing(server, jobs, job):
    for method, target in every_request(jobs.pipeline, job):
        answer = exchange(server.port, request_bytes(method, target, {"Host": jobs.host, "Content-Length": "0"}))
        problem(answer, 401)
        assert "www-authenticate" in answer.headers


def test_a_key_in_the_query_is_no_key(server, jobs, job):
    for parameter in ("key", "token", "access_token", "Authorization"):
        target = f"/jobs/{job}?{parameter}={jobs.secret}"
        problem(exchange(server.port, request_bytes("GET", target, {"Host": jobs.host})), 401)


def test_a_second_authorization_does_not_count(server, jobs, other_jobs, job):
    for first, second in ((other_jobs.secret, jobs.secret), ("stk_wrong", jobs.secret)):
        fields = [("Host", jobs.host), ("Authorization", f"Bearer {first}"), ("Authorization", f"Bearer {second}")]
        rejected(exchange(server.port, request_bytes("GET", f"/jobs/{job}/result", fields)), 400, 401, 404)


def test_a_key_of_another_pipeline_sees_nothing(jobs, other_jobs, job):
    """And can't find out whether the pipeline or the job exists."""
    for (method, target), (_, absent) in zip(every_request(jobs.pipeline, job), every_request("absent", "absent")):
        hidden, missing = other_jobs.call(method, target), other_jobs.call(method, absent)
        problem(hidden, 404)
        problem(missing, 404)
        detail = hidden.json["detail"].replace(jobs.pipeline, "X").replace(job, "X")
        assert detail == missing.json["detail"].replace("absent", "X")


def test_a_key_of_another_pipeline_changes_nothing(jobs, other_jobs):
    waiting = jobs.submit(query="id=not-yours").json
    problem(other_jobs.call("POST", "/jobs/not-yours/cancel"), 404)
    problem(other_jobs.call("POST", f"/jobs/not-yours/cancel?pipeline={jobs.pipeline}"), 400, 403, 404)
    assert jobs.call("GET", "/jobs/not-yours").json == waiting


def test_the_same_id_in_another_pipeline_is_another_job(jobs, other_jobs):
    mine, theirs = jobs.submit(b"mine", "id=shared"), other_jobs.submit(b"theirs", "id=shared")
    assert (mine.status, theirs.status) == (202, 202)
    assert jobs.call("GET", "/jobs/shared").json["pipeline"] == jobs.pipeline
    assert other_jobs.call("GET", "/jobs/shared").json["pipeline"] == other_jobs.pipeline
    for wanted in (jobs, other_jobs):
        listed = wanted.call("GET", "/jobs?limit=1000").json["jobs"]
        assert {one["pipeline"] for one in listed} == {wanted.pipeline}
    problem(jobs.call("GET", f"/jobs?pipeline={other_jobs.pipeline}"), 404)


def test_a_deleted_key_opens_nothing(server, jobs, pipelines):
    made = pipelines("CreatePipelineKey", {"pipeline": jobs.pipeline}).json
    short = Jobs(server, jobs.pipeline, made["secret"])
    assert short.call("GET", f"/pipelines/{jobs.pipeline}").status == 200
    assert pipelines("DeletePipelineKey", {"pipeline": jobs.pipeline, "id": made["key"]["id"]}).status == 200
    problem(short.call("GET", f"/pipelines/{jobs.pipeline}"), 401)


def test_a_key_is_stored_as_a_hash(server, jobs):
    """Its text is in no file of the server, nor in its log."""
    jobs.call("GET", f"/pipelines/{jobs.pipeline}")
    needle = jobs.secret[4:].encode()
    for path in [*server.data.rglob("*"), server.log]:
        if path.is_file():
            assert needle not in path.read_bytes(), path


def test_a_key_of_the_job_api_is_no_key_of_aws(server, jobs):
    for path, fields in (("/", {"X-Amz-Target": "AmazonSQS.ListQueues"}), ("/hostile", {}), ("/", {"X-Amz-Target": "StokerPipelines.ListPipelines"})):
        head = {"Host": jobs.host, "Authorization": f"Bearer {jobs.secret}", "Content-Type": "application/x-amz-json-1.1",
                "Content-Length": "2", **fields}
        answer = exchange(server.port, request_bytes("POST", path, head, b"{}"))
        assert 400 <= answer.status < 500, answer


def test_another_account_sees_nothing(server, jobs, job):
    stranger = create_key(server.data, "222222222222")
    caller = Caller(server, stranger)
    for method, target in every_request(jobs.pipeline, job):
        fields = sigv4.signed_headers(caller.scope("pipelines"), method, target, {"Host": jobs.host}, b"", None)
        fields["Content-Length"] = "0"
        problem(exchange(server.port, request_bytes(method, target, fields)), 404)
    for operation in ("CreatePipelineKey", "ListPipelineKeys"):
        assert Pipelines(server, stranger)(operation, {"pipeline": jobs.pipeline}).status == 404


def test_a_signature_for_another_service_or_with_another_body_opens_nothing(server, jobs, job, no_new_job):
    caller = Caller(server)
    for service in ("s3", "sqs", "execute-api"):
        fields = sigv4.signed_headers(caller.scope(service), "GET", f"/jobs/{job}", {"Host": jobs.host}, b"", None)
        answer = exchange(server.port, request_bytes("GET", f"/jobs/{job}", fields))
        assert 400 <= answer.status < 500 and b"done" not in answer.body, answer  # in that service's own words
    fields = sigv4.signed_headers(caller.scope("pipelines"), "POST", jobs.path, {"Host": jobs.host}, b"signed", None)
    fields["Content-Length"] = "6"
    problem(exchange(server.port, request_bytes("POST", jobs.path, fields, b"forged")), 400, 401, 403)
