# SPDX-License-Identifier: Apache-2.0
"""PutMetricData: what is stored, and what is rejected in which words."""
import datetime
import math

import pytest

from support.queues import refused

MINUTE = datetime.timedelta(minutes=1)


def put(cloudwatch, namespace, *data):
    return cloudwatch.put_metric_data(Namespace=namespace, MetricData=list(data))


def statistics(cloudwatch, namespace, minute, name="Latency", **more):
    wanted = {"Statistics": ["SampleCount", "Sum", "Minimum", "Maximum", "Average"], "Period": 60, **more}
    answer = cloudwatch.get_metric_statistics(
        Namespace=namespace, MetricName=name, StartTime=minute, EndTime=minute + 5 * MINUTE, **wanted
    )
    assert answer["Label"] == name
    return sorted(answer["Datapoints"], key=lambda point: (point["Timestamp"], point["Unit"]))


def test_values_of_a_minute_are_combined(cloudwatch, namespace, minute):
    put(
        cloudwatch,
        namespace,
        {"MetricName": "Latency", "Timestamp": minute, "Value": 2.5, "Unit": "Seconds"},
        {"MetricName": "Latency", "Timestamp": minute + MINUTE / 2, "Value": 1, "Unit": "Seconds"},
        {"MetricName": "Latency", "Timestamp": minute + MINUTE, "Value": 7, "Unit": "Seconds"},
    )
    first, second = statistics(cloudwatch, namespace, minute)
    assert first == {
        "Timestamp": minute, "Unit": "Seconds",
        "SampleCount": 2.0, "Sum": 3.5, "Minimum": 1.0, "Maximum": 2.5, "Average": 1.75,
    }
    assert (second["Timestamp"], second["Sum"]) == (minute + MINUTE, 7)


def test_values_with_counts_and_statistic_sets_are_added(cloudwatch, namespace, minute):
    put(
        cloudwatch,
        namespace,
        {"MetricName": "Latency", "Timestamp": minute, "Values": [1, 10], "Counts": [2, 4]},
        {"MetricName": "Latency", "Timestamp": minute, "StatisticValues": {
            "SampleCount": 2, "Sum": 0.5, "Minimum": 0.125, "Maximum": 0.375}},
    )
    (point,) = statistics(cloudwatch, namespace, minute)
    assert (point["SampleCount"], point["Sum"], point["Minimum"], point["Maximum"]) == (8, 42.5, 0.125, 10)
    assert point["Unit"] == "None"


def test_each_unit_has_its_own_datapoint(cloudwatch, namespace, minute):
    for unit in ("Count", "Seconds", "None"):
        put(cloudwatch, namespace, {"MetricName": "Latency", "Timestamp": minute, "Value": 1, "Unit": unit})
    assert [point["Unit"] for point in statistics(cloudwatch, namespace, minute)] == ["Count", "None", "Seconds"]
    (point,) = statistics(cloudwatch, namespace, minute, Unit="Seconds")
    assert point["SampleCount"] == 1


def test_high_resolution_is_kept_by_the_second(cloudwatch, namespace, minute):
    second = datetime.timedelta(seconds=1)
    put(cloudwatch, namespace, *(
        {"MetricName": "Latency", "Timestamp": minute + i * second, "Value": i, "StorageResolution": 1}
        for i in range(10)
    ))
    points = statistics(cloudwatch, namespace, minute, Period=5)
    assert [point["Sum"] for point in points] == [0 + 1 + 2 + 3 + 4, 5 + 6 + 7 + 8 + 9]


def test_dimensions_select_a_metric_as_a_set(cloudwatch, namespace, minute):
    host, queue = {"Name": "Host", "Value": "a b"}, {"Name": "Queue", "Value": "jobs/1"}
    put(cloudwatch, namespace, {"MetricName": "Latency", "Timestamp": minute, "Value": 4, "Dimensions": [host, queue]})
    assert statistics(cloudwatch, namespace, minute) == []
    assert statistics(cloudwatch, namespace, minute, Dimensions=[host]) == []
    (point,) = statistics(cloudwatch, namespace, minute, Dimensions=[queue, host])
    assert point["Sum"] == 4


