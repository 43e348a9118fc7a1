# SPDX-License-Identifier: Apache-2.0
"""Writing events, and reading them with GetLogEvents and FilterLogEvents."""
import gzip
import json

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.httpsession
import pytest

from logs.conftest import now
from support.queues import refused, unique_name

HOUR, DAY = 3600 * 1000, 24 * 3600 * 1000


def messages(answer):
    return [event["message"] for event in answer["events"]]


def test_events_come_back_byte_for_byte(group):
    texts = ["plain", "newline\n", "größe 五 \U0001f600", "tab\tand \\ \"quotes\"", " blanks ", "\u0000zero"]
    answer = group.put(*texts)
    assert len(answer["nextSequenceToken"]) == 56
    assert "rejectedLogEventsInfo" not in answer
    assert messages(group.get(startFromHead=True)) == texts
    event = group.filter()[0]
    assert set(event) == {"logStreamName", "timestamp", "message", "ingestionTime", "eventId"}
    assert len(event["eventId"]) == 56 and event["eventId"].isdigit()


def test_sequence_tokens_are_ignored(logs, group):
    for _ in range(2):
        logs.put_log_events(logGroupName=group.name, logStreamName="s", sequenceToken="1",
                            logEvents=[{"timestamp": now(), "message": "m"}])
    assert group.messages() == ["m", "m"]


def test_a_batch_must_be_in_order(logs, group):
    with refused("InvalidParameterException", "must be in chronological order."):
        logs.put_log_events(logGroupName=group.name, logStreamName="s", logEvents=[
            {"timestamp": now(), "message": "a"}, {"timestamp": now() - 10, "message": "b"}])
    assert group.messages() == []


def test_a_batch_spans_a_day_at_most(logs, group):
    start = now()
    with refused("InvalidParameterException", "cannot span more than 24 hours."):
        logs.put_log_events(logGroupName=group.name, logStreamName="s", logEvents=[
            {"timestamp": start - DAY - 1, "message": "a"}, {"timestamp": start, "message": "b"}])


def test_events_of_an_unacceptable_age_are_reported(logs, group):
    start = now()
    answer = logs.put_log_events(logGroupName=group.name, logStreamName="s", logEvents=[
        {"timestamp": start - 15 * DAY, "message": "old"}, {"timestamp": start, "message": "kept"},
        {"timestamp": start + 3 * HOUR, "message": "new"}])
    assert answer["rejectedLogEventsInfo"] == {"tooOldLogEventEndIndex": 1, "tooNewLogEventStartIndex": 2}
    assert group.messages() == ["kept"]


def test_events_older_than_the_retention_are_expired(logs, group):
    logs.put_retention_policy(logGroupName=group.name, retentionInDays=1)
    answer = group.put("expired", start=now() - 2 * DAY)
    assert answer["rejectedLogEventsInfo"] == {"expiredLogEventEndIndex": 1}


def test_an_event_has_a_megabyte_at_most(group):
    with refused("InvalidParameterException", "Log event too large: 1048577 bytes exceeds limit of 1048576"):
        group.put("x" * (1048576 - 25))
    group.put("x" * (1048576 - 26))
    assert [len(m) for m in group.messages()] == [1048576 - 26]


def test_a_batch_has_ten_thousand_events_at_most(group, connect):
    group.client = connect("logs", checked=False)
    with refused("InvalidParameterException", "less than or equal to 10000"):
        group.put(*["m"] * 10001)
    with refused("InvalidParameterException", "greater than or equal to 1"):
        group.put()
    with refused("InvalidParameterException", "greater than or equal to 1"):
        group.put("")


def test_the_group_is_looked_up_before_the_stream(logs, group):
    events = [{"timestamp": now(), "message": "m"}]
    with refused("ResourceNotFoundException", "The specified log group does not exist."):
        logs.put_log_events(logGroupName=unique_name(), logStreamName="s", logEvents=events)
    with refused("ResourceNotFoundException", "The specified log stream does not exist."):
        logs.put_log_events(logGroupName=group.name, logStreamName="t", logEvents=events)


