# SPDX-License-Identifier: Apache-2.0
"""A full disk under log events and metric points: the error is clear, nothing acknowledged is lost, and the server
continues when there is space again."""
import os
import pathlib
import time

from support.raw import Caller, exchange
from test_full_disk import crowded, small_disk  # noqa: F401

LOGS = ("logs", "Logs_20140328", "application/x-amz-json-1.1")
CLOUDWATCH = ("monitoring", "GraniteServiceVersion20100801", "application/x-amz-json-1.0")


def call(caller, service, operation, members):
    name, target, content_type = service
    headers = {"Content-Type": content_type}
    data = caller.json_bytes(operation, members, scope=caller.scope(name), headers=headers, target=target)
    return exchange(caller.port, data)


def put_event(caller, number):
    text = f"{number} {os.urandom(50_000).hex()}"  # random, so that it does not become small
    event = {"timestamp": int(time.time() * 1000), "message": text}
    return call(caller, LOGS, "PutLogEvents", {"logGroupName": "full", "logStreamName": "s", "logEvents": [event]})


def put_point(caller):
    return call(caller, CLOUDWATCH, "PutMetricData", {"Namespace": "Full", "MetricData": [{"MetricName": "m", "Value": 1}]})


def read_numbers(caller):
    numbers, token = [], None
    while True:
        members = {"logGroupName": "full", "logStreamName": "s", "startFromHead": True}
        page = call(caller, LOGS, "GetLogEvents", {**members, **({"nextToken": token} if token else {})})
        assert page.status == 200, page
        numbers += [int(event["message"].split(" ")[0]) for event in page.json["events"]]
        if page.json["nextForwardToken"] == token:
            return numbers
        token = page.json["nextForwardToken"]


def count_points(caller):
    now = time.time()
    members = {"Namespace": "Full", "MetricName": "m", "Period": 60, "Statistics": ["SampleCount"]}
    answer = call(caller, CLOUDWATCH, "GetMetricStatistics", {**members, "StartTime": now - 3600, "EndTime": now + 120})
    assert answer.status == 200, answer
    return sum(point["SampleCount"] for point in answer.json["Datapoints"])


def test_events_and_points_on_a_full_disk(crowded):  # noqa: F811
    server, other = crowded
    caller = Caller(server)
    assert call(caller, LOGS, "CreateLogGroup", {"logGroupName": "full"}).status == 200
    assert call(caller, LOGS, "CreateLogStream", {"logGroupName": "full", "logStreamName": "s"}).status == 200
    acknowledged, points, refused = [], 0, None
    for number in range(2000):
        answer = put_event(caller, number)
        assert answer is not None, "the connection broke"
        if answer.status != 200:
            refused = answer
            break
        acknowledged.append(number)
        answer = put_point(caller)
        assert answer.status in (200, 503), answer
        points += answer.status == 200
    assert refused, "100 MB went on a disk of 24"
    assert len(acknowledged) > 10 and points > 10
    assert refused.status == 500 and refused.code == "ServiceUnavailableException", refused  # Amazon's status
    assert "disk" in refused.message and "full" in refused.message
    assert server.alive

    pathlib.Path(other).unlink()
    assert put_event(caller, 9999).status == 200
    assert put_point(caller).status == 200
    assert read_numbers(caller) == [*acknowledged, 9999]
    assert count_points(caller) == points + 1
    server.kill()
    server.start()
    assert read_numbers(Caller(server)) == [*acknowledged, 9999]
    assert count_points(Caller(server)) == points + 1
    server.stop()
