# SPDX-License-Identifier: Apache-2.0
"""Logs Insights."""
import time

import pytest

from logs.conftest import now
from support.queues import refused, unique_name
from support.waiting import eventually


def start(logs, group, text, **more):
    more = more or {"logGroupName": group.name}
    seconds = int(time.time())
    return logs.start_query(startTime=seconds - 3600, endTime=seconds + 3600, queryString=text, **more)["queryId"]


def finished(logs, query, **more):
    def ended():
        answer = logs.get_query_results(queryId=query, **more)
        return answer if answer["status"] not in ("Scheduled", "Running") else None

    return eventually(ended)


def rows(logs, group, text, **more):
    answer = finished(logs, start(logs, group, text, **more))
    assert answer["status"] == "Complete"
    return [{field["field"]: field["value"] for field in row if field["field"] != "@ptr"} for row in answer["results"]]


@pytest.fixture
def filled(group):
    group.put('{"level":"INFO","ms":10,"user":{"id":"a1"}}', '{"level":"ERROR","ms":200,"user":{"id":"a10"}}',
              '{"level":"ERROR","ms":30,"user":{"id":"a2"}}', "plain user=bob id=7")
    return group


def test_rows_are_the_newest_first(logs, filled):
    answer = rows(logs, filled, "fields @message, level | limit 2")
    assert answer == [{"@message": "plain user=bob id=7"},
                      {"@message": '{"level":"ERROR","ms":30,"user":{"id":"a2"}}', "level": "ERROR"}]


def test_the_commands_together(logs, filled):
    assert rows(logs, filled, """
        fields @timestamp, ms, user.id as id
        | filter level in ["INFO", "ERROR"] and ms >= 10 # all of them
        | sort id desc
        | display id, ms
        | limit 2""") == [{"id": "a10", "ms": "200"}, {"id": "a2", "ms": "30"}]
    assert rows(logs, filled, "stats count(*) as n, avg(ms), pct(ms, 50) by level | sort n desc, level") == [
        {"level": "ERROR", "n": "2", "avg(ms)": "115", "pct(ms, 50)": "115"},
        {"n": "1"}, {"level": "INFO", "n": "1", "avg(ms)": "10", "pct(ms, 50)": "10"}]
    assert rows(logs, filled, "parse @message 'user=* id=*' as u, i | filter ispresent(u) | display u, i") == [
        {"u": "bob", "i": "7"}]
    assert rows(logs, filled, "parse @message /user=(?<u>\\w+)/ | filter u = 'bob' | display u") == [{"u": "bob"}]
    assert len(rows(logs, filled, "filter @message like /(?i)error/ | dedup level")) == 1
    assert rows(logs, filled, "stats count(*) by bin(1d) as day | stats sum(`count(*)`) as all") == [{"all": "4"}]


def test_an_event_has_a_pointer(logs, filled):
    answer = finished(logs, start(logs, filled, "fields @timestamp | limit 1"))
    assert [field["field"] for field in answer["results"][0]] == ["@timestamp", "@ptr"]
    record = logs.get_log_record(logRecordPointer=answer["results"][0][-1]["value"])["logRecord"]
    assert record["@message"] == "plain user=bob id=7"
    assert answer["statistics"]["recordsScanned"] >= 1 and answer["statistics"]["bytesScanned"] > 0


def test_several_groups(logs, filled, make_group):
    other = make_group()
    other.put("newest", start=now() + 1000)
    answer = rows(logs, filled, "fields @message | limit 2", logGroupNames=[filled.name, other.name])
    assert [row["@message"] for row in answer] == ["newest", "plain user=bob id=7"]


def test_queries_are_listed_and_have_groups(logs, filled):
    query = start(logs, filled, "fields @message")
    finished(logs, query)
    listed = logs.describe_queries(logGroupName=filled.name)["queries"]
    assert [one["queryId"] for one in listed] == [query]
    assert listed[0]["queryString"].startswith(f'SOURCE "{filled.name}" START=')
    assert listed[0]["queryString"].endswith(" | fields @message")
    assert listed[0]["status"] == "Complete"
    with refused("InvalidParameterException"):
        logs.stop_query(queryId=query)


def test_invalid_queries(logs, filled):
    with refused("MalformedQueryException", "unexpected symbol found bogus at line 1 and position 9"):
        start(logs, filled, "fields a bogus b")
    with refused("MalformedQueryException", "does not support the command 'pattern'"):
        start(logs, filled, "pattern @message")
    with refused("ResourceNotFoundException", "Log group 'none' does not exist for account ID"):
        start(logs, filled, "fields a", logGroupName="none")
    with refused("ResourceNotFoundException"):
        logs.get_query_results(queryId="00000000-0000-0000-0000-000000000000")


def test_query_definitions(logs, filled):
    name = unique_name()
    made = logs.put_query_definition(name=name, queryString="fields @message", logGroupNames=[filled.name])["queryDefinitionId"]
    listed = logs.describe_query_definitions(queryDefinitionNamePrefix=name)["queryDefinitions"]
    assert listed[0]["queryDefinitionId"] == made and listed[0]["logGroupNames"] == [filled.name]
    logs.put_query_definition(queryDefinitionId=made, name=name, queryString="fields @timestamp")
    listed = logs.describe_query_definitions(queryDefinitionNamePrefix=name)["queryDefinitions"]
    assert [one["queryString"] for one in listed] == ["fields @timestamp"]
    assert logs.delete_query_definition(queryDefinitionId=made)["success"] is True
    with refused("ResourceNotFoundException"):
        logs.delete_query_definition(queryDefinitionId=made)
