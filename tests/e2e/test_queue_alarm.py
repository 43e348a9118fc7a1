# SPDX-License-Identifier: Apache-2.0
"""A message in a queue puts an alarm of that queue into ALARM, whose action is a message to another queue."""
import json

from support.queues import Queue, unique_name
from support.waiting import ALARM_PATIENCE_SECONDS, eventually


def allow_alarms(queue):
    statement = {"Effect": "Allow", "Principal": {"Service": "cloudwatch.amazonaws.com"}, "Action": "sqs:SendMessage",
                 "Resource": queue.arn}
    queue.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))


def test_a_message_raises_the_alarm_and_its_deletion_ends_it(fleet):
    sqs, cloudwatch = fleet.client("sqs"), fleet.client("cloudwatch")
    work, notices = Queue(sqs, unique_name()), Queue(sqs, unique_name())
    allow_alarms(notices)
    cloudwatch.put_metric_alarm(
        AlarmName="backlog", Namespace="AWS/SQS", MetricName="ApproximateNumberOfMessagesVisible",
        Dimensions=[{"Name": "QueueName", "Value": work.name}], Statistic="Maximum", Period=10, EvaluationPeriods=1,
        Threshold=0, ComparisonOperator="GreaterThanThreshold", AlarmActions=[notices.arn], OKActions=[notices.arn],
        TreatMissingData="ignore",  # a machine that is busy for half a minute must not add a change
    )

    def state():
        return cloudwatch.describe_alarms(AlarmNames=["backlog"])["MetricAlarms"][0]["StateValue"]

    def next_notice(expected):
        eventually(lambda: state() == expected, ALARM_PATIENCE_SECONDS)
        message = notices.receive_one()
        notices.delete(message)  # or it comes again after 30 seconds
        assert json.loads(message["Body"])["NewStateValue"] == expected

    # The queue was never used: the alarm makes it publish.
    next_notice("OK")
    work.send("job")
    next_notice("ALARM")
    work.delete(work.receive_one(VisibilityTimeout=3600))
    next_notice("OK")
