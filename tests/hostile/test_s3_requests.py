# SPDX-License-Identifier: Apache-2.0
"""Odd S3 requests: ids, ranges, headers, parameters, methods, missing signatures."""
import os

import pytest

from expect import refused, plain_rejection
from support import sigv4
from support.raw import Connection, exchange, request_bytes

BODY = bytes(range(256)) * 400


@pytest.fixture(scope="module")
def key(s3, bucket):
    target = f"{bucket}/requests"
    assert s3.call("PUT", target, BODY).status == 200
    return target


RANGES = [
    "bytes=0-99999999999999999999999999",
    "bytes=99999999999999999999999999-",
    "bytes=99999999999999999999999999-99999999999999999999999999",
    "bytes=-99999999999999999999999999",
    "bytes=18446744073709551615-18446744073709551616",
    "bytes=9223372036854775807-",
    "bytes=5-4",
    "bytes=--5",
    "bytes=-5-",
    "bytes=5--",
    "bytes=0-0,1-1",
    "bytes=" + ",".join(f"{i}-{i}" for i in range(2000)),
    "bytes=" + "0" * 20_000 + "-5",
    "bytes=a-b",
    "bytes=0x0-0x5",
    "bytes",
    "=0-5",
    "",
    " ",
    "BYTES=0-5",
    "items=0-5",
]


@pytest.mark.parametrize("wanted", RANGES, ids=lambda text: ascii(text)[:40])
def test_odd_ranges_do_no_harm(s3, key, wanted):
    answer = s3.call("GET", key, headers={"Range": wanted})
    assert answer.status in (200, 206, 400, 416), answer
    if answer.status == 200:
        assert answer.body == BODY
    elif answer.status == 206:
        first, last = answer.headers["content-range"].split(" ")[1].split("/")[0].split("-")
        assert answer.body == BODY[int(first) : int(last) + 1]
    else:
        refused(answer)
    copied = s3.call("PUT", key + "-copy", headers={"X-Amz-Copy-Source": key, "Range": wanted})
    assert copied.status < 500


@pytest.mark.parametrize("number", ["0", "-1", "2", "10001", "99999999999999999999", "x"])
def test_odd_part_numbers_are_rejected(s3, key, number):
    answer = s3.call("GET", f"{key}?partNumber={number}")
    refused(answer)


def test_an_empty_part_number_returns_the_whole_object(s3, key):
    answer = s3.call("GET", f"{key}?partNumber=")
    assert (answer.status, answer.body) == (200, s3.call("GET", key).body)


IDS = ["", "x", "null", "-1", "0", "..", "%00", "%ff", "a" * 5000, "'%20OR%201=1", "18446744073709551616", "AAAA" * 8]


@pytest.mark.parametrize("version", IDS)
def test_odd_versions_are_rejected(s3, key, version):
    for method in ("GET", "HEAD"):
        answer = s3.call(method, f"{key}?versionId={version}")
        assert answer.status in (200, 400, 404) and (answer.status != 200 or version == "null"), answer
    for more in ("&tagging", "&acl", "&attributes"):
        answer = s3.call("GET", f"{key}?versionId={version}{more}", headers={"X-Amz-Object-Attributes": "ETag"})
        assert answer.status in (200, 400, 404), answer
    if version != "null":
        assert s3.call("DELETE", f"{key}?versionId={version}").status in (204, 400, 404)
    assert s3.call("GET", key).body == BODY
    answer = s3.call("PUT", f"{key}-copy", headers={"X-Amz-Copy-Source": f"{key}?versionId={version}"})
    assert answer.status in (200, 400, 404)


@pytest.mark.parametrize("upload", IDS)
def test_odd_upload_ids_are_rejected(s3, key, upload):
    answers = [
        s3.call("PUT", f"{key}?partNumber=1&uploadId={upload}", b"x"),
        s3.call("GET", f"{key}?uploadId={upload}"),
        s3.call("POST", f"{key}?uploadId={upload}", b"<CompleteMultipartUpload/>"),
        s3.call("DELETE", f"{key}?uploadId={upload}"),
    ]
    for answer in answers:
        refused(answer)
    assert s3.call("GET", key).body == BODY


