# SPDX-License-Identifier: Apache-2.0
"""Streams of a group."""
import pytest

from logs.conftest import now
from support.queues import refused


def names(answer):
    return [stream["logStreamName"] for stream in answer["logStreams"]]


def test_a_new_stream_shows_no_events(logs, group, account):
    [stream] = logs.describe_log_streams(logGroupName=group.name)["logStreams"]
    assert stream["arn"] == f"arn:aws:logs:us-east-1:{account}:log-group:{group.name}:log-stream:s"
    assert set(stream) == {"arn", "logStreamName", "creationTime", "storedBytes"}
    assert stream["storedBytes"] == 0


def test_a_stream_with_events_shows_their_times(logs, group):
    start = now()
    group.put("a", "b", start=start)
    [stream] = logs.describe_log_streams(logGroupName=group.name)["logStreams"]
    assert stream["firstEventTimestamp"] == start
    assert stream["lastEventTimestamp"] == start + 1
    assert stream["lastIngestionTime"] >= start
    assert len(stream["uploadSequenceToken"]) == 56
    assert stream["storedBytes"] == 0


def test_a_stream_exists_once(group):
    with refused("ResourceAlreadyExistsException", "The specified log stream already exists"):
        group.create_stream("s")


@pytest.mark.parametrize("name", ["a:b", "a*b"])
def test_colons_and_asterisks_are_rejected(group, connect, name):
    with refused("InvalidParameterException", "regular expression pattern"):
        connect("logs", checked=False).create_log_stream(logGroupName=group.name, logStreamName=name)


def test_other_characters_are_common(logs, group):
    for name in ("web/nginx/0123", "2026/11/16/[$LATEST]ab", "größe"):
        group.create_stream(name)
        group.put("hello", stream=name)
        assert [e["message"] for e in group.get(name)["events"]] == ["hello"]


def test_streams_are_listed_by_name_and_prefix(logs, group):
    for name in ("b2", "a1", "b1"):
        group.create_stream(name)
    assert names(logs.describe_log_streams(logGroupName=group.name)) == ["a1", "b1", "b2", "s"]
    assert names(logs.describe_log_streams(logGroupName=group.name, descending=True)) == ["s", "b2", "b1", "a1"]
    assert names(logs.describe_log_streams(logGroupName=group.name, logStreamNamePrefix="b")) == ["b1", "b2"]
    assert names(logs.describe_log_streams(logGroupName=group.name, logStreamNamePrefix="b", descending=True)) == [
        "b2", "b1"]
    pages = logs.get_paginator("describe_log_streams").paginate(logGroupName=group.name, limit=3)
    assert [names(page) for page in pages] == [["a1", "b1", "b2"], ["s"]]


def test_streams_are_listed_by_their_last_event(logs, group):
    start = now()
    for offset, name in ((3000, "late"), (1000, "early"), (2000, "middle")):
        group.create_stream(name)
        group.put("x", stream=name, start=start + offset)
    logs.delete_log_stream(logGroupName=group.name, logStreamName="s")
    by_time = {"logGroupName": group.name, "orderBy": "LastEventTime"}
    assert names(logs.describe_log_streams(**by_time)) == ["early", "middle", "late"]
    first = logs.describe_log_streams(**by_time, descending=True, limit=2)
    assert names(first) == ["late", "middle"]
    assert names(logs.describe_log_streams(**by_time, descending=True, nextToken=first["nextToken"])) == ["early"]
    with refused("InvalidParameterException", "Cannot order by LastEventTime with a logStreamNamePrefix."):
        logs.describe_log_streams(**by_time, logStreamNamePrefix="x")


def test_a_deleted_stream_is_gone_with_its_events(logs, group):
    group.put("gone")
    logs.delete_log_stream(logGroupName=group.name, logStreamName="s")
    with refused("ResourceNotFoundException", "The specified log stream does not exist."):
        group.put("x")
    assert group.messages() == []
    group.create_stream("s")
    assert group.get()["events"] == []
