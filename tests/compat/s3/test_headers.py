# SPDX-License-Identifier: Apache-2.0
"""Unusual headers, and the headers of every response."""
import base64
import datetime
import email.header
import email.utils
import hashlib
import re

import pytest

from support.buckets import needs, refused
from support.checksums import checksum

BODY = b"some bytes"
NO_DIGEST = "Missing required header for this request: Content-MD5"
SETTINGS = {
    "cors": b"<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule>"
            b"</CORSConfiguration>",
    "lifecycle": b"<LifecycleConfiguration><Rule><ID>r</ID><Filter><Prefix>a/</Prefix></Filter><Status>Enabled</Status>"
                 b"<Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>",
    "tagging": b"<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>",
}


def header(algorithm):
    return "x-amz-checksum-" + algorithm.lower()


def md5(body):
    return base64.b64encode(hashlib.md5(body).digest()).decode()


@pytest.mark.parametrize("expectation", ["200", ""])
def test_an_unknown_expectation_is_ignored(raw, bucket, expectation):
    assert raw.call("PUT", f"/{bucket.name}/key", BODY, headers={"Expect": expectation}).status == 200
    assert bucket.read("key") == BODY


def test_encryption_headers_are_rejected_where_they_do_not_apply(raw, bucket):
    bucket.put("key", BODY)
    upload = bucket.start_upload("large")
    wish = {"x-amz-server-side-encryption": "AES256"}
    part = f"/{bucket.name}/large?partNumber=1&uploadId={upload.id}"
    for method, target, body in (("GET", "key", b""), ("GET", "key?attributes", b""), ("PUT", part, BODY)):
        target = target if target.startswith("/") else f"/{bucket.name}/{target}"
        answer = raw.call(method, target, body, headers={"x-amz-object-attributes": "ETag", **wish})
        assert (answer.status, answer.code) == (400, "InvalidArgument")
        assert "not supported for this operation" in answer.message
    assert raw.call("HEAD", f"/{bucket.name}/key", headers=wish).status == 400
    assert raw.call("PUT", f"/{bucket.name}/key", BODY, headers=wish).status == 200


def test_every_response_has_a_date_and_ids(raw, bucket):
    answers = [raw.call("PUT", f"/{bucket.name}/key", BODY), raw.call("HEAD", f"/{bucket.name}/key"),
               raw.call("GET", f"/{bucket.name}/none"), raw.anonymous("GET", "/")]
    for answer in answers:
        date = email.utils.parsedate_to_datetime(answer.headers["date"])
        assert abs(datetime.datetime.now(datetime.timezone.utc) - date) < datetime.timedelta(minutes=5)
        assert re.fullmatch("[0-9A-Z]{16}", answer.headers["x-amz-request-id"])
        assert base64.b64decode(answer.headers["x-amz-id-2"], validate=True)
    assert len({answer.headers["x-amz-request-id"] for answer in answers}) == len(answers)


@pytest.mark.parametrize("name", SETTINGS)
def test_some_settings_need_a_digest(raw, bucket, name):
    target, body = f"/{bucket.name}?{name}", SETTINGS[name]
    answer = raw.call("PUT", target, body)
    assert (answer.status, answer.code) == (400, "InvalidRequest") and NO_DIGEST in answer.message, answer
    assert raw.call("GET", target).status == 404
    assert raw.call("PUT", target, body, headers={"Content-MD5": md5(body)}).status in (200, 204)
    assert raw.call("PUT", target, body, headers={header("SHA1"): checksum("SHA1", body)}).status in (200, 204)
    assert raw.call("GET", target).status == 200


def test_delete_objects_needs_a_digest(raw, bucket):
    bucket.put("key", BODY)
    target, body = f"/{bucket.name}?delete", b"<Delete><Object><Key>key</Key></Object></Delete>"
    answer = raw.call("POST", target, body)
    assert (answer.status, answer.code) == (400, "InvalidRequest") and NO_DIGEST in answer.message, answer
    assert bucket.keys() == ["key"]
    assert raw.call("POST", target, body, headers={header("CRC32"): checksum("CRC32", body)}).status == 200
    assert bucket.keys() == []


def test_other_settings_need_no_digest(raw, bucket):
    bucket.put("key", BODY)
    body = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    assert raw.call("PUT", f"/{bucket.name}?versioning", body).status == 200
    assert raw.call("PUT", f"/{bucket.name}/key?tagging", SETTINGS["tagging"]).status == 200


CRC32 = checksum("CRC32", BODY)
CHECKSUMS = [
    ({header("CRC32"): CRC32, header("SHA1"): checksum("SHA1", BODY)}, "Expecting a single x-amz-checksum- header."),
    ({"x-amz-checksum-sha256a": "x"}, "The algorithm type you specified in x-amz-checksum- header is invalid."),
    ({header("CRC32"): "x"}, "Value for x-amz-checksum-crc32 header is invalid."),
    ({header("CRC32"): CRC32, "x-amz-sdk-checksum-algorithm": "SHA1"}, "Value for x-amz-sdk-checksum-algorithm"),
    ({header("CRC32"): CRC32, "x-amz-sdk-checksum-algorithm": "SUM"}, "Value for x-amz-sdk-checksum-algorithm"),
    ({"x-amz-sdk-checksum-algorithm": "CRC32"}, "x-amz-sdk-checksum-algorithm specified, but no corresponding"),
]


