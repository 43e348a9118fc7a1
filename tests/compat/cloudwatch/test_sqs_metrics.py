# SPDX-License-Identifier: Apache-2.0
"""AWS/SQS: what a queue publishes about itself. Against Amazon these take minutes; here a read starts it at once."""
import datetime

import pytest

from support.waiting import eventually


@pytest.fixture(scope="module")
def cloudwatch(connect):
    return connect("cloudwatch")


def window():
    now = datetime.datetime.now(datetime.timezone.utc)
    return {"StartTime": now - datetime.timedelta(minutes=10), "EndTime": now + datetime.timedelta(minutes=1)}


def read(cloudwatch, queue, name, stat, period=60):
    """The values of GetMetricData, oldest first."""
    metric = {"Namespace": "AWS/SQS", "MetricName": name, "Dimensions": [{"Name": "QueueName", "Value": queue.name}]}
    query = {"Id": "m", "MetricStat": {"Metric": metric, "Period": period, "Stat": stat}}
    answer = cloudwatch.get_metric_data(MetricDataQueries=[query], ScanBy="TimestampAscending", **window())
    return answer["MetricDataResults"][0]["Values"]


def test_the_depth_of_a_queue_follows_its_messages(cloudwatch, queue):
    read(cloudwatch, queue, "ApproximateNumberOfMessagesVisible", "Maximum")
    for body in ("a", "b", "c"):
        queue.send(body)
    depth = "ApproximateNumberOfMessagesVisible"
    eventually(lambda: 3.0 in read(cloudwatch, queue, depth, "Maximum", period=1))
    queue.receive(MaxNumberOfMessages=1, VisibilityTimeout=3600)  # however long the rest takes
    eventually(lambda: read(cloudwatch, queue, depth, "Minimum", period=1)[-1] == 2.0)
    hidden = "ApproximateNumberOfMessagesNotVisible"
    eventually(lambda: 1.0 in read(cloudwatch, queue, hidden, "Maximum", period=1))


def test_each_message_sent_is_a_sample(cloudwatch, queue):
    read(cloudwatch, queue, "NumberOfMessagesSent", "Sum")
    read(cloudwatch, queue, "SentMessageSize", "Sum")
    queue.send("four")
    queue.client.send_message_batch(
        QueueUrl=queue.url, Entries=[{"Id": str(i), "MessageBody": "sixsix"} for i in range(3)]
    )
    sent = "NumberOfMessagesSent"
    eventually(lambda: sum(read(cloudwatch, queue, sent, "Sum")) == 4)
    assert sum(read(cloudwatch, queue, sent, "SampleCount")) >= 4
    eventually(lambda: sum(read(cloudwatch, queue, "SentMessageSize", "Sum")) == 4 + 3 * 6)
    assert max(read(cloudwatch, queue, "SentMessageSize", "Maximum")) == 6


def test_receives_and_deletions_are_counted_and_deleting_again_counts(cloudwatch, queue):
    for name in ("NumberOfMessagesReceived", "NumberOfMessagesDeleted", "NumberOfEmptyReceives"):
        read(cloudwatch, queue, name, "Sum")
    queue.send("a")
    handle = queue.receive()[0]["ReceiptHandle"]
    for _ in range(2):
        queue.client.delete_message(QueueUrl=queue.url, ReceiptHandle=handle)
    queue.receive()
    eventually(lambda: sum(read(cloudwatch, queue, "NumberOfMessagesReceived", "Sum")) == 1)
    eventually(lambda: sum(read(cloudwatch, queue, "NumberOfMessagesDeleted", "Sum")) == 2)
    eventually(lambda: sum(read(cloudwatch, queue, "NumberOfEmptyReceives", "Sum")) == 1)


def test_a_published_metric_is_listed_with_its_unit(cloudwatch, queue):
    read(cloudwatch, queue, "ApproximateAgeOfOldestMessage", "Maximum")
    dimensions = [{"Name": "QueueName", "Value": queue.name}]

    def names():
        listed = cloudwatch.list_metrics(Namespace="AWS/SQS", Dimensions=dimensions)["Metrics"]
        return {metric["MetricName"] for metric in listed}

    eventually(lambda: "ApproximateAgeOfOldestMessage" in names())
    answer = cloudwatch.get_metric_statistics(
        Namespace="AWS/SQS", MetricName="ApproximateAgeOfOldestMessage", Dimensions=dimensions, Period=60,
        Statistics=["Maximum"], **window(),
    )
    assert {point["Unit"] for point in answer["Datapoints"]} == {"Seconds"}


def test_clients_cannot_publish_in_the_namespaces_of_services(cloudwatch):
    with pytest.raises(cloudwatch.exceptions.ClientError) as failed:
        cloudwatch.put_metric_data(Namespace="AWS/SQS", MetricData=[{"MetricName": "m", "Value": 1}])
    assert "AWS/" in failed.value.response["Error"]["Message"]
