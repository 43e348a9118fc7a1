# SPDX-License-Identifier: Apache-2.0
"""A zero byte, which PostgreSQL can't store as text, is the client's error in every name of EventBridge and Logs."""
import pytest

from expect import refused
from support.raw import exchange

LOGS = ("logs", "Logs_20140328")
EVENTS = ("events", "AWSEvents")
QUEUE = "arn:aws:sqs:us-east-1:000000000000:q"
PATTERN = '{"source": ["shop"]}'
TOKEN = "AAAA"  # base64 of zero bytes


@pytest.fixture(scope="module")
def call(caller):
    def run(service, operation, members):
        name, target = service
        headers = {"Content-Type": "application/x-amz-json-1.1"}
        data = caller.json_bytes(operation, members, scope=caller.scope(name), headers=headers, target=target)
        return exchange(caller.port, data)

    assert run(EVENTS, "PutRule", {"Name": "known", "EventPattern": PATTERN}).status == 200
    assert run(LOGS, "CreateLogGroup", {"logGroupName": "known"}).status == 200
    return run


@pytest.mark.parametrize("operation, members", [
    ("PutRule", {"Name": "a\0", "EventPattern": PATTERN}),
    ("PutRule", {"Name": "a", "EventPattern": PATTERN, "Description": "\0"}),
    ("PutRule", {"Name": "a", "EventPattern": PATTERN, "RoleArn": "\0"}),
    ("PutRule", {"Name": "a", "EventPattern": PATTERN + "\0"}),
    ("DescribeRule", {"Name": "\0"}),
    ("EnableRule", {"Name": "\0"}),
    ("ListRules", {"NamePrefix": "\0"}),
    ("ListRules", {"NextToken": TOKEN}),
    ("ListRuleNamesByTarget", {"TargetArn": QUEUE + "\0"}),
    ("ListTargetsByRule", {"Rule": "known\0"}),
    ("PutTargets", {"Rule": "known", "Targets": [{"Id": "1\0", "Arn": QUEUE}]}),
    ("PutTargets", {"Rule": "known", "Targets": [{"Id": "1", "Arn": QUEUE + "\0"}]}),
    ("RemoveTargets", {"Rule": "known", "Ids": ["\0"]}),
    ("TagResource", {"ResourceARN": "arn:aws:events:us-east-1:000000000000:rule/\0", "Tags": []}),
    ("DescribeEventBus", {"Name": "\0"}),
])
def test_eventbridge(call, operation, members):
    refused(call(EVENTS, operation, members))


@pytest.mark.parametrize("operation, members", [
    ("CreateLogGroup", {"logGroupName": "a\0"}),
    ("CreateLogStream", {"logGroupName": "known", "logStreamName": "\0"}),
    ("DescribeLogGroups", {"nextToken": TOKEN}),
    ("DescribeLogStreams", {"logGroupName": "known", "nextToken": TOKEN}),
    ("DescribeLogStreams", {"logGroupName": "known", "nextToken": "////"}),
    ("FilterLogEvents", {"logGroupName": "known", "logStreamNamePrefix": "\0"}),
    ("FilterLogEvents", {"logGroupName": "known", "filterPattern": "\0"}),
    ("GetQueryResults", {"queryId": "\0"}),
    ("PutQueryDefinition", {"name": "\0", "queryString": "fields @message"}),
    ("StartQuery", {"logGroupName": "known", "startTime": 0, "endTime": 1 << 31, "queryString": "fields `\0`"}),
    ("TagLogGroup", {"logGroupName": "known", "tags": {"k": "\0"}}),
])
def test_logs(call, operation, members):
    refused(call(LOGS, operation, members))


def test_a_rule_that_does_not_exist_is_deleted_already(call):
    assert call(EVENTS, "DeleteRule", {"Name": "\0"}).status == 200
