# SPDX-License-Identifier: Apache-2.0
"""Checksums of all kinds, in headers, in trailers and of parts."""
import base64
import hashlib

import pytest

from support import s3_raw
from support.buckets import PART, needs, refused
from support.checksums import ALGORITHMS, COMPOSITE, CRCS, checksum, composite, multipart_etag
from support.raw import exchange

BODY = b"what arrives is what was sent" * 5
LARGE = b"large" * 30_000
FIRST, LAST = b"p" * PART, b"the last part"


def member(algorithm):
    return f"Checksum{algorithm}"


def header(algorithm):
    return f"x-amz-checksum-{algorithm.lower()}"


def own_checksums(answer):
    """The checksum of a response, and its type."""
    shown = {name: answer[name] for name in answer if name.startswith("Checksum")}
    shown.pop("ChecksumAlgorithm", None)
    return shown


@pytest.mark.parametrize("body", [b"", BODY, LARGE], ids=["empty", "small", "large"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_checksum_is_verified_stored_and_returned(s3, bucket, algorithm, body):
    needs(s3, "PutObject", member(algorithm))
    value = checksum(algorithm, body)
    put = bucket.put("key", body, **{member(algorithm): value})
    assert put[member(algorithm)] == value
    for answer in (bucket.head("key", ChecksumMode="ENABLED"), bucket.get("key", ChecksumMode="ENABLED")):
        assert answer[member(algorithm)] == value
        assert answer.get("ChecksumType", "FULL_OBJECT") == "FULL_OBJECT"
    attributes = s3.get_object_attributes(Bucket=bucket.name, Key="key", ObjectAttributes=["Checksum"])
    assert attributes["Checksum"][member(algorithm)] == value


@pytest.mark.parametrize("body", [BODY, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_wrong_checksum_stores_nothing(s3, bucket, algorithm, body):
    needs(s3, "PutObject", member(algorithm))
    with refused("BadDigest", 400, f"The {algorithm} you specified did not match the calculated checksum."):
        bucket.put("key", body, **{member(algorithm): checksum(algorithm, b"other")})
    assert bucket.keys() == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_invalid_checksum_is_rejected(s3, bucket, algorithm):
    needs(s3, "PutObject", member(algorithm))
    for wrong in ("nonsense", "AAA="):
        with refused("InvalidRequest", 400, f"Value for {header(algorithm)} header is invalid"):
            bucket.put("key", BODY, **{member(algorithm): wrong})
    assert bucket.keys() == []


def test_checksums_are_returned_on_request(s3, raw, bucket):
    bucket.put("key", BODY, ChecksumAlgorithm="SHA1")
    plain = raw.call("HEAD", f"/{bucket.name}/key")
    assert header("SHA1") not in plain.headers
    head = raw.call("HEAD", f"/{bucket.name}/key", headers={"X-Amz-Checksum-Mode": "ENABLED"})
    assert head.headers[header("SHA1")] == checksum("SHA1", BODY)
    assert head.headers["x-amz-checksum-type"] == "FULL_OBJECT"


def test_an_object_without_a_checksum_gets_one(raw, bucket):
    """Amazon computes CRC64NVME since the end of 2024."""
    put = raw.call("PUT", f"/{bucket.name}/key", BODY)
    assert put.status == 200
    assert put.headers[header("CRC64NVME")] == checksum("CRC64NVME", BODY)
    head = raw.call("HEAD", f"/{bucket.name}/key", headers={"X-Amz-Checksum-Mode": "ENABLED"})
    assert head.headers[header("CRC64NVME")] == checksum("CRC64NVME", BODY)


def test_two_checksums_are_rejected(raw, bucket):
    headers = {header(a): checksum(a, BODY) for a in ("SHA1", "CRC32")}
    answer = raw.call("PUT", f"/{bucket.name}/key", BODY, headers=headers)
    assert (answer.status, answer.code) == (400, "InvalidRequest"), answer
    assert "Expecting a single x-amz-checksum- header" in answer.message
    assert bucket.keys() == []


def test_md5(bucket):
    good = base64.b64encode(hashlib.md5(BODY).digest()).decode()
    bucket.put("key", BODY, ContentMD5=good)
    with refused("BadDigest", 400, "The Content-MD5 you specified did not match what we received."):
        bucket.put("key", b"other", ContentMD5=good)
    for wrong in ("nonsense", good[:-4]):
        with refused("InvalidDigest", 400, "The Content-MD5 you specified was invalid"):
            bucket.put("key", BODY, ContentMD5=wrong)
    assert bucket.read("key") == BODY


def test_the_hash_in_the_signature(raw, bucket):
    wrong = hashlib.sha256(b"other").hexdigest()
    answer = raw.call("PUT", f"/{bucket.name}/key", BODY, payload_hash=wrong)
    assert (answer.status, answer.code) == (400, "XAmzContentSHA256Mismatch"), answer
    assert bucket.keys() == []
    assert raw.call("PUT", f"/{bucket.name}/key", BODY, payload_hash="UNSIGNED-PAYLOAD").status == 200
    assert bucket.read("key") == BODY


PIECES = [b"x" * 8192, b"y" * 65536, b"z" * 100]
KINDS = [s3_raw.SIGNED_CHUNKS, s3_raw.SIGNED_CHUNKS_TRAILER, s3_raw.UNSIGNED_CHUNKS_TRAILER]


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_in_chunks(raw, bucket, kind):
    body = b"".join(PIECES)
    trailers = {} if kind == s3_raw.SIGNED_CHUNKS else {header("CRC32"): checksum("CRC32", body)}
    answer = exchange(raw.port, s3_raw.chunked_bytes(raw, f"/{bucket.name}/key", PIECES, kind, trailers))
    assert answer.status == 200, answer
    got = bucket.get("key")
    assert got["Body"] == body
    assert "ContentEncoding" not in got


@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_checksum_in_a_trailer(raw, bucket, algorithm, kind):
    body = b"".join(PIECES)
    target = f"/{bucket.name}/key"
    wrong = {header(algorithm): checksum(algorithm, b"other")}
    answer = exchange(raw.port, s3_raw.chunked_bytes(raw, target, PIECES, kind, wrong))
    assert (answer.status, answer.code) == (400, "BadDigest"), answer
    assert bucket.keys() == []
    right = {header(algorithm): checksum(algorithm, body)}
    answer = exchange(raw.port, s3_raw.chunked_bytes(raw, target, PIECES, kind, right))
    assert answer.status == 200, answer
    assert answer.headers[header(algorithm)] == right[header(algorithm)]
    assert bucket.read("key") == body


def test_content_encodings_other_than_aws_chunked_are_stored(raw, bucket):
    headers = {"Content-Encoding": "aws-chunked,gzip"}
    answer = exchange(raw.port, s3_raw.chunked_bytes(raw, f"/{bucket.name}/key", PIECES, headers=headers))
    assert answer.status == 200, answer
    head = raw.call("HEAD", f"/{bucket.name}/key")
    assert head.headers["content-encoding"] == "gzip"
    assert head.headers["content-length"] == str(sum(map(len, PIECES)))


def upload_parts(bucket, algorithm, kind):
    upload = bucket.start_upload("key", ChecksumAlgorithm=algorithm, ChecksumType=kind)
    assert (upload.answer["ChecksumAlgorithm"], upload.answer["ChecksumType"]) == (algorithm, kind)
    for number, part in ((1, FIRST), (2, LAST)):
        value = checksum(algorithm, part)
        assert upload.put(number, part, **{member(algorithm): value})[member(algorithm)] == value
    return upload


@pytest.mark.parametrize("algorithm", COMPOSITE)
def test_a_composite_checksum(s3, bucket, algorithm):
    needs(s3, "CreateMultipartUpload", "ChecksumType")
    upload = upload_parts(bucket, algorithm, "COMPOSITE")
    listed = upload.list()
    assert (listed["ChecksumAlgorithm"], listed["ChecksumType"]) == (algorithm, "COMPOSITE")
    assert [part[member(algorithm)] for part in listed["Parts"]] == [part[member(algorithm)] for part in upload.parts]
    value = composite(algorithm, [FIRST, LAST])
    answer = upload.complete()
    assert (answer[member(algorithm)], answer["ChecksumType"]) == (value, "COMPOSITE")
    head = bucket.head("key", ChecksumMode="ENABLED")
    assert (head[member(algorithm)], head["ChecksumType"]) == (value, "COMPOSITE")
    assert head["ETag"] == multipart_etag([FIRST, LAST])


@pytest.mark.parametrize("algorithm", CRCS)
def test_a_full_object_checksum(s3, bucket, algorithm):
    needs(s3, "CreateMultipartUpload", "ChecksumType")
    upload = upload_parts(bucket, algorithm, "FULL_OBJECT")
    value = checksum(algorithm, FIRST + LAST)
    with refused("BadDigest", 400):
        upload.complete(ChecksumType="FULL_OBJECT", **{member(algorithm): checksum(algorithm, b"other")})
    assert bucket.keys() == []
    answer = upload.complete(ChecksumType="FULL_OBJECT", **{member(algorithm): value})
    assert (answer[member(algorithm)], answer["ChecksumType"]) == (value, "FULL_OBJECT")
    head = bucket.head("key", ChecksumMode="ENABLED")
    assert (head[member(algorithm)], head["ChecksumType"]) == (value, "FULL_OBJECT")


def test_invalid_combinations_of_algorithm_and_type_are_rejected(s3, bucket):
    needs(s3, "CreateMultipartUpload", "ChecksumType")
    for algorithm, kind in (("SHA256", "FULL_OBJECT"), ("CRC64NVME", "COMPOSITE")):
        with refused("InvalidRequest", 400, "checksum type cannot be used with"):
            bucket.start_upload("key", ChecksumAlgorithm=algorithm, ChecksumType=kind)


def test_the_default_checksums_of_uploads(s3, bucket):
    needs(s3, "CreateMultipartUpload", "ChecksumType")
    upload = bucket.start_upload("key", ChecksumAlgorithm="CRC64NVME")
    assert upload.answer["ChecksumType"] == "FULL_OBJECT"
    for algorithm in COMPOSITE:
        assert bucket.start_upload("key", ChecksumAlgorithm=algorithm).answer["ChecksumType"] == "COMPOSITE"


def test_a_part_with_a_wrong_checksum_is_not_stored(bucket):
    upload = bucket.start_upload("key", ChecksumAlgorithm="SHA256")
    with refused("BadDigest", 400):
        upload.put(1, BODY, ChecksumSHA256=checksum("SHA256", b"other"))
    assert "Parts" not in upload.list()
    with refused("BadDigest", 400):
        md5 = base64.b64encode(hashlib.md5(b"other").digest()).decode()
        upload.put(1, BODY, ContentMD5=md5, ChecksumSHA256=checksum("SHA256", BODY))
    assert "Parts" not in upload.list()


def test_a_part_with_another_checksum_is_rejected(bucket):
    upload = bucket.start_upload("key", ChecksumAlgorithm="SHA256")
    with refused("InvalidRequest", 400, "Checksum Type mismatch occurred, expected checksum Type: sha256"):
        upload.put(1, BODY, ChecksumSHA1=checksum("SHA1", BODY))


def test_completing_compares_the_parts_checksums(bucket):
    upload = bucket.start_upload("key", ChecksumAlgorithm="SHA256")
    upload.put(1, BODY, ChecksumAlgorithm="SHA256")
    (part,) = upload.parts
    with refused(("InvalidPart", "BadDigest"), 400):
        upload.complete([{**part, "ChecksumSHA256": checksum("SHA256", b"other")}])
    assert bucket.keys() == []
    upload.complete([part])
    assert bucket.read("key") == BODY


def test_the_expected_size_of_an_upload_is_verified(s3, bucket):
    needs(s3, "CompleteMultipartUpload", "MpuObjectSize")
    upload = bucket.start_upload("key")
    upload.put(1, BODY)
    with refused("InvalidRequest", 400):
        upload.complete(MpuObjectSize=len(BODY) + 1)
    upload.complete(MpuObjectSize=len(BODY))
    assert bucket.read("key") == BODY


def test_a_copy_has_the_checksum_of_its_source_or_another(s3, bucket):
    bucket.put("source", BODY, ChecksumAlgorithm="SHA1")
    answer = bucket.copy("source", "same")["CopyObjectResult"]
    assert answer["ChecksumSHA1"] == checksum("SHA1", BODY)
    answer = bucket.copy("source", "other", ChecksumAlgorithm="SHA256")["CopyObjectResult"]
    assert answer["ChecksumSHA256"] == checksum("SHA256", BODY)
    head = bucket.head("other", ChecksumMode="ENABLED")
    assert own_checksums(head) in ({"ChecksumSHA256": answer["ChecksumSHA256"]}, {
        "ChecksumSHA256": answer["ChecksumSHA256"], "ChecksumType": "FULL_OBJECT",
    })


def test_a_range_has_no_checksum_of_the_whole_object(bucket):
    bucket.put("key", BODY, ChecksumAlgorithm="SHA256")
    got = bucket.get("key", ChecksumMode="ENABLED", Range="bytes=0-9")
    assert got["Body"] == BODY[:10]
    assert "ChecksumSHA256" not in got


def test_checksums_of_settings_are_verified(raw, bucket):
    body = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    wrong = base64.b64encode(hashlib.md5(b"other").digest()).decode()
    answer = raw.call("PUT", f"/{bucket.name}?versioning", body, headers={"Content-MD5": wrong})
    assert (answer.status, answer.code) == (400, "BadDigest"), answer
    answer = raw.call("PUT", f"/{bucket.name}?versioning", body, headers={header("CRC32"): checksum("CRC32", b"other")})
    assert (answer.status, answer.code) == (400, "BadDigest"), answer
    assert "Status" not in bucket.client.get_bucket_versioning(Bucket=bucket.name)


def test_the_checksum_of_delete_objects_is_verified(raw, bucket):
    bucket.put("key", BODY)
    body = b"<Delete><Object><Key>key</Key></Object></Delete>"
    wrong = base64.b64encode(hashlib.md5(b"other").digest()).decode()
    answer = raw.call("POST", f"/{bucket.name}?delete", body, headers={"Content-MD5": wrong})
    assert (answer.status, answer.code) == (400, "BadDigest"), answer
    assert bucket.keys() == ["key"]
    md5 = base64.b64encode(hashlib.md5(body).digest()).decode()
    assert raw.call("POST", f"/{bucket.name}?delete", body, headers={"Content-MD5": md5}).status == 200
    assert bucket.keys() == []
