# SPDX-License-Identifier: Apache-2.0
"""Presigned URLs. The clients sign with their default (boto3: Signature Version 2 in the older regions) and with
Version 4."""
import datetime
import urllib.parse

import pytest

from support import sigv4
from support.buckets import refused


@pytest.fixture(params=["as boto3 likes it", "s3v4"])
def signer(request, s3, s3_v4):
    return s3 if request.param != "s3v4" else s3_v4


def url_of(client, operation, bucket, key="key", seconds=60, **more):
    return client.generate_presigned_url(operation, Params={"Bucket": bucket.name, "Key": key, **more}, ExpiresIn=seconds)


def error(answer):
    return answer.status, answer.body.split(b"<Code>")[1].split(b"</Code>")[0].decode()


def test_a_presigned_url_needs_no_key(signer, bucket, fetch):
    for key in ("key", "a folder/with ü + % ? & #.txt"):
        bucket.put(key, b"body", ContentType="text/own")
        answer = fetch("GET", url_of(signer, "get_object", bucket, key))
        assert (answer.status, answer.body) == (200, b"body")
        assert answer.headers["Content-Type"] == "text/own"
        assert fetch("HEAD", url_of(signer, "head_object", bucket, key)).headers["Content-Length"] == "4"


def test_putting_by_a_presigned_url(signer, bucket, fetch):
    assert fetch("PUT", url_of(signer, "put_object", bucket), b"from a browser").status == 200
    assert bucket.read("key") == b"from a browser"
    assert fetch("PUT", url_of(signer, "put_object", bucket), b"large" * 100_000).status == 200
    assert bucket.read("key") == b"large" * 100_000


def test_deleting_by_a_presigned_url(signer, bucket, fetch):
    bucket.put("key", b"x")
    assert fetch("DELETE", url_of(signer, "delete_object", bucket)).status == 204
    assert bucket.keys() == []


def test_listing_by_a_presigned_url(s3_v4, bucket, fetch):
    bucket.put("some/key", b"x")
    params = {"Bucket": bucket.name, "Prefix": "some/"}
    url = s3_v4.generate_presigned_url("list_objects_v2", Params=params, ExpiresIn=60)
    answer = fetch("GET", url)
    assert answer.status == 200 and b"<Key>some" in answer.body


def test_a_signed_content_type_must_be_sent(signer, bucket, fetch):
    url = url_of(signer, "put_object", bucket, ContentType="image/png")
    assert error(fetch("PUT", url, b"x", {"Content-Type": "text/plain"})) == (403, "SignatureDoesNotMatch")
    assert fetch("PUT", url, b"x", {"Content-Type": "image/png"}).status == 200
    assert bucket.head("key")["ContentType"] == "image/png"


def test_metadata_in_the_url(s3, bucket, fetch):
    """Version 2 has it in the URL, so that the client need not send it."""
    url = url_of(s3, "put_object", bucket, Metadata={"who": "me"})
    assert "x-amz-meta-who=me" in url
    assert fetch("PUT", url, b"x").status == 200
    assert bucket.head("key")["Metadata"] == {"who": "me"}
    assert error(fetch("PUT", url.replace("who=me", "who=you"), b"x")) == (403, "SignatureDoesNotMatch")


def test_overridden_response_headers_are_signed(signer, bucket, fetch):
    bucket.put("key", b"x")
    url = url_of(signer, "get_object", bucket, ResponseContentDisposition='attachment; filename="a b.txt"')
    assert fetch("GET", url).headers["Content-Disposition"] == 'attachment; filename="a b.txt"'
    assert fetch("GET", url.replace("attachment", "inlineinli")).status == 403


def test_a_range_by_a_presigned_url(signer, bucket, fetch):
    bucket.put("key", b"0123456789")
    answer = fetch("GET", url_of(signer, "get_object", bucket), headers={"Range": "bytes=2-4"})
    assert (answer.status, answer.body) == (206, b"234")


