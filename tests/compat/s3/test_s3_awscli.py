# SPDX-License-Identifier: Apache-2.0
"""Amazon's own command line: aws s3 and aws s3api."""
import hashlib
import json
import os

import pytest

from support.buckets import MIB
from support.queues import unique_name


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.bin"
    path.write_bytes(os.urandom(19 * MIB + 7))  # in three parts of 8 MiB
    return path


@pytest.fixture
def files(tmp_path):
    tree = tmp_path / "tree"
    for name in ("a.txt", "b.log", "sub/c.txt", "sub/deep er/ü.txt"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(f"this is {name}")
    for file in tree.rglob("*"):  # older than what S3 has of them, whose times have no parts of a second
        os.utime(file, (1_600_000_000, 1_600_000_000))
    return tree


def test_the_life_of_a_bucket(aws, tmp_path):
    name = unique_name()
    assert f"make_bucket: {name}" in aws("s3", "mb", f"s3://{name}")
    assert name in aws("s3", "ls")
    file = tmp_path / "file.txt"
    file.write_text("hello")
    assert "upload:" in aws("s3", "cp", file, f"s3://{name}/")
    assert "file.txt" in aws("s3", "ls", f"s3://{name}")
    assert "BucketNotEmpty" in aws("s3", "rb", f"s3://{name}", fails=True)
    assert f"remove_bucket: {name}" in aws("s3", "rb", f"s3://{name}", "--force")
    assert "NoSuchBucket" in aws("s3", "ls", f"s3://{name}", fails=True)


def test_a_large_file_is_uploaded_and_downloaded(aws, bucket, large, tmp_path):
    aws("s3", "cp", large, f"s3://{bucket.name}/dir/")
    assert bucket.head("dir/large.bin")["ETag"].endswith('-3"')
    aws("s3", "cp", f"s3://{bucket.name}/dir/large.bin", tmp_path / "back.bin")
    assert hashlib.md5((tmp_path / "back.bin").read_bytes()).digest() == hashlib.md5(large.read_bytes()).digest()
    aws("s3", "cp", f"s3://{bucket.name}/dir/large.bin", f"s3://{bucket.name}/copy.bin")
    assert bucket.head("copy.bin")["ContentLength"] == large.stat().st_size
    aws("s3", "mv", f"s3://{bucket.name}/copy.bin", tmp_path / "moved.bin")
    assert (tmp_path / "moved.bin").stat().st_size == large.stat().st_size
    assert bucket.keys() == ["dir/large.bin"]


def test_streams(aws, bucket):
    aws("s3", "cp", "-", f"s3://{bucket.name}/stream", given=b"from a pipe\0")
    assert aws("s3", "cp", f"s3://{bucket.name}/stream", "-", binary=True) == b"from a pipe\0"


def test_folders(aws, bucket, files, tmp_path):
    root = f"s3://{bucket.name}/root"
    aws("s3", "cp", files, root, "--recursive", "--exclude", "*.log")
    assert bucket.keys() == ["root/a.txt", "root/sub/c.txt", "root/sub/deep er/ü.txt"]
    listed = aws("s3", "ls", root + "/")
    assert "PRE sub/" in listed and "a.txt" in listed
    summary = aws("s3", "ls", root, "--recursive", "--summarize")
    assert "Total Objects: 3" in summary
    aws("s3", "cp", root, tmp_path / "back", "--recursive")
    assert (tmp_path / "back/sub/deep er/ü.txt").read_text() == "this is sub/deep er/ü.txt"
    aws("s3", "rm", root, "--recursive", "--exclude", "*", "--include", "*sub/*")
    assert bucket.keys() == ["root/a.txt"]


def test_sync(aws, bucket, make_bucket, files, tmp_path):
    here, there = f"s3://{bucket.name}", make_bucket()
    aws("s3", "sync", files, here)
    assert len(bucket.keys()) == 4
    assert aws("s3", "sync", files, here) == ""  # nothing has changed
    (files / "a.txt").write_text("changed, and longer")
    (files / "b.log").unlink()
    output = aws("s3", "sync", files, here, "--delete")
    assert "upload:" in output and "delete:" in output and output.count("\n") == 2
    assert bucket.read("a.txt") == b"changed, and longer" and "b.log" not in bucket.keys()
    aws("s3", "sync", here, f"s3://{there.name}")
    assert there.keys() == bucket.keys()
    aws("s3", "sync", here, tmp_path / "mirror")
    assert (tmp_path / "mirror/a.txt").read_text() == "changed, and longer"


def test_moving(aws, bucket, files):
    aws("s3", "mv", files / "a.txt", f"s3://{bucket.name}/x", "--content-type", "text/own", "--metadata", "k=v")
    assert not (files / "a.txt").exists()
    aws("s3", "mv", f"s3://{bucket.name}/x", f"s3://{bucket.name}/y")
    assert bucket.keys() == ["y"]
    head = bucket.head("y")
    assert (head["ContentType"], head["Metadata"]) == ("text/own", {"k": "v"})


def test_presigning(aws, bucket, fetch):
    bucket.put("a key", b"x")
    url = aws("s3", "presign", f"s3://{bucket.name}/a key", "--expires-in", "60").strip()
    assert fetch("GET", url).body == b"x"


def test_single_s3api_calls(aws, bucket, tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"x" * 10)
    at = ("--bucket", bucket.name)
    key = (*at, "--key", "k")
    put = json.loads(aws("s3api", "put-object", *key, "--body", file, "--checksum-algorithm", "SHA256"))
    assert put["ETag"] and put["ChecksumSHA256"]
    head = json.loads(aws("s3api", "head-object", *key, "--checksum-mode", "ENABLED"))
    assert head["ContentLength"] == 10 and head["ChecksumSHA256"] == put["ChecksumSHA256"]
    got = json.loads(aws("s3api", "get-object", *key, "--range", "bytes=0-3", tmp_path / "out"))
    assert got["ContentRange"] == "bytes 0-3/10" and (tmp_path / "out").read_bytes() == b"xxxx"
    listed = json.loads(aws("s3api", "list-objects-v2", *at, "--query", "Contents[].Key"))
    assert listed == ["k"]
    aws("s3api", "put-bucket-versioning", *at, "--versioning-configuration", "Status=Enabled")
    assert json.loads(aws("s3api", "get-bucket-versioning", *at)) == {"Status": "Enabled"}
    aws("s3api", "put-object-tagging", *key, "--tagging", "TagSet=[{Key=a,Value=b}]")
    assert json.loads(aws("s3api", "get-object-tagging", *key))["TagSet"] == [{"Key": "a", "Value": "b"}]
    assert json.loads(aws("s3api", "get-object-attributes", *key, "--object-attributes", "ObjectSize"))["ObjectSize"] == 10
    assert "NoSuchKey" in aws("s3api", "get-object", *at, "--key", "nothing", tmp_path / "out", fails=True)
    gone = json.loads(aws("s3api", "delete-object", *key))
    assert gone["DeleteMarker"] is True
