# SPDX-License-Identifier: Apache-2.0
"""Keys: nearly any text is valid, and is returned unchanged."""
import pytest

from support.buckets import refused

KEYS = [
    "plain",
    "with space",
    " leading space",
    "trailing space ",
    "plus+plus",
    "percent%20encoded",
    "percent%",
    "100%25",
    "question?mark",
    "hash#tag",
    "amp&ersand",
    "equals=sign",
    "semi;colon",
    "colon:comma,",
    "quote'\"s",
    "<xml>&amp;</xml>",
    "back\\slash",
    "pipe|tilde~caret^grave`",
    "bra[ck]e{t}s()",
    "exclamation!dollar$star*at@",
    "ünïcödé",
    "漢字",
    "emoji 🚀🔥",
    "combining e\u0301",  # differs from é: keys are bytes
    "nfc \u00e9",
    "עברית",
    "/leading slash",
    "trailing slash/",
    "double//slash",
    "//",
    "/",
    "a/b/c/d/e/f",
    "folder/./file",
    "folder/../file",
    "...",
    "dot.",
    ".hidden",
    "tab\tand\nnewline\r",
    "controls \x01\x1f\x7f",
    "\u2028line separator",
    "index.html",
    "?acl",
    "a?versionId=b",
    "con",
    "a" * 1024,
    "é" * 512,
    "🚀" * 256,
    "x/" * 512,
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: ascii(key)[:40])
def test_a_key_is_returned_unchanged(bucket, key):
    body = key.encode()
    bucket.put(key, body)
    assert bucket.read(key) == body
    assert bucket.head(key)["ContentLength"] == len(body)
    assert bucket.keys() == [key]
    assert bucket.keys(Prefix=key) == [key]
    bucket.copy(key, "copy")
    assert bucket.read("copy") == body
    bucket.copy("copy", key)
    gone = bucket.delete_many("copy")
    assert [one["Key"] for one in gone["Deleted"]] == ["copy"]
    bucket.delete(key)
    assert bucket.keys() == []


def test_keys_that_look_alike_are_distinct(bucket):
    alike = ["a/b", "a//b", "/a/b", "a/b/", "a/./b", "A/b", "a%2Fb", "a b", "a+b", "a%20b", "nfc \u00e9", "nfc e\u0301"]
    for key in alike:
        bucket.put(key, key.encode())
    assert sorted(bucket.keys()) == sorted(alike)
    assert all(bucket.read(key) == key.encode() for key in alike)


def test_a_key_has_1024_bytes_at_most(bucket):
    for key in ("a" * 1025, "é" * 513):
        with refused("KeyTooLongError", 400, "Your key is too long"):
            bucket.put(key, b"x")
    assert bucket.keys() == []


def test_keys_are_listed_by_their_bytes(bucket):
    keys = ["B", "a", "Z", "é", "z", "🚀", "\uffee", "a!", "a/", "a0", "~"]
    for key in keys:
        bucket.put(key, b"x")
    assert bucket.keys() == sorted(keys, key=lambda key: key.encode())
