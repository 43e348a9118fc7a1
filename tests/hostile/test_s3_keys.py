# SPDX-License-Identifier: Apache-2.0
"""Hostile keys and names: they affect only the object that they name."""
import os
import urllib.parse

import pytest

from expect import refused

KEYS = [
    "../../../../etc/passwd",
    "..",
    ".",
    "../",
    "./../x",
    "a/../../../../b",
    "/etc/passwd",
    "//etc/passwd",
    "..\\..\\windows",
    "incoming/x",
    "../incoming/x",
    "objects/00/x",
    "\\",
    "'; DROP TABLE s3_objects; --",
    "%",
    "%_%",
    "*",
    "?",
    "[a-z]",
    "$(reboot)",
    "`reboot`",
    "|cat",
    "\n",
    "\r\nX-Injected: 1",
    "\x01\x02\x1b[31m",
    "\x7f",
    "\u202egnp.exe",
    "\ufeff",
    "\ufffe\uffff",
    "\U0010ffff",
    "<script>alert(1)</script>",
    "<![CDATA[x]]>",
    "]]>",
    "&lt;&#0;",
    "favicon.ico",
    "health",
    "x" * 1024,
    "/" * 1024,
    "../" * 341,
]


def target(bucket, key, query=""):
    return f"{bucket}/{urllib.parse.quote(key, safe='')}{query}"


def outside(server):
    """The files of the server's folder outside of its data, and the names of its object files."""
    found = []
    for folder, _, files in os.walk(server.folder):
        found += [os.path.join(folder, name) for name in files]
    objects = str(server.data / "objects") + os.sep
    inside = [name for name in found if name.startswith(objects)]
    return sorted(name for name in found if not name.startswith(str(server.data) + os.sep)), inside


@pytest.mark.parametrize("key", KEYS, ids=lambda key: ascii(key)[:30])
@pytest.mark.parametrize("size", [10, 100_000])
def test_a_key_is_only_a_name(s3, bucket, server, key, size):
    before, _ = outside(server)
    body = os.urandom(size)
    put = s3.call("PUT", target(bucket, key), body)
    if put.status != 200:
        refused(put)
        return
    got = s3.call("GET", target(bucket, key))
    assert (got.status, got.body) == (200, body)
    listed = s3.call("GET", f"{bucket}?encoding-type=url&list-type=2&prefix={urllib.parse.quote(key, safe='')}")
    assert listed.status == 200
    assert "x-injected" not in got.headers and "x-injected" not in put.headers
    after, inside = outside(server)
    assert after == before
    for name in inside:  # a client's input is never part of a file's name
        stem = os.path.basename(name)
        assert all(letter in "0123456789abcdefghijklmnopqrstuvwxyz-_." for letter in stem.lower()), name
    assert s3.call("DELETE", target(bucket, key)).status == 204
    assert s3.call("GET", target(bucket, key)).status == 404


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/..", "/./x", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fx", "/%2e"])
def test_an_unencoded_path_does_no_harm(s3, bucket, server, path):
    """Dots are not resolved: neither by the server nor in the signature."""
    before, _ = outside(server)
    for method in ("PUT", "GET", "DELETE"):
        answer = s3.call(method, bucket + path, b"x" if method == "PUT" else b"")
        assert answer is not None and answer.status < 500, answer
    assert outside(server)[0] == before
    assert s3.call("HEAD", bucket).status == 200


def test_dots_do_not_leave_the_bucket(s3, bucket):
    assert s3.call("PUT", "/hostile-second").status == 200
    assert s3.call("PUT", "/hostile-second/secret", b"secret").status == 200
    for path in ("/../hostile-second/secret", "/%2e%2e/hostile-second/secret", "/x/../../hostile-second/secret"):
        answer = s3.call("GET", bucket + path)
        assert answer.body != b"secret", path
        refused(answer)


@pytest.mark.parametrize("raw", ["%00", "a%00b", "%00.txt"])
def test_a_nul_in_a_key(s3, bucket, raw):
    put = s3.call("PUT", f"{bucket}/{raw}", b"x")
    if put.status == 200:
        assert s3.call("GET", f"{bucket}/{raw}").body == b"x"
        assert s3.call("GET", f"{bucket}/{raw.replace('%00', '')}").status in (400, 404, 200) and s3.call(
            "DELETE", f"{bucket}/{raw}"
        ).status == 204
    else:
        refused(put)


@pytest.mark.parametrize("raw", ["%ff", "%c3", "%c3%28", "a%80b", "%ed%a0%80", "%f8%88%80%80%80", "%c0%ae%c0%ae", "%c0%af"])
def test_a_key_that_is_not_utf8_is_rejected(s3, bucket, raw):
    refused(s3.call("PUT", f"{bucket}/{raw}", b"x"), status=400)
    answer = s3.call("GET", f"{bucket}/{raw}")
    assert 400 <= answer.status < 500
    refused(s3.call("GET", f"{bucket}?list-type=2&prefix={raw}"), status=400)


@pytest.mark.parametrize("raw", ["%", "%2", "%zz", "%%", "a%"])
def test_a_badly_encoded_path_is_rejected(s3, bucket, raw):
    answer = s3.call("PUT", f"{bucket}/{raw}", b"x")
    if answer.status == 200:  # stored unchanged
        assert s3.call("DELETE", f"{bucket}/{raw}").status == 204
    else:
        refused(answer, status=400 if answer.status == 400 else 403)


@pytest.mark.parametrize(
    "name",
    ["..", ".", "a" * 64, "a" * 10_000, "UPPER", "a_b", "a%20b", "a%2Fb", "%00%00%00", "x%0d%0ay", "%ff%fe%fd", "'--", "<b>"],
)
def test_an_invalid_bucket_name_is_rejected(s3, name):
    answer = s3.call("PUT", f"/{name}")
    assert 400 <= answer.status < 500, answer
    for method in ("GET", "HEAD", "DELETE"):
        answer = s3.call(method, f"/{name}")
        assert answer is None or 400 <= answer.status < 500 or name in (".", ".."), answer


@pytest.mark.parametrize("key", ["x" * 1025, "é" * 513, "x" * 60_000])
def test_a_key_that_is_too_long_is_rejected(s3, bucket, key):
    answer = s3.call("PUT", target(bucket, key), b"x")
    assert answer is not None and answer.status in (400, 414, 431), answer
    answer = s3.call("GET", f"{bucket}?list-type=2&prefix={urllib.parse.quote(key)}")
    assert answer is not None and answer.status < 500


def test_repeated_input_cannot_break_the_xml(s3, bucket):
    import xml.etree.ElementTree

    nasty = '</Key><Key>injected</Key>&<!--"\'>'
    assert s3.call("PUT", target(bucket, nasty), b"x").status == 200
    quoted = urllib.parse.quote(nasty, safe="")
    for query in (f"list-type=2&prefix={quoted}", f"prefix={quoted}&delimiter=%3C", f"versions&prefix={quoted}"):
        answer = s3.call("GET", f"{bucket}?{query}")
        root = xml.etree.ElementTree.fromstring(answer.body)
        keys = [e.text for e in root.iter() if e.tag.endswith("}Key")]
        assert "injected" not in keys and keys in ([nasty], []), keys
    answer = s3.call("GET", target(bucket, nasty + "?"))
    assert nasty + "?" in [e.text for e in xml.etree.ElementTree.fromstring(answer.body).iter()]
    s3.call("DELETE", target(bucket, nasty))