@pytest.mark.parametrize("headers, message", CHECKSUMS)
def test_inconsistent_checksum_headers_are_rejected(raw, bucket, headers, message):
    answer = raw.call("PUT", f"/{bucket.name}/key", BODY, headers=headers)
    assert (answer.status, answer.code) == (400, "InvalidRequest") and message in answer.message, answer
    assert bucket.keys() == []


def test_a_missing_document_is_rejected(raw, bucket):
    answer = raw.call("PUT", f"/{bucket.name}?versioning")
    assert (answer.status, answer.code, answer.message) == (400, "MissingRequestBodyError", "Request Body is empty")
    answer = raw.call("PUT", f"/{bucket.name}?policy")
    assert (answer.status, answer.code) == (400, "MalformedPolicy"), answer
    upload = bucket.start_upload("key")
    answer = raw.call("POST", f"/{bucket.name}/key?uploadId={upload.id}")
    assert (answer.status, answer.code) == (400, "InvalidRequest") and "at least one part" in answer.message, answer


def test_an_invalid_date_in_a_condition_is_ignored(raw, bucket):
    bucket.put("key", BODY)
    for name in ("If-Modified-Since", "If-Unmodified-Since"):
        for text in ("yesterday", "2020-01-01T00:00:00Z", "", "0"):
            assert raw.call("GET", f"/{bucket.name}/key", headers={name: text}).status == 200, (name, text)


def test_obsolete_date_formats_are_accepted(raw, bucket):
    bucket.put("key", BODY)
    for early in ("Wed, 01 Jan 2020 00:00:00 GMT", "Wednesday, 01-Jan-20 00:00:00 GMT", "Wed Jan  1 00:00:00 2020"):
        assert raw.call("GET", f"/{bucket.name}/key", headers={"If-Unmodified-Since": early}).status == 412, early
        assert raw.call("GET", f"/{bucket.name}/key", headers={"If-Modified-Since": early}).status == 200, early
    for late in ("Fri, 01 Jan 2060 00:00:00 GMT", "Thursday, 01-Jan-60 00:00:00 GMT", "Thu Jan  1 00:00:00 2060"):
        assert raw.call("GET", f"/{bucket.name}/key", headers={"If-Unmodified-Since": late}).status == 200, late


def test_the_requested_expires_header_is_returned_unchanged(raw, bucket):
    bucket.put("key", BODY)
    answer = raw.call("GET", f"/{bucket.name}/key?response-expires=in%20a%20while")
    assert answer.status == 200 and answer.headers["expires"] == "in a while"


@pytest.mark.parametrize("text, shown", [
    ("plain = text?", "plain = text?"),
    ("Miniö", "=?UTF-8?Q?Mini=C3=B6?="),
    ("ö", "=?UTF-8?B?w7Y=?="),
])
def test_metadata_beyond_ascii_is_returned_as_encoded_words(s3, bucket, fetch, text, shown):
    # Clients of today refuse to send such metadata in headers: it comes from browsers' forms.
    made = s3.generate_presigned_post(bucket.name, "key", Fields={"x-amz-meta-a": text},
                                      Conditions=[["starts-with", "$x-amz-meta-a", ""]])
    body = b"".join(f'--line\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
                    for name, value in made["fields"].items())
    body += b'--line\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n--line--\r\n'
    answer = fetch("POST", made["url"], body, {"Content-Type": "multipart/form-data; boundary=line"})
    assert answer.status == 204, answer
    assert bucket.head("key")["Metadata"] == {"a": shown}
    words = [part.decode(charset) if charset else part for part, charset in email.header.decode_header(shown)]
    assert words == [text]


@pytest.mark.parametrize("sent, shown", [
    ("Mini\xf6".encode("latin-1"), "=?UTF-8?Q?Mini=C3=B6?="),
    ("Miniö".encode(), "=?UTF-8?Q?Mini=C3=83=C2=B6?="),
    ("ö".encode(), "=?UTF-8?B?w4PCtg==?="),
])
def test_metadata_in_headers_is_latin_1(raw, bucket, sent, shown):
    put = raw.call("PUT", f"/{bucket.name}/key", BODY, headers={"x-amz-meta-a": sent.decode("latin-1")})
    assert put.status == 200, put
    assert raw.call("HEAD", f"/{bucket.name}/key").headers["x-amz-meta-a"] == shown


def test_an_invalid_expected_owner_is_rejected(s3, bucket):
    needs(s3, "HeadBucket", "ExpectedBucketOwner")
    with refused("InvalidBucketOwnerAWSAccountID", 400, "must be an AWS Account ID... [me]"):
        s3.get_bucket_location(Bucket=bucket.name, ExpectedBucketOwner="me")
    with refused("AccessDenied", 403):
        s3.get_bucket_location(Bucket=bucket.name, ExpectedBucketOwner="222222222222")
