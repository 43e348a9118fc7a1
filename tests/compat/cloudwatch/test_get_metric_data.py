# SPDX-License-Identifier: Apache-2.0
"""GetMetricData, GetMetricStatistics' percentiles, and ListMetrics."""
import datetime

import pytest

from support.queues import refused

MINUTE = datetime.timedelta(minutes=1)


def query(namespace, id="m1", stat="Sum", period=60, name="Latency", **more):
    metric = {"Namespace": namespace, "MetricName": name}
    return {"Id": id, "MetricStat": {"Metric": metric, "Period": period, "Stat": stat}, **more}


@pytest.fixture
def filled(cloudwatch, namespace, minute):
    """Five minutes with the values 1 to 5."""
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[
        {"MetricName": "Latency", "Timestamp": minute + i * MINUTE, "Value": i + 1} for i in range(5)
    ])
    return namespace


def get(cloudwatch, minute, *queries, **more):
    return cloudwatch.get_metric_data(
        MetricDataQueries=list(queries), StartTime=minute, EndTime=minute + 5 * MINUTE, **more
    )


def test_points_are_descending_by_default(cloudwatch, filled, minute):
    answer = get(cloudwatch, minute, query(filled))
    (result,) = answer["MetricDataResults"]
    assert result["Values"] == [5, 4, 3, 2, 1]
    assert all(isinstance(value, float) for value in result["Values"])
    assert result["Timestamps"][0] == minute + 4 * MINUTE
    assert (result["Id"], result["Label"], result["StatusCode"]) == ("m1", "Latency", "Complete")
    assert answer["Messages"] == []
    ascending = get(cloudwatch, minute, query(filled), ScanBy="TimestampAscending")
    assert ascending["MetricDataResults"][0]["Values"] == [1, 2, 3, 4, 5]


def test_a_paginator_collects_all_points(cloudwatch, filled, minute):
    pages = cloudwatch.get_paginator("get_metric_data").paginate(
        MetricDataQueries=[query(filled), query(filled, "m2", "Maximum")], StartTime=minute,
        EndTime=minute + 5 * MINUTE, MaxDatapoints=3,
    )
    values = {"m1": [], "m2": []}
    for page in pages:
        assert sum(len(result["Values"]) for result in page["MetricDataResults"]) <= 3
        for result in page["MetricDataResults"]:
            values[result["Id"]] += result["Values"]
    assert values == {"m1": [5, 4, 3, 2, 1], "m2": [5, 4, 3, 2, 1]}


def test_expressions_are_evaluated(cloudwatch, filled, minute):
    answer = get(
        cloudwatch, minute, query(filled, ReturnData=False), {"Id": "e1", "Expression": "m1 * 2", "Label": "twice"}
    )
    (result,) = answer["MetricDataResults"]
    assert (result["Id"], result["Label"], result["Values"]) == ("e1", "twice", [10, 8, 6, 4, 2])


def test_series_of_an_expression_have_its_label_and_their_own(cloudwatch, filled, minute):
    answer = get(cloudwatch, minute, query(filled, ReturnData=False), {"Id": "e1", "Expression": "FILL(METRICS(), 0)",
                                                                       "Label": "Filled:"})
    assert [result["Label"] for result in answer["MetricDataResults"]] == ["Filled: Latency"]


def test_labels_are_dynamic(cloudwatch, filled, minute):
    answer = get(cloudwatch, minute, query(filled, Label="${LABEL} ${MAX} ${PROP('Stat')}"))
    assert answer["MetricDataResults"][0]["Label"] == "Latency 5 Sum"


def test_default_labels_distinguish_statistics(cloudwatch, filled, minute):
    answer = get(cloudwatch, minute, query(filled), query(filled, "m2", "p50"))
    assert [result["Label"] for result in answer["MetricDataResults"]] == ["Latency Sum", "Latency p50"]


def test_an_unknown_metric_is_an_empty_result(cloudwatch, namespace, minute):
    (result,) = get(cloudwatch, minute, query(namespace))["MetricDataResults"]
    assert (result["Values"], result["Timestamps"], result["StatusCode"]) == ([], [], "Complete")