def test_a_compressed_request_with_the_agents_header_is_accepted(server, group):
    body = gzip.compress(json.dumps({"logGroupName": group.name, "logStreamName": "s",
                                     "logEvents": [{"timestamp": now(), "message": "zipped"}]}).encode())
    request = botocore.awsrequest.AWSRequest("POST", server.endpoint + "/", data=body, headers={
        "Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "Logs_20140328.PutLogEvents",
        "Content-Encoding": "gzip", "x-amzn-logs-format": "json/emf"})
    key = botocore.credentials.Credentials(server.root_key.id, server.root_key.secret)
    botocore.auth.SigV4Auth(key, "logs", "us-east-1").add_auth(request)
    answer = botocore.httpsession.URLLib3Session().send(request.prepare())
    assert answer.status_code == 200, answer.text
    assert group.messages() == ["zipped"]


def test_an_error_has_its_bare_name(server):
    request = botocore.awsrequest.AWSRequest("POST", server.endpoint + "/", data=b"{}", headers={
        "Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "Logs_20140328.DeleteLogGroup"})
    key = botocore.credentials.Credentials(server.root_key.id, server.root_key.secret)
    botocore.auth.SigV4Auth(key, "logs", "us-east-1").add_auth(request)
    answer = botocore.httpsession.URLLib3Session().send(request.prepare())
    assert answer.status_code == 400
    error = json.loads(answer.text)
    assert error["__type"] == "InvalidParameterException"
    assert error["message"] == ("1 validation error detected: Value null at 'logGroupName' failed to satisfy constraint: "
                                "Member must not be null")


def test_pages_lead_forward_until_a_token_repeats(group):
    texts = [str(i) for i in range(25)]
    group.put(*texts, start=now() - 1000)
    got, token = [], None
    for _ in range(10):
        page = group.get(startFromHead=True, limit=10, **({"nextToken": token} if token else {}))
        got += messages(page)
        if page["nextForwardToken"] == token:
            break
        token = page["nextForwardToken"]
        assert token.startswith("f/")
    assert got == texts
    group.put("later")
    assert messages(group.get(startFromHead=True, nextToken=token)) == ["later"]


def test_pages_lead_backward_from_the_newest(group):
    group.put(*[str(i) for i in range(25)])
    page = group.get(limit=10)
    assert messages(page) == [str(i) for i in range(15, 25)]
    got = []
    for _ in range(10):
        token = page["nextBackwardToken"]
        assert token.startswith("b/")
        page = group.get(limit=10, nextToken=token)
        got = messages(page) + got
        if page["nextBackwardToken"] == token:
            break
    assert got == [str(i) for i in range(15)]


def test_an_empty_stream_has_tokens(group):
    page = group.get()
    assert page["events"] == [] and page["nextForwardToken"] and page["nextBackwardToken"]


@pytest.mark.parametrize("token", ["x", "f/1/s", "f/" + "9" * 56 + "/s"])
def test_other_tokens_are_rejected(group, token):
    with refused("InvalidParameterException", "The specified nextToken is invalid."):
        group.get(nextToken=token)


def test_the_end_is_exclusive_in_one_operation_and_inclusive_in_the_other(group):
    start = now()
    group.put("a", "b", "c", start=start)
    assert messages(group.get(startTime=start + 1, endTime=start + 2)) == ["b"]
    assert group.messages(startTime=start + 1, endTime=start + 2) == ["b", "c"]


def test_streams_are_merged_in_order_of_time(group):
    start = now()
    for name in ("x", "y"):
        group.create_stream(name)
    group.put("1", stream="x", start=start)
    group.put("4", stream="x", start=start + 30)
    group.put("2", "3", stream="y", start=start + 10)
    assert group.messages() == ["1", "2", "3", "4"]
    assert group.messages(logStreamNames=["y"]) == ["2", "3"]
    assert group.messages(logStreamNamePrefix="x") == ["1", "4"]
    assert group.messages(logStreamNamePrefix="none") == []
    assert group.messages(interleaved=True) == ["1", "2", "3", "4"]
    with refused("InvalidParameterException"):
        group.filter(logStreamNames=["x"], logStreamNamePrefix="x")
    with refused("ResourceNotFoundException", "The specified log stream does not exist."):
        group.filter(logStreamNames=["none"])


def test_a_filter_is_paged_and_has_no_token_at_its_end(logs, group):
    group.put(*[str(i) for i in range(10)])
    first = logs.filter_log_events(logGroupName=group.name, limit=6)
    assert len(first["events"]) == 6 and first["searchedLogStreams"] == []
    second = logs.filter_log_events(logGroupName=group.name, limit=6, nextToken=first["nextToken"])
    assert messages(second) == ["6", "7", "8", "9"]
    assert "nextToken" not in second
    with refused("InvalidParameterException", "The specified nextToken is invalid."):
        logs.filter_log_events(logGroupName=group.name, nextToken="x")


def test_a_pattern_selects_events(group):
    group.put("GET /index 200", "POST /login 500 ERROR", '{"level": "ERROR", "ms": 12}', "nothing")
    assert group.messages(filterPattern="ERROR") == ["POST /login 500 ERROR", '{"level": "ERROR", "ms": 12}']
    assert group.messages(filterPattern="{ $.ms > 10 }") == ['{"level": "ERROR", "ms": 12}']
    assert group.messages(filterPattern="?index ?nothing") == ["GET /index 200", "nothing"]
    assert group.messages(filterPattern="-ERROR") == ["GET /index 200", "nothing"]
    with refused("InvalidParameterException", "Invalid character(s) in term ':'"):
        group.messages(filterPattern="a:b")


def test_a_group_is_identified_by_its_arn(logs, group, account):
    if "logGroupName" in logs.meta.service_model.operation_model("GetLogEvents").input_shape.required_members:
        pytest.skip("this client does not know identifiers")
    group.put("m")
    arn = f"arn:aws:logs:us-east-1:{account}:log-group:{group.name}"
    assert messages(logs.filter_log_events(logGroupIdentifier=arn)) == ["m"]
    assert messages(logs.get_log_events(logGroupIdentifier=group.name, logStreamName="s")) == ["m"]
    with refused("ValidationException", "LogGroup name and LogGroup ARN are mutually exclusive parameters."):
        logs.get_log_events(logGroupIdentifier=arn, logGroupName=group.name, logStreamName="s")
    with refused("InvalidParameterException", "regular expression pattern"):
        logs.filter_log_events(logGroupIdentifier=arn + ":*")


def test_stored_bytes_count_messages_and_an_overhead(logs, group):
    group.put("12345", "67")
    [shown] = logs.describe_log_groups(logGroupNamePrefix=group.name)["logGroups"]
    assert shown["storedBytes"] == 7 + 2 * 26


def test_an_entity_that_is_invalid_does_not_lose_events(logs, group):
    members = logs.meta.service_model.operation_model("PutLogEvents").input_shape.members
    if "entity" not in members:
        pytest.skip("this client does not know entities")
    events = [{"timestamp": now(), "message": "m"}]
    put = {"logGroupName": group.name, "logStreamName": "s", "logEvents": events}
    good = {"keyAttributes": {"Type": "Service", "Name": "web"}}
    assert "rejectedEntityInfo" not in logs.put_log_events(**put, entity=good)
    bad = {"keyAttributes": {"Type": "Service", "Colour": "red"}}
    assert logs.put_log_events(**put, entity=bad)["rejectedEntityInfo"] == {"errorType": "InvalidKeyAttributes"}
    assert group.messages() == ["m", "m"]


def test_fields_of_recent_events_are_discovered(logs, group):
    group.put('{"level": "info"}', "text")
    fields = {f["name"]: f["percent"] for f in logs.get_log_group_fields(logGroupName=group.name)["logGroupFields"]}
    assert fields["@message"] == 100 and fields["level"] == 50
