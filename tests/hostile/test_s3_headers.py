# SPDX-License-Identifier: Apache-2.0
"""Invalid S3 headers: dates, checksums, metadata."""
import email.header

import pytest

from expect import plain_rejection

BODY = b"some bytes"
DATES = ["", " ", "0", "now", "Sun", "Sun, ", "Sun ", "Sunday, ", "Sun Nov", "Sunday, 06-Nov", "Sun, 06 Nov 1994 08:49:37",
         "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 99:99:99 GMT", "Sun Nov  6 08:49:37 99999", "\xff" * 100,
         "Sun, 06 Nov 1994 08:49:37 GMT" * 500, "Sun, 06 Nov -994 08:49:37 GMT"]


@pytest.fixture(scope="module")
def key(s3, bucket):
    target = f"{bucket}/headers"
    assert s3.call("PUT", target, BODY).status == 200
    return target


@pytest.mark.parametrize("date", DATES, ids=lambda date: date[:30])
def test_an_invalid_date_is_no_condition(s3, key, date):
    for name in ("If-Modified-Since", "If-Unmodified-Since"):
        answer = s3.call("GET", key, headers={name: date})
        assert (answer.status, answer.body) == (200, BODY), (name, answer)


CHECKSUMS = [
    {"x-amz-checksum-": "x"},
    {"x-amz-checksum-crc32 ": "AAAAAA=="},
    {"x-amz-checksum-" + "c" * 8000: "x"},
    {"x-amz-checksum-crc32": "\xff\xff\xff\xff"},
    {"x-amz-checksum-sha512": "x"},
    {f"x-amz-checksum-{i}": "x" for i in range(50)},
    {"x-amz-sdk-checksum-algorithm": ""},
    {"x-amz-sdk-checksum-algorithm": "CRC32"},
    {"x-amz-sdk-checksum-algorithm": "\xff"},
    {"x-amz-trailer": "x-amz-checksum-crc32,x-amz-checksum-crc32"},
    {"x-amz-trailer": ","},
    {"x-amz-trailer": "Content-Length"},
    {"x-amz-trailer": "x" * 8000},
]


@pytest.mark.parametrize("headers", CHECKSUMS, ids=range(len(CHECKSUMS)))
def test_empty_checksums_are_rejected(s3, bucket, headers):
    target = f"{bucket}/checksums"
    answer = s3.call("PUT", target, BODY, headers=headers)
    plain_rejection(answer)
    assert s3.call("GET", target).status == 404


TEXTS = ["\xff", "\x80\x81", "ö" * 400, "=?UTF-8?B?", "=?UTF-8?Q?=C3?=", "=?" + "?" * 500, "Mini\xf6 " * 100]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_metadata_is_returned_as_valid_text(s3, bucket, text):
    target = f"{bucket}/metadata"
    assert s3.call("PUT", target, BODY, headers={"x-amz-meta-text": text}).status == 200
    shown = s3.call("HEAD", target).headers["x-amz-meta-text"]
    assert shown.isascii()
    if not text.isascii():
        words = email.header.decode_header(shown)
        assert "".join(part.decode(charset) for part, charset in words) == text.strip()
