# SPDX-License-Identifier: Apache-2.0
"""StartLiveTail: an event stream, read by botocore's own decoder."""
import pytest

from support.queues import refused, unique_name


@pytest.fixture(scope="module")
def tailing(connect):
    # By default botocore puts "stream-" in front of the host, which an IP address can't have.
    client = connect("logs", inject_host_prefix=False)
    if not hasattr(client, "start_live_tail"):
        pytest.skip("this client does not know StartLiveTail")
    return client


def arn_of(group, account):
    return f"arn:aws:logs:us-east-1:{account}:log-group:{group.name}"


def first_results(stream):
    """The events of the first update that has any."""
    for event in stream:
        results = event.get("sessionUpdate", {}).get("sessionResults")
        if results:
            return results


def test_a_session_shows_events_that_arrive(tailing, group, account):
    group.put("before")
    stream = tailing.start_live_tail(logGroupIdentifiers=[arn_of(group, account)])["responseStream"]
    try:
        events = iter(stream)
        start = next(events)["sessionStart"]
        assert start["logGroupIdentifiers"] == [arn_of(group, account)]
        assert start["requestId"] and start["sessionId"]
        assert "sessionUpdate" in next(events)
        group.put("after")
        [shown] = first_results(events)
        assert shown["message"] == "after" and shown["logStreamName"] == "s"
        assert shown["logGroupIdentifier"] == arn_of(group, account)
        assert shown["timestamp"] and shown["ingestionTime"]
    finally:
        stream.close()


def test_a_session_filters_by_stream_and_pattern(tailing, group, account):
    group.create_stream("web/1")
    stream = tailing.start_live_tail(logGroupIdentifiers=[arn_of(group, account)], logStreamNamePrefixes=["web/"],
                                     logEventFilterPattern="ERROR")["responseStream"]
    try:
        events = iter(stream)
        next(events), next(events)
        group.put("ERROR elsewhere")
        group.put("fine", "ERROR here", stream="web/1")
        assert [event["message"] for event in first_results(events)] == ["ERROR here"]
    finally:
        stream.close()


def test_errors_come_before_the_stream(tailing, group, account):
    with refused("ResourceNotFoundException", "The specified log group does not exist."):
        tailing.start_live_tail(logGroupIdentifiers=[unique_name()])
    with refused("InvalidParameterException"):
        tailing.start_live_tail(logGroupIdentifiers=[arn_of(group, account)], logEventFilterPattern="a:b")
