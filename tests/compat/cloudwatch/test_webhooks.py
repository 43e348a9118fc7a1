# SPDX-License-Identifier: Apache-2.0
"""Webhooks as the actions of alarms, an extension: signed by Standard Webhooks, sent until they are accepted."""
import json

from support.queues import unique_name
from support.waiting import ALARM_PATIENCE_SECONDS, PATIENCE_SECONDS, eventually
from support.webhooks import receiver, verified, webhook  # noqa: F401


def test_an_alarm_calls_its_webhook_until_it_is_accepted(connect, receiver, webhook):
    cloudwatch, name = connect("cloudwatch"), unique_name()
    cloudwatch.put_metric_alarm(
        AlarmName=name, Namespace=name, MetricName="Depth", Statistic="Maximum", Period=60, EvaluationPeriods=1,
        Threshold=5, ComparisonOperator="GreaterThanThreshold", AlarmActions=[webhook["arn"]],
    )
    receiver.statuses = [500]
    cloudwatch.put_metric_data(Namespace=name, MetricData=[{"MetricName": "Depth", "Value": 10}])
    headers, body = receiver.received.get(timeout=ALARM_PATIENCE_SECONDS)
    assert verified(webhook, headers, body)
    assert json.loads(body)["NewStateValue"] == "ALARM"
    again, same = receiver.received.get(timeout=PATIENCE_SECONDS)
    assert verified(webhook, again, same)
    assert (again["webhook-id"], same) == (headers["webhook-id"], body)

    def executed():
        return cloudwatch.describe_alarm_history(AlarmName=name, HistoryItemType="Action")["AlarmHistoryItems"]

    (item,) = eventually(executed)
    assert item["HistorySummary"] == f"Successfully executed action {webhook['arn']}"
    cloudwatch.delete_alarms(AlarmNames=[name])
