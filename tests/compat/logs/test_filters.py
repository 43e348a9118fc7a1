# SPDX-License-Identifier: Apache-2.0
"""Filter patterns, metric filters and subscriptions."""
import base64
import datetime
import gzip
import json

import pytest

from logs.conftest import now
from support.queues import refused, unique_name

LINE = '127.0.0.1 Prod frank [10/Oct/2000:13:25:15 -0700] "GET /index.html HTTP/1.0" 404 1534'


@pytest.fixture(scope="session")
def cloudwatch(connect):
    return connect("cloudwatch")


def matches(logs, pattern, *messages):
    answer = logs.test_metric_filter(filterPattern=pattern, logEventMessages=list(messages))
    return [match["eventMessage"] for match in answer["matches"]]


@pytest.mark.parametrize("pattern, message, expected", [
    ("ERROR", "[ERROR 400] BAD", True),
    ("ERROR", "error", False),
    ("ERROR ARGUMENTS", "[ERROR 419] MISSING ARGUMENTS", True),
    ('"INTERNAL SERVER ERROR"', "[ERROR 500] INTERNAL SERVER ERROR", True),
    ("?ERROR ?WARN", "WARN", True),
    ("?ERROR REQUEST", "INFO REQUEST", True),
    ("ERROR -ARGUMENTS", "[ERROR 419] MISSING ARGUMENTS", False),
    ("%AUTHORIZED%", "UNAUTHORIZED", True),
    ("{ $.n = 123.0 }", '{"n":123}', True),
    ('{ $.n = "123.0" }', '{"n":123}', False),
    ("{ $.a.b[1] != x }", '{"a":{"b":["x","y"]}}', True),
    ("{ $.a IS NULL && $.b NOT EXISTS }", '{"a":null}', True),
    ("[..., status_code=404 || status_code=410, bytes]", LINE, True),
    ("[..., bytes > 2000]", LINE, False),
])
def test_patterns(logs, pattern, message, expected):
    assert matches(logs, pattern, message) == ([message] if expected else [])


def test_extracted_values(logs):
    answer = logs.test_metric_filter(
        filterPattern="[ip, user, username, timestamp, request=*.html*, status_code=4*, bytes]",
        logEventMessages=["other", LINE])["matches"]
    assert answer[0]["extractedValues"] == {
        "$ip": "127.0.0.1", "$user": "Prod", "$username": "frank", "$timestamp": "10/Oct/2000:13:25:15 -0700",
        "$request": "GET /index.html HTTP/1.0", "$status_code": "404", "$bytes": "1534"}


@pytest.mark.parametrize("pattern, message", [
    ("foo:", "Invalid character(s) in term ':'"),
    (" {$.f IS TRUE} ", "Invalid metric filter pattern"),
    ('{ $."sc-status" = 1 }', "Invalid character(s) in term '$.\"'"),
])
def test_invalid_patterns(logs, pattern, message):
    with refused("InvalidParameterException", message):
        logs.test_metric_filter(filterPattern=pattern, logEventMessages=["x"])


def test_filter_log_events_with_patterns(group):
    group.put('{"level":"ERROR","n":1}', '{"level":"INFO","n":2}', "ERROR plain")
    assert group.messages(filterPattern="ERROR") == ['{"level":"ERROR","n":1}', "ERROR plain"]
    assert group.messages(filterPattern='{ $.level = "INFO" || $.n = 1 }') == ['{"level":"ERROR","n":1}',
                                                                             '{"level":"INFO","n":2}']
    assert group.messages(filterPattern="?plain ?INFO") == ['{"level":"INFO","n":2}', "ERROR plain"]


def put_filter(logs, group, name="f", pattern="ERROR", **more):
    transformation = {"metricName": "errors", "metricNamespace": group.name, "metricValue": "1", **more}
    logs.put_metric_filter(logGroupName=group.name, filterName=name, filterPattern=pattern,
                           metricTransformations=[transformation])


def statistics(cloudwatch, namespace, name, statistic="Sum", dimensions=()):
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=5)
    answer = cloudwatch.get_metric_statistics(
        Namespace=namespace, MetricName=name, Period=3600, Statistics=[statistic], EndTime=end,
        StartTime=end - datetime.timedelta(hours=3), Dimensions=[{"Name": n, "Value": v} for n, v in dimensions])
    return sum(point[statistic] for point in answer["Datapoints"])


def test_a_metric_filter_publishes(logs, cloudwatch, group):
    put_filter(logs, group)
    put_filter(logs, group, "latency", "{ $.latency = * }", metricName="latency", metricValue="$.latency",
               dimensions={"Path": "$.path"}, unit="Milliseconds")
    group.put("ERROR 1", "fine", "ERROR 2", '{"latency":12.5,"path":"/a"}', '{"latency":2,"path":"/a"}')
    assert statistics(cloudwatch, group.name, "errors") == 2
    assert statistics(cloudwatch, group.name, "latency", dimensions=[("Path", "/a")]) == 14.5