@pytest.mark.parametrize("token", [*IDS[1:], "eyJ4IjoxfQ==", "AAAAAAAAAAAAAAAAAAAA", "/" * 100])
def test_odd_page_tokens_do_no_harm(s3, bucket, token):
    answer = s3.call("GET", f"{bucket}?continuation-token={token}&list-type=2")
    refused(answer, "InvalidArgument", 400)
    for query in (f"marker={token}", f"list-type=2&start-after={token}", f"versions&key-marker={token}", f"uploads&key-marker={token}"):
        assert s3.call("GET", f"{bucket}?{query}").status in (200, 400)
    answer = s3.call("GET", f"{bucket}?key-marker=k&version-id-marker={token}&versions")
    assert answer.status in (200, 400)
    assert s3.call("GET", f"{bucket}?key-marker=k&upload-id-marker={token}&uploads").status in (200, 400)
    assert s3.call("GET", f"/?continuation-token={token}").status in (200, 400)


@pytest.mark.parametrize("value", ["-1", "x", "1.5", "", "99999999999999999999", "%00", "2147483648"])
@pytest.mark.parametrize("where", ["max-keys", "list-type=2&max-keys", "versions&max-keys", "uploads&max-uploads"])
def test_odd_page_sizes_do_no_harm(s3, bucket, where, value):
    answer = s3.call("GET", f"{bucket}?{where}={value}")
    assert answer.status in (200, 400), answer
    if value != "":
        refused(answer, "InvalidArgument", 400)


def test_too_much_metadata_is_rejected(s3, bucket):
    for headers in (
        {"x-amz-meta-a": "v" * 3000},
        {f"x-amz-meta-{i}": "v" * 100 for i in range(30)},
        {f"x-amz-meta-{'n' * 2100}": "v"},
    ):
        refused(s3.call("PUT", f"{bucket}/meta", b"x", headers=headers), "MetadataTooLarge", 400)
    assert s3.call("GET", f"{bucket}/meta").status == 404


@pytest.mark.parametrize("value", ["caf\xe9", "\xff\xfe", "tab\there", "a" * 2000, "=?UTF-8?Q?=C3=BC?=", "\x80"])
def test_odd_metadata_is_returned_or_rejected(s3, bucket, value):
    put = exchange(s3.port, put_with_raw_header(s3, f"{bucket}/meta-odd", "x-amz-meta-v", value))
    if put.status == 200:
        got = s3.call("HEAD", f"{bucket}/meta-odd")
        assert got.status == 200 and "x-amz-meta-v" in got.headers
        assert s3.call("DELETE", f"{bucket}/meta-odd").status == 204
    else:
        refused(put)


