# SPDX-License-Identifier: Apache-2.0
"""CORS: preflights and the headers of responses."""
import pytest

RULES = [
    {
        "AllowedMethods": ["PUT", "POST"],
        "AllowedOrigins": ["https://*.example.com"],
        "AllowedHeaders": ["x-amz-*", "content-type"],
        "ExposeHeaders": ["ETag", "x-amz-request-id"],
        "MaxAgeSeconds": 30,
    },
    {"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]},
]


@pytest.fixture
def shared(s3, bucket):
    s3.put_bucket_cors(Bucket=bucket.name, CORSConfiguration={"CORSRules": RULES})
    return bucket


@pytest.fixture
def preflight(fetch, server):
    def ask(bucket, origin, method, headers=None):
        request_headers = {"Origin": origin, "Access-Control-Request-Method": method}
        if headers:
            request_headers["Access-Control-Request-Headers"] = headers
        return fetch("OPTIONS", f"{server.endpoint}/{bucket.name}/key", headers=request_headers)

    return ask


def test_a_preflight_that_a_rule_allows(shared, preflight):
    answer = preflight(shared, "https://app.example.com", "PUT", "x-amz-meta-a, Content-Type")
    assert answer.status == 200, answer
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
    assert set(answer.headers["Access-Control-Allow-Methods"].replace(" ", "").split(",")) == {"PUT", "POST"}
    allowed = {name.strip() for name in answer.headers["Access-Control-Allow-Headers"].split(",")}
    assert allowed == {"x-amz-meta-a", "content-type"}
    assert answer.headers["Access-Control-Max-Age"] == "30"
    assert answer.headers["Access-Control-Expose-Headers"].replace(" ", "") == "ETag,x-amz-request-id"
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"
    assert "Origin" in answer.headers["Vary"]


def test_a_rule_for_all_origins(shared, preflight):
    answer = preflight(shared, "http://anybody.test", "GET")
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Access-Control-Allow-Methods"] == "GET"


@pytest.mark.parametrize(
    "origin, method, headers",
    [
        ("https://evil.test", "PUT", None),
        ("https://app.example.com", "DELETE", None),
        ("https://app.example.com", "PUT", "x-other"),
        ("http://anybody.test", "GET", "x-amz-meta-a"),
        ("https://example.com.evil.test", "PUT", None),
    ],
)
def test_a_preflight_that_no_rule_allows(shared, preflight, origin, method, headers):
    answer = preflight(shared, origin, method, headers)
    assert answer.status == 403
    assert b"<Code>AccessForbidden</Code>" in answer.body
    assert b"<ResourceType>OBJECT</ResourceType>" in answer.body
    assert b"This CORS request is not allowed" in answer.body
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_bucket_without_rules(bucket, preflight):
    answer = preflight(bucket, "https://app.example.com", "GET")
    assert answer.status == 403 and b"CORS is not enabled for this bucket" in answer.body
    assert answer.body.count(b"<ResourceType>") == 1 and b"<ResourceType>BUCKET</ResourceType>" in answer.body


def test_an_incomplete_preflight_is_rejected(shared, fetch, server):
    answer = fetch("OPTIONS", f"{server.endpoint}/{shared.name}/key", headers={"Access-Control-Request-Method": "GET"})
    assert answer.status == 400 and b"<Code>BadRequest</Code>" in answer.body
    for method in ({}, {"Access-Control-Request-Method": "PATCH"}):
        headers = {"Origin": "https://app.example.com", **method}
        answer = fetch("OPTIONS", f"{server.endpoint}/{shared.name}/key", headers=headers)
        assert answer.status == 400 and b"Invalid Access-Control-Request-Method: " in answer.body


def test_responses_have_cors_headers(s3, shared, fetch):
    shared.put("key", b"x")
    url = s3.generate_presigned_url("get_object", Params={"Bucket": shared.name, "Key": "key"})
    answer = fetch("GET", url, headers={"Origin": "http://anybody.test"})
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Access-Control-Allow-Methods"] == "GET"
    assert "Access-Control-Allow-Origin" not in fetch("GET", url).headers
    put = s3.generate_presigned_url("put_object", Params={"Bucket": shared.name, "Key": "key"})
    answer = fetch("PUT", put, b"y", {"Origin": "https://app.example.com"})
    assert answer.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
    assert answer.headers["Access-Control-Expose-Headers"].replace(" ", "") == "ETag,x-amz-request-id"
    answer = fetch("PUT", put, b"y", {"Origin": "https://evil.test"})
    assert answer.status == 200 and "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("request_headers", [{"Access-Control-Request-Method": "DELETE"},
                                             {"Access-Control-Request-Headers": "x-a"}])
def test_preflight_headers_in_the_request_itself_count(s3, shared, fetch, request_headers):
    shared.put("key", b"x")
    url = s3.generate_presigned_url("get_object", Params={"Bucket": shared.name, "Key": "key"})
    answer = fetch("GET", url, headers={"Origin": "http://anybody.test", **request_headers})
    assert answer.status == 200 and "Access-Control-Allow-Origin" not in answer.headers


def test_errors_have_cors_headers(s3, shared, fetch):
    url = s3.generate_presigned_url("get_object", Params={"Bucket": shared.name, "Key": "nothing"})
    answer = fetch("GET", url, headers={"Origin": "http://anybody.test"})
    assert answer.status == 404 and answer.headers["Access-Control-Allow-Origin"] == "*"