def test_a_large_request_is_compressed_by_new_clients(cloudwatch, namespace, minute):
    data = [{"MetricName": "Latency", "Timestamp": minute, "Value": i,
             "Dimensions": [{"Name": "Task", "Value": f"task-{i:08}"}]} for i in range(1000)]
    put(cloudwatch, namespace, *data)
    (point,) = statistics(cloudwatch, namespace, minute, Dimensions=[{"Name": "Task", "Value": "task-00000999"}])
    assert point["Maximum"] == 999


@pytest.mark.parametrize("datum, code, message", [
    # Old clients write these in a way that is no number in the query protocol.
    ({"Value": math.nan}, "InvalidParameterValue", "for parameter MetricData.member.1.Value is invalid."),
    ({"Value": math.inf}, "InvalidParameterValue", "for parameter MetricData.member.1.Value is invalid."),
    ({"Value": 1e200}, "InvalidParameterValue",
     "The value 100,000,000," + ",".join(["000"] * 64) + " for parameter MetricData.member.1.Value is invalid."),
    ({"Value": 1, "Values": [1]}, "InvalidParameterCombination",
     "The parameters MetricData.member.1.Value and MetricData.member.1.Values are mutually exclusive and you have"
     " specified both."),
    ({"Values": [1, 2], "Counts": [1]}, "InvalidParameterValue",
     "The parameters MetricData.member.1.Values and MetricData.member.1.Counts must be of the same size."),
    ({"Value": 1, "Unit": "Furlongs"}, "InvalidParameterValue",
     "The parameter MetricData.member.1.Unit must be a value in the set [ Seconds, Microseconds, "),
    ({"Value": 1, "MetricName": "n" * 256}, "InvalidParameterValue",
     "The parameter MetricData.member.1.MetricName must be shorter than 256 characters."),
    ({"Value": 1, "Dimensions": [{"Name": str(i), "Value": "v"} for i in range(31)]}, "InvalidParameterValue",
     "The collection MetricData.member.1.Dimensions must not have a size greater than 30."),
    ({"Value": 1, "Timestamp": datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=15)},
     "InvalidParameterValue",
     "The parameter MetricData.member.1.Timestamp must specify a time within the past two weeks."),
    ({}, "MissingParameter", "MetricData.member.1.Value"),
])
def test_an_invalid_datum_is_rejected(connect, namespace, datum, code, message):
    cloudwatch = connect("cloudwatch", checked=False)
    with refused(code, message):
        put(cloudwatch, namespace, {"MetricName": "Latency", **datum})


def test_more_than_a_thousand_data_are_rejected(cloudwatch, namespace):
    with refused("InvalidParameterValue", "The collection MetricData must not have a size greater than 1000."):
        put(cloudwatch, namespace, *[{"MetricName": "m", "Value": 1}] * 1001)


def test_amazons_namespaces_are_reserved(cloudwatch):
    with refused("InvalidParameterValue", "The value AWS/ for parameter Namespace is invalid."):
        put(cloudwatch, "AWS/EC2", {"MetricName": "m", "Value": 1})


def test_data_are_required(cloudwatch, namespace):
    with refused("MissingParameter", "MetricData is required."):
        put(cloudwatch, namespace)


def test_answers_have_a_request_id(cloudwatch, namespace):
    answer = put(cloudwatch, namespace, {"MetricName": "m", "Value": 1})
    assert len(answer["ResponseMetadata"]["RequestId"]) == 36


def test_operations_that_stoker_lacks_are_named(cloudwatch):
    with pytest.raises(cloudwatch.exceptions.ClientError, match="Stoker does not support the operation ListMetricStreams"):
        cloudwatch.list_metric_streams()