def test_metric_filters_are_listed_and_deleted(logs, group):
    put_filter(logs, group, "b", defaultValue=0)
    put_filter(logs, group, "a", "{ $.a = 1 }", dimensions={"D": "$.d"})
    listed = logs.describe_metric_filters(logGroupName=group.name)["metricFilters"]
    assert [one["filterName"] for one in listed] == ["a", "b"]
    assert listed[0]["metricTransformations"] == [{"metricName": "errors", "metricNamespace": group.name,
                                                   "metricValue": "1", "dimensions": {"D": "$.d"}}]
    assert listed[1]["metricTransformations"][0]["defaultValue"] == 0.0
    assert listed[1]["logGroupName"] == group.name and listed[1]["creationTime"] > 0
    by_metric = logs.describe_metric_filters(metricName="errors", metricNamespace=group.name)["metricFilters"]
    assert len(by_metric) == 2
    described = logs.describe_log_groups(logGroupNamePrefix=group.name)["logGroups"][0]
    assert described["metricFilterCount"] == 2
    logs.delete_metric_filter(logGroupName=group.name, filterName="a")
    with refused("ResourceNotFoundException", "The specified metric filter does not exist."):
        logs.delete_metric_filter(logGroupName=group.name, filterName="a")


def test_invalid_metric_filters(logs, group):
    with refused("InvalidParameterException", "does not support dimensions"):
        put_filter(logs, group, dimensions={"D": "$.d"})
    with refused("InvalidParameterException", "mutually exclusive properties"):
        put_filter(logs, group, pattern="{ $.a = 1 }", dimensions={"D": "$.d"}, defaultValue=1)
    with refused("InvalidParameterException", "Member must have length less than or equal to 1"):
        one = {"metricName": "m", "metricNamespace": "n", "metricValue": "1"}
        logs.put_metric_filter(logGroupName=group.name, filterName="f", filterPattern="a", metricTransformations=[one, one])


@pytest.fixture
def queue(make_queue):
    """A queue to which Logs may send."""
    queue = make_queue()
    policy = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "logs.amazonaws.com"},
                             "Action": "sqs:SendMessage", "Resource": queue.arn}]}
    queue.set(Policy=json.dumps(policy))
    return queue


def record_of(message):
    return json.loads(gzip.decompress(base64.b64decode(message["Body"])))


def subscribe(logs, group, arn, name="f", pattern="ERROR", **more):
    logs.put_subscription_filter(logGroupName=group.name, filterName=name, filterPattern=pattern, destinationArn=arn, **more)


def test_a_subscription_sends_to_a_queue(logs, group, queue, account):
    subscribe(logs, group, queue.arn)
    control = queue.receive_one()
    assert record_of(control)["messageType"] == "CONTROL_MESSAGE"
    queue.delete(control)
    group.put("fine", "ERROR 1", "ERROR 2")
    record = record_of(queue.receive_one())
    assert record["messageType"] == "DATA_MESSAGE"
    assert (record["owner"], record["logGroup"], record["logStream"]) == (account, group.name, "s")
    assert record["subscriptionFilters"] == ["f"]
    assert [event["message"] for event in record["logEvents"]] == ["ERROR 1", "ERROR 2"]
    assert [event["id"] for event in record["logEvents"]] == [event["eventId"] for event in group.filter(filterPattern="ERROR")]


def test_subscriptions_are_listed_and_limited(logs, group, queue):
    for name in ("a", "b"):
        subscribe(logs, group, queue.arn, name)
    with refused("LimitExceededException", "Resource limit exceeded."):
        subscribe(logs, group, queue.arn, "c")
    listed = logs.describe_subscription_filters(logGroupName=group.name)["subscriptionFilters"]
    assert [one["filterName"] for one in listed] == ["a", "b"]
    assert listed[0]["distribution"] == "ByLogStream" and listed[0]["destinationArn"] == queue.arn
    logs.delete_subscription_filter(logGroupName=group.name, filterName="a")
    with refused("ResourceNotFoundException", "The specified subscription filter does not exist."):
        logs.delete_subscription_filter(logGroupName=group.name, filterName="a")


def test_a_queue_that_does_not_allow_it_is_no_destination(logs, group, make_queue):
    with refused("InvalidParameterException", "Could not deliver test message to specified destination."):
        subscribe(logs, group, make_queue().arn)
    with refused("InvalidParameterException", "destinationArn for vendor kinesis cannot be used without roleArn"):
        subscribe(logs, group, "arn:aws:kinesis:us-east-1:123456789012:stream/x")