def test_invalid_queries_are_rejected(connect, filled, minute):
    cloudwatch = connect("cloudwatch", checked=False)
    for bad, message in (
        ({"Id": "m1"}, "The parameter MetricDataQueries.member.1.MetricStat is required."),
        (query(filled, "M1"), "MetricDataQueries.member.1.Id"),
        (query(filled, stat="p101"), "The value p101"),
        (query(filled, period=45), "Period"),
        ({"Id": "e1", "Expression": "NOSUCH(m1)"}, "Error in expression 'e1'"),
    ):
        with refused("ValidationError", message):
            get(cloudwatch, minute, bad)
    with refused("InvalidParameterCombination", "Must specify either Statistics or ExtendedStatistics"):
        cloudwatch.get_metric_statistics(
            Namespace=filled, MetricName="Latency", StartTime=minute, EndTime=minute + MINUTE, Period=60,
            Statistics=["Sum"], ExtendedStatistics=["p50"],
        )
    with refused("ValidationError", "The parameter StartTime must not equal parameter EndTime."):
        cloudwatch.get_metric_data(MetricDataQueries=[query(filled)], StartTime=minute, EndTime=minute)


def test_percentiles_and_trimmed_means(cloudwatch, namespace, minute):
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[
        {"MetricName": "Latency", "Timestamp": minute, "Values": list(range(1, 101))}
    ])
    (point,) = cloudwatch.get_metric_statistics(
        Namespace=namespace, MetricName="Latency", StartTime=minute, EndTime=minute + MINUTE, Period=60,
        ExtendedStatistics=["p50", "p99", "tm90", "TM(10%:90%)", "PR(:30)"],
    )["Datapoints"]
    assert point["ExtendedStatistics"] == {"p50": 50, "p99": 99, "tm90": 45.5, "TM(10%:90%)": 50.5, "PR(:30)": 30}
    assert "Sum" not in point


def test_too_many_datapoints_are_rejected(cloudwatch, namespace, minute):
    with refused("InvalidParameterCombination", "You have requested up to 86400 datapoints, which exceeds the limit of 1440."):
        cloudwatch.get_metric_statistics(
            Namespace=namespace, MetricName="m", StartTime=minute - datetime.timedelta(days=1), EndTime=minute, Period=1,
            Statistics=["Sum"],
        )


def test_metrics_are_listed_by_filters(cloudwatch, namespace):
    for queue in ("a", "b"):
        cloudwatch.put_metric_data(Namespace=namespace, MetricData=[
            {"MetricName": name, "Value": 1, "Dimensions": [{"Name": "Queue", "Value": queue}]} for name in ("In", "Out")
        ])
    assert len(cloudwatch.list_metrics(Namespace=namespace)["Metrics"]) == 4
    answer = cloudwatch.list_metrics(
        Namespace=namespace, MetricName="In", Dimensions=[{"Name": "Queue", "Value": "b"}], RecentlyActive="PT3H"
    )
    assert answer["Metrics"] == [
        {"Namespace": namespace, "MetricName": "In", "Dimensions": [{"Name": "Queue", "Value": "b"}]}
    ]
    assert "NextToken" not in answer
    with refused("InvalidParameterValue", "NextToken is invalid"):
        cloudwatch.list_metrics(Namespace=namespace, NextToken="!")


def test_metrics_are_listed_500_at_a_time(cloudwatch, namespace):
    cloudwatch.put_metric_data(Namespace=namespace, MetricData=[
        {"MetricName": "m", "Value": 1, "Dimensions": [{"Name": "Task", "Value": str(i)}]} for i in range(700)
    ])
    pages = list(cloudwatch.get_paginator("list_metrics").paginate(Namespace=namespace))
    assert [len(page["Metrics"]) for page in pages] == [500, 200]


def test_accounts_do_not_see_each_others_metrics(connect, other_key, filled):
    assert connect("cloudwatch", other_key).list_metrics(Namespace=filled)["Metrics"] == []
