# SPDX-License-Identifier: Apache-2.0
"""Embedded Metric Format: metrics in log events."""
import json

import pytest

from logs.conftest import now
from logs.test_filters import statistics


@pytest.fixture(scope="session")
def cloudwatch(connect):
    return connect("cloudwatch")


def event(namespace, metrics, dimensions, values, **meta):
    return json.dumps({"_aws": {"Timestamp": now(), **meta, "CloudWatchMetrics": [
        {"Namespace": namespace, "Dimensions": dimensions, "Metrics": metrics}]}, **values})


def test_an_event_publishes_its_metrics(group, cloudwatch):
    text = event(group.name, [{"Name": "time", "Unit": "Milliseconds"}, {"Name": "list"}], [["version"], []],
                 {"version": "$LATEST", "time": 100, "list": [1, 2, 3], "requestId": "x"})
    group.put(text, "plain")
    assert group.messages() == [text, "plain"]
    assert statistics(cloudwatch, group.name, "time", dimensions=[("version", "$LATEST")]) == 100
    assert statistics(cloudwatch, group.name, "time") == 100
    assert statistics(cloudwatch, group.name, "list") == 6
    assert statistics(cloudwatch, group.name, "list", "SampleCount") == 3


def test_version_zero_and_statistic_sets(group, cloudwatch):
    group.put(json.dumps({"Version": "0", "Timestamp": str(now()), "d": "x",
                          "m": {"Max": 3, "Min": 1, "Count": 2, "Sum": 4},
                          "CloudWatchMetrics": [{"Namespace": group.name, "Dimensions": [["d"]], "Metrics": [{"Name": "m"}]}]}))
    assert statistics(cloudwatch, group.name, "m", dimensions=[("d", "x")]) == 4
    assert statistics(cloudwatch, group.name, "m", "Maximum", dimensions=[("d", "x")]) == 3


def test_invalid_events_are_stored_without_metrics(group, cloudwatch):
    texts = [event(group.name, [{"Name": "a", "Unit": "Apples"}], [[]], {"a": 1}),
             event("AWS/EC2", [{"Name": "a"}], [[]], {"a": 1}),
             event(group.name, [{"Name": "a"}], [["missing"]], {"a": 1})]
    group.put(*texts)
    assert group.messages() == texts
    assert cloudwatch.list_metrics(Namespace=group.name)["Metrics"] == []