def put_with_raw_header(s3, target, name, value):
    """The signature covers the sent bytes, unlike with str.encode()."""
    import hashlib
    import hmac

    scope = s3.scope()
    fields = {"host": s3.host, name: value, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", "x-amz-date": sigv4.stamp(scope.time)}
    names = ";".join(sorted(fields))
    lines = "".join(f"{n}:{' '.join(fields[n].split())}\n" for n in sorted(fields)).encode("latin-1")
    canonical = f"PUT\n{target}\n\n".encode() + lines + f"\n{names}\nUNSIGNED-PAYLOAD".encode()
    text = "\n".join([sigv4.ALGORITHM, sigv4.stamp(scope.time), scope.text, hashlib.sha256(canonical).hexdigest()])
    fields["authorization"] = (
        f"{sigv4.ALGORITHM} Credential={s3.key.id}/{scope.text}, SignedHeaders={names}, Signature={scope.seal(text)}"
    )
    fields["content-length"] = "1"
    assert hmac
    return request_bytes("PUT", target, fields, b"x")


HEADERS = {
    "X-Amz-Tagging": ["=", "&&&", "a", "a=b=c", "%ff=x", "a=" + "x" * 10_000, "&".join(f"k{i}=v" for i in range(5000))],
    "X-Amz-Copy-Source": ["", "/", "//", "nothing", "/bucket-only/", "a/b?versionId=", "%ff/%fe", "x" * 5000, "/a/b?c=d", "%00/x"],
    "X-Amz-Storage-Class": ["", "NOTHING", "standard", "x" * 1000],
    "X-Amz-Server-Side-Encryption": ["", "NOTHING", "aws:nothing"],
    "X-Amz-Acl": ["", "everybody"],
    "If-Match": ["", '"', "x" * 10_000],
    "If-None-Match": ["x", '"x"'],
    "Expires": ["never", "0"],
    "X-Amz-Checksum-Algorithm": ["NOTHING", ""],
    "X-Amz-Sdk-Checksum-Algorithm": ["NOTHING"],
    "X-Amz-Object-Lock-Mode": ["COMPLIANCE"],
    "X-Amz-Website-Redirect-Location": ["nowhere", "x" * 5000],
    "X-Amz-Expected-Bucket-Owner": ["", "nobody", "1" * 1000],
    "Content-MD5": ["", "x", "=" * 100, "A" * 24],
    "Content-Encoding": ["x" * 5000, ",,,,", "aws-chunked"],
    "X-Amz-Write-Offset-Bytes": ["-1", "5"],
}


@pytest.mark.parametrize("name, value", [(n, v) for n, values in HEADERS.items() for v in values], ids=lambda t: ascii(t)[:30])
def test_odd_headers_do_no_harm(s3, bucket, name, value):
    answer = s3.call("PUT", f"{bucket}/headers", b"x", headers={name: value})
    assert answer is not None and (answer.status in (200, 501) or refused(answer)), answer
    answer = s3.call("POST", f"{bucket}/headers?uploads", headers={name: value})
    assert answer is not None and (answer.status in (200, 501) or refused(answer)), answer


def test_repeated_parameters_do_no_harm(s3, bucket, key):
    for query in (
        "list-type=2&list-type=2",
        "list-type=2&prefix=a&prefix=b",
        "list-type=2&max-keys=1&max-keys=-1",
        "versioning&versioning",
        "acl&policy",
        "uploads&versions",
        "tagging&cors&lifecycle",
        "&&&&",
        "=",
        "=x",
        "x-id=ListObjects",
        "unknown=1",
        "list-type=3",
        "list-type=",
    ):
        answer = s3.call("GET", f"{bucket}?{query}")
        assert answer is not None and (answer.status in (200, 404) or refused(answer)), (query, answer)
    for query in ("uploadId=x&uploadId=y", "versionId=null&versionId=x", "partNumber=1&partNumber=2", "acl&tagging"):
        answer = s3.call("GET", f"{key}?{query}")
        assert answer is not None and answer.status < 500, (query, answer)
    assert s3.call("GET", key).body == BODY


@pytest.mark.parametrize("query", [f"p{i}={'x' * 60}" for i in (1,)] + ["&".join(f"p{i}=v" for i in range(3000))])
def test_very_many_query_parameters_do_no_harm(s3, bucket, query):
    answer = s3.call("GET", f"{bucket}?list-type=2&{query}")
    assert answer is not None and answer.status in (200, 400, 414, 431)


@pytest.mark.parametrize("method", ["PATCH", "TRACE", "CONNECT", "PROPFIND", "get", "FOO", "OPTIONS", "LINK"])
def test_odd_methods_are_rejected(s3, server, bucket, key, method):
    for target in ("/", bucket, key, f"{key}?tagging", f"{bucket}?policy"):
        with Connection(server.port) as connection:
            connection.send(s3.bytes(method, target))
            plain_rejection(connection.read_answer())
    assert s3.call("GET", key).body == BODY


NOT_OURS = ["?torrent", "?restore", "?select&select-type=2", "?legal-hold", "?retention", "?renameObject"]
NOT_OURS_BUCKET = ["?inventory", "?analytics", "?metrics", "?intelligent-tiering", "?object-lock", "?website", "?logging",
                   "?replication", "?accelerate", "?requestPayment", "?metadataTable", "?session"]
NOTHING_TO_DELETE = [("DELETE", "?website"), ("DELETE", "?replication")]  # succeeds, as at Amazon


@pytest.mark.parametrize("query", NOT_OURS + NOT_OURS_BUCKET)
def test_an_unsupported_subresource_is_not_taken_for_another(s3, bucket, key, query):
    """An unknown subresource must not read, write or delete the object itself."""
    base = key if query in NOT_OURS else bucket
    for method in ("PUT", "POST", "DELETE"):
        answer = s3.call(method, base + query, b"<x/>" if method != "DELETE" else b"")
        if (method, query) in NOTHING_TO_DELETE:
            assert answer.status == 204, (method, query, answer)
        else:
            assert 400 <= answer.status <= 501, (method, query, answer)
    got = s3.call("GET", base + query)
    assert got.body != BODY
    assert s3.call("GET", key).body == BODY
    assert s3.call("HEAD", bucket).status == 200


OPERATIONS = [
    ("GET", "/"), ("PUT", "/hostile-anonymous"), ("DELETE", "B"), ("HEAD", "B"), ("GET", "B"), ("GET", "B?list-type=2"),
    ("GET", "B?versions"), ("GET", "B?uploads"), ("POST", "B?delete"), ("GET", "K"), ("HEAD", "K"), ("PUT", "K"),
    ("DELETE", "K"), ("POST", "K?uploads"), ("PUT", "K?partNumber=1&uploadId=x"), ("POST", "K?uploadId=x"),
    ("DELETE", "K?uploadId=x"), ("GET", "K?uploadId=x"), ("GET", "K?tagging"), ("PUT", "K?tagging"),
    ("DELETE", "K?tagging"), ("GET", "K?acl"), ("PUT", "K?acl"), ("GET", "K?attributes"),
]
for setting in ("tagging", "versioning", "cors", "lifecycle", "encryption", "policy", "ownershipControls", "acl",
                "publicAccessBlock", "notification", "location", "policyStatus"):
    OPERATIONS += [("GET", f"B?{setting}"), ("PUT", f"B?{setting}"), ("DELETE", f"B?{setting}")]


@pytest.mark.parametrize("method, target", OPERATIONS, ids=lambda part: part)
def test_unsigned_requests_are_denied(s3, bucket, key, method, target):
    target = target.replace("B", bucket, 1) if target[0] == "B" else target.replace("K", key, 1) if target[0] == "K" else target
    for headers in ({}, {"Authorization": "garbage"}, {"Authorization": "AWS4-HMAC-SHA256 Credential=x"}):
        answer = s3.anonymous(method, target, b"<x/>" if method in ("PUT", "POST") else b"", headers)
        assert answer is not None and 400 <= answer.status < 500, answer
        assert answer.status in (400, 403, 405), answer
    copied = s3.anonymous("PUT", f"{bucket}/stolen", headers={"X-Amz-Copy-Source": key})
    assert copied.status == 403
    assert s3.call("GET", key).body == BODY


def test_a_signature_is_valid_for_its_request_only(s3, server, bucket, key):
    good = s3.bytes("GET", f"{key}?tagging")
    assert exchange(server.port, good).status == 200
    for wrong in (
        good.replace(b"?tagging", b"?acl"),
        good.replace(b"?tagging ", b" "),
        good.replace(b"?tagging", b"?tagging&versionId=null"),
        good.replace(b"GET ", b"DELETE ", 1),
        good.replace(b"hostile-bucket/requests?", b"hostile-bucket/other?"),
        good.replace(b"\r\n\r\n", b"\r\nx-amz-copy-source: " + key.encode() + b"\r\n\r\n"),
    ):
        assert wrong != good
        answer = exchange(server.port, wrong)
        refused(answer, status=403)
    moved = s3.bytes("GET", f"{key}?tagging", headers={"Host": f"x.{s3.host}"})
    refused(exchange(server.port, moved.replace(b"Host: x.", b"Host: ")), "SignatureDoesNotMatch", 403)


@pytest.mark.parametrize(
    "query",
    [
        "AWSAccessKeyId=x&Signature=y&Expires=99999999999",
        "AWSAccessKeyId=ROOT&Signature=AAAA&Expires=99999999999",
        "AWSAccessKeyId=ROOT&Signature=&Expires=",
        "AWSAccessKeyId=ROOT&Expires=99999999999",
        "AWSAccessKeyId=ROOT&Signature=y&Expires=-1",
        "AWSAccessKeyId=ROOT&Signature=y&Expires=99999999999999999999999",
        "AWSAccessKeyId=ROOT&Signature=y&Expires=words",
        "X-Amz-Algorithm=AWS4-HMAC-SHA256",
        "X-Amz-Algorithm=NOTHING&X-Amz-Credential=x&X-Amz-Date=x&X-Amz-Expires=x&X-Amz-SignedHeaders=x&X-Amz-Signature=x",
        "X-Amz-Signature=x",
        "Signature=x",
    ],
)
def test_invalid_presigned_urls_are_rejected(s3, key, query):
    answer = s3.anonymous("GET", f"{key}?{query.replace('ROOT', s3.key.id)}")
    refused(answer)
    assert answer.status in (400, 403)


@pytest.mark.parametrize("value", ["AWS ROOT:AAAA", "AWS ROOT:", "AWS :x", "AWS ROOT", "AWS a:b:c"])
def test_signature_version_2_in_a_header_is_rejected(s3, key, value):
    answer = s3.anonymous("GET", key, headers={"Authorization": value.replace("ROOT", s3.key.id), "Date": "Mon, 01 Jan 2024 00:00:00 GMT"})
    refused(answer)


@pytest.mark.parametrize("host", ["", ".localhost", "..localhost", "a b.localhost", "hostile-bucket", "x" * 300 + ".localhost",
                                  "%2e%2e.localhost", "[::1]", "hostile-bucket.evil.example", "'--.localhost"])
def test_odd_hosts_do_no_harm(s3, server, host):
    with Connection(server.port) as connection:
        connection.send(request_bytes("GET", "/requests", {"Host": host, "Connection": "close"}))
        plain_rejection(connection.read_answer())


def test_concurrent_puts_gets_and_deletes(s3, bucket):
    """Concurrent writers, readers and deleters of one key: a reader gets a complete body or none."""
    import threading

    target, stop, problems = f"{bucket}/contested", threading.Event(), []
    bodies = {os.urandom(1) * size for size in (10, 70_000, 300_000)}

    def run(work):
        try:
            while not stop.is_set():
                work()
        except Exception as error:  # pylint: disable=broad-except
            problems.append(repr(error))

    def read():
        answer = s3.call("GET", target)
        if answer.status != 404 and answer.body not in bodies:
            problems.append(f"read {answer.status} {len(answer.body)}")

    def check(answer, wanted):
        if answer.status not in wanted:
            problems.append(str(answer))

    works = [lambda body=body: check(s3.call("PUT", target, body), (200,)) for body in bodies]
    works += [read, read, lambda: check(s3.call("DELETE", target), (204,))]
    works += [lambda: check(s3.call("PUT", target + "-copy", headers={"X-Amz-Copy-Source": target}), (200, 404))]
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    stop.wait(2)
    stop.set()
    for thread in threads:
        thread.join()
    assert not problems, problems[:5]
