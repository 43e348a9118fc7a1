# SPDX-License-Identifier: Apache-2.0
"""Hostile XML, in all operations with an XML body."""
import base64
import hashlib

import pytest

from expect import refused

WHERE = [
    ("PUT", "?versioning"),
    ("PUT", "?tagging"),
    ("PUT", "?cors"),
    ("PUT", "?lifecycle"),
    ("PUT", "?encryption"),
    ("PUT", "?ownershipControls"),
    ("PUT", "?publicAccessBlock"),
    ("PUT", "?notification"),
    ("POST", "?delete"),
    ("PUT", "/key?tagging"),
]

LAUGHS = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9)
) + b"]><Tagging><TagSet><Tag><Key>&j;</Key><Value>v</Value></Tag></TagSet></Tagging>"

BODIES = [
    b"",
    b" ",
    b"<",
    b"<a",
    b"<a>",
    b"</a>",
    b"<a></b>",
    b"<a/><b/>",
    b"{}",
    b"\0\0\0\0",
    b"\xff\xfe<\0a\0/\0>\0",
    b"<Unknown/>",
    b"<a>" * 100_000,
    b"<a>" * 5000 + b"</a>" * 5000,
    b"<Tagging>" * 2000 + b"</Tagging>" * 2000,
    b"<a " + b" ".join(b'x%d="y"' % i for i in range(20_000)) + b"/>",
    b"<" + b"a" * 1_000_000 + b"/>",
    b"<!-- " + b"-" * 500_000,
    b"<a>&#0;</a>",
    b"<a>&#xFFFFFFFF;</a>",
    b"<a>&nothing;</a>",
    LAUGHS,
    b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><Tagging><TagSet><Tag><Key>&f;</Key><Value>v</Value></Tag></TagSet></Tagging>',
    b'<?xml version="1.0" encoding="UTF-7"?><a/>',
    b"<Tagging><TagSet><Tag><Key>\xff\xfe</Key><Value>v</Value></Tag></TagSet></Tagging>",
    b"<Tagging><TagSet><Tag><Key>a</Key></TagSet></Tagging>",
    b"<Tagging><TagSet><Tag><Key>&nothing;</Key><Value>v</Value></Tag></TagSet></Tagging>",
    b"<Tagging><TagSet><Tag><Key>&#0;</Key><Value>v</Value></Tag></TagSet></Tagging>",
]


def send(s3, bucket, method, where, body):
    md5 = base64.b64encode(hashlib.md5(body).digest()).decode()
    return s3.call(method, bucket + where, body, headers={"Content-MD5": md5})


@pytest.fixture(scope="module")
def target(s3):
    assert s3.call("PUT", "/hostile-xml").status == 200
    assert s3.call("PUT", "/hostile-xml/key", b"x").status == 200
    return "/hostile-xml"


@pytest.mark.parametrize("method, where", WHERE, ids=lambda part: part)
@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:20]))
def test_malformed_xml_is_rejected(s3, target, method, where, body):
    answer = send(s3, target, method, where, body)
    refused(answer, status=400)
    assert b"root:" not in answer.body


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:20]))
def test_malformed_xml_of_locations_and_uploads_is_rejected(s3, target, body):
    started = s3.call("POST", f"{target}/upload?uploads")
    upload = started.body.split(b"<UploadId>")[1].split(b"</UploadId>")[0].decode()
    refused(s3.call("POST", f"{target}/upload?uploadId={upload}", body), status=400)
    assert s3.call("DELETE", f"{target}/upload?uploadId={upload}").status == 204
    if body.strip():  # an empty body is valid there
        answer = s3.call("PUT", "/hostile-location", body)
        s3.call("DELETE", "/hostile-location")
        refused(answer, status=400)


def test_xml_bodies_have_a_size_limit(s3, target):
    """Signed requests have a limit, too."""
    body = b"<Tagging>" + b" " * (4 << 20) + b"<TagSet/></Tagging>"
    for method, where in WHERE:
        refused(send(s3, target, method, where, body))


def test_a_thousand_long_keys_are_accepted(s3, target):
    """The largest valid list is accepted."""
    objects = "".join(f"<Object><Key>{i:04}{'é' * 510}</Key></Object>" for i in range(1000))
    answer = send(s3, target, "POST", "?delete", f"<Delete>{objects}</Delete>".encode())
    assert answer.status == 200, answer
    assert answer.body.count(b"<Deleted>") == 1000


def test_at_most_ten_thousand_parts_are_accepted(s3, target):
    started = s3.call("POST", f"{target}/many?uploads")
    upload = started.body.split(b"<UploadId>")[1].split(b"</UploadId>")[0].decode()
    etag = hashlib.md5(b"x").hexdigest()
    for count in (10_000, 10_001):
        parts = "".join(f"<Part><PartNumber>{i + 1}</PartNumber><ETag>{etag}</ETag></Part>" for i in range(count))
        body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
        refused(s3.call("POST", f"{target}/many?uploadId={upload}", body), ("InvalidPart", "MalformedXML"), 400)
    s3.call("DELETE", f"{target}/many?uploadId={upload}")


@pytest.mark.parametrize("number", ["0", "-1", "10001", "99999999999999999999", "one", "", "1.5", "0x1"])
def test_an_invalid_part_number_is_rejected(s3, target, number):
    started = s3.call("POST", f"{target}/numbers?uploads")
    upload = started.body.split(b"<UploadId>")[1].split(b"</UploadId>")[0].decode()
    refused(s3.call("PUT", f"{target}/numbers?partNumber={number}&uploadId={upload}", b"x"), status=400)
    body = f"<CompleteMultipartUpload><Part><PartNumber>{number}</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>"
    refused(s3.call("POST", f"{target}/numbers?uploadId={upload}", body.encode()), status=400)
    s3.call("DELETE", f"{target}/numbers?uploadId={upload}")


POLICIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"{}" * 1000,
    b"[" * 100_000,
    b'{"Statement":' * 5000,
    b'{"Version":"2012-10-17","Statement":"' + b"x" * 30_000 + b'"}',
    b'{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"\xff\xfe"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::hostile-xml/*"}]}',
    b'{"Version":"2012-10-17","Statement":[' + b"{}," * 5000 + b"{}]}",
    b'{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Effect":"Allow","Principal":{"AWS":"111111111111"},'
    b'"Action":"s3:GetObject","Resource":"arn:aws:s3:::hostile-xml/*"}]}',
    b"<xml/>",
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: repr(policy[:24]))
def test_an_invalid_policy_is_rejected(s3, target, policy):
    refused(send(s3, target, "PUT", "?policy", policy), status=400)
    assert s3.call("GET", f"{target}?policy").status == 404
