# SPDX-License-Identifier: Apache-2.0
"""A message in a queue puts an alarm of that queue into ALARM, whose action is a message to another queue."""
import json

from support.queues import Queue, unique_name
from support.waiting import eventually


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
    )

    def state():
        return cloudwatch.describe_alarms(AlarmNames=["backlog"])["MetricAlarms"][0]["StateValue"]

    # The queue was never used: the alarm makes it publish.
    eventually(lambda: state() == "OK")
    states = [json.loads(notices.receive_one()["Body"])["NewStateValue"]]
    work.send("job")
    states.append(json.loads(notices.receive_one()["Body"])["NewStateValue"])
    assert states == ["OK", "ALARM"]
    message = work.receive_one()
    sqs.delete_message(QueueUrl=work.url, ReceiptHandle=message["ReceiptHandle"])
    assert json.loads(notices.receive_one()["Body"])["NewStateValue"] == "OK"