def test_a_url_is_valid_for_its_request_only(signer, bucket, fetch):
    bucket.put("key", b"x")
    bucket.put("other", b"y")
    url = url_of(signer, "get_object", bucket)
    assert error(fetch("GET", url.replace("/key?", "/other?"))) == (403, "SignatureDoesNotMatch")
    assert error(fetch("PUT", url, b"changed")) == (403, "SignatureDoesNotMatch")
    assert error(fetch("DELETE", url)) == (403, "SignatureDoesNotMatch")
    query = urllib.parse.parse_qs(urllib.parse.urlparse(url).query)
    (signature,) = query.get("Signature") or query["X-Amz-Signature"]
    changed = signature.replace(signature[0], "A" if signature[0] != "A" else "B", 1)
    wrong = url.replace(urllib.parse.quote(signature, safe=""), urllib.parse.quote(changed, safe=""))
    assert wrong != url and error(fetch("GET", wrong)) == (403, "SignatureDoesNotMatch")
    assert bucket.read("key") == b"x"


def test_an_expired_url_is_rejected(raw, bucket, fetch, server):
    bucket.put("key", b"x")
    earlier = sigv4.now() - datetime.timedelta(minutes=2)
    target = sigv4.presigned(raw.scope(earlier), "GET", raw.host, f"/{bucket.name}/key", {}, expires=60)
    answer = fetch("GET", server.endpoint + target)
    assert error(answer) == (403, "AccessDenied") and b"Request has expired" in answer.body
    target = sigv4.presigned(raw.scope(earlier), "GET", raw.host, f"/{bucket.name}/key", {}, expires=600)
    assert fetch("GET", server.endpoint + target).status == 200


def test_an_expired_version_2_url_is_rejected(s3, bucket, fetch):
    bucket.put("key", b"x")
    answer = fetch("GET", url_of(s3, "get_object", bucket, seconds=-5))
    assert error(answer) == (403, "AccessDenied") and b"Request has expired" in answer.body


def test_the_longest_validity_is_a_week(s3_v4, bucket, fetch):
    answer = fetch("GET", url_of(s3_v4, "get_object", bucket, seconds=604801))
    assert error(answer) == (400, "AuthorizationQueryParametersError")
    assert b"X-Amz-Expires must be less than a week" in answer.body


def test_an_unknown_key_is_rejected(connect, bucket, fetch):
    from support.server import Key

    for more in ({}, {"signature_version": "s3v4"}):
        stranger = connect("s3", Key("AKIANOBODY", "secret"), **more)
        answer = fetch("GET", url_of(stranger, "get_object", bucket))
        assert error(answer) == (403, "InvalidAccessKeyId")


def test_a_session_presigns_too(sts, connect, bucket, fetch):
    from support.server import Key

    bucket.put("key", b"x")
    made = sts.get_session_token()["Credentials"]
    key = Key(made["AccessKeyId"], made["SecretAccessKey"], token=made["SessionToken"])
    for more in ({}, {"signature_version": "s3v4"}):
        client = connect("s3", key, **more)
        assert fetch("GET", url_of(client, "get_object", bucket)).body == b"x"
    with refused(("InvalidToken", "InvalidAccessKeyId")):
        connect("s3", Key(key.id, key.secret, token="nonsense")).list_buckets()


def test_parts_of_an_upload(signer, bucket, fetch):
    upload = bucket.start_upload("key")
    at = {"Bucket": bucket.name, "Key": "key", "UploadId": upload.id, "PartNumber": 1}
    answer = fetch("PUT", signer.generate_presigned_url("upload_part", Params=at, ExpiresIn=60), b"part")
    assert answer.status == 200, answer
    part = {"PartNumber": 1, "ETag": answer.headers["ETag"]}
    value = answer.headers.get("x-amz-checksum-crc32")
    if value:
        part["ChecksumCRC32"] = value
    upload.complete([part])
    assert bucket.read("key") == b"part"
