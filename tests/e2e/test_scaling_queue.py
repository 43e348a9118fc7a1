# SPDX-License-Identifier: Apache-2.0
"""Objects in a bucket become messages, an alarm of the queue scales a group of machines from zero, a daemon works the
messages off, and the machines go."""
import json

import pytest

from support.queues import Queue, unique_name
from support.scaling import ScalingCluster
from support.waiting import eventually

WORKER = """
import boto3, os, pathlib, time
sqs = boto3.client("sqs", region_name="us-east-1", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
while not pathlib.Path(os.environ["GATE"], "open").exists():
    time.sleep(0.1)
while True:
    answer = sqs.receive_message(QueueUrl=os.environ["QUEUE"], MaxNumberOfMessages=10, WaitTimeSeconds=20,
                                 VisibilityTimeout=8000)
    for message in answer.get("Messages", []):
        sqs.delete_message(QueueUrl=os.environ["QUEUE"], ReceiptHandle=message["ReceiptHandle"])
        print("done", message["MessageId"], flush=True)
"""
# Relative to the alarm's threshold, which is 0.
STEPS = [
    {"MetricIntervalLowerBound": 0, "MetricIntervalUpperBound": 1, "ScalingAdjustment": 0},
    {"MetricIntervalLowerBound": 1, "MetricIntervalUpperBound": 100, "ScalingAdjustment": 1},
    {"MetricIntervalLowerBound": 100, "ScalingAdjustment": 2},
]


@pytest.fixture
def fleet():
    with ScalingCluster() as made:
        yield made


def connect_bucket(fleet, queue):
    """A bucket whose new objects are messages of the queue."""
    s3, bucket = fleet.client("s3"), unique_name()
    s3.create_bucket(Bucket=bucket)
    statement = {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage",
                 "Resource": queue.arn}
    queue.set(Policy=json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
    s3.put_bucket_notification_configuration(
        Bucket=bucket, SkipDestinationValidation=True,
        NotificationConfiguration={"QueueConfigurations": [{"QueueArn": queue.arn, "Events": ["s3:ObjectCreated:*"]}]})
    queue.client.purge_queue(QueueUrl=queue.url)  # s3:TestEvent
    return lambda count: [s3.put_object(Bucket=bucket, Key=f"image-{i}", Body=b"pixels") for i in range(count)]


def scale_on(fleet, queue, group):
    policy = fleet.autoscaling.put_scaling_policy(
        AutoScalingGroupName=group, PolicyName="by-backlog", PolicyType="StepScaling", AdjustmentType="ExactCapacity",
        MetricAggregationType="Average", EstimatedInstanceWarmup=0, StepAdjustments=STEPS)["PolicyARN"]
    fleet.client("cloudwatch").put_metric_alarm(
        AlarmName="backlog", Namespace="AWS/SQS", MetricName="ApproximateNumberOfMessagesVisible",
        Dimensions=[{"Name": "QueueName", "Value": queue.name}], Statistic="Average", Period=10, EvaluationPeriods=1,
        Threshold=0, ComparisonOperator="GreaterThanThreshold", TreatMissingData="ignore",
        AlarmActions=[policy], OKActions=[policy])


def start_daemon(fleet, queue, gate, gpus=1):
    environment = {"QUEUE": queue.url, "GATE": str(gate.folder)}
    definition = fleet.define(
        "", family="worker", entryPoint=["/usr/bin/python3", "-u", "-c"], command=[WORKER], gpus=gpus,
        environment=[{"name": name, "value": value} for name, value in environment.items()],
        task={"taskRoleArn": "arn:aws:iam::000000000000:role/worker"})
    fleet.ecs.create_service(serviceName="worker", taskDefinition=definition, schedulingStrategy="DAEMON")


def test_machines_follow_the_queue_from_zero_and_back(fleet):
    queue = Queue(fleet.client("sqs"), unique_name())
    put = connect_bucket(fleet, queue)
    fleet.ecs.create_cluster(clusterName="default")
    fleet.create_group("gpu", least=0, most=2, DesiredCapacity=0)
    gate = fleet.gate()
    start_daemon(fleet, queue, gate)
    scale_on(fleet, queue, "gpu")
    assert fleet.group("gpu")["Instances"] == []

    put(5)
    [first] = fleet.wait_in_service("gpu", 1)
    fleet.wait_joined(first)
    eventually(lambda: fleet.list_tasks(serviceName="worker"))
    put(145)  # the alarm's state lasts, so the next step follows within a minute
    fleet.wait_in_service("gpu", 2)
    eventually(lambda: len(fleet.list_tasks(serviceName="worker")) == 2)

    gate.open()
    fleet.wait_in_service("gpu", 0)
    assert int(queue.attribute("ApproximateNumberOfMessages")) == 0
    assert fleet.group("gpu")["DesiredCapacity"] == 0
    causes = [one["Cause"] for one in fleet.activities("gpu")]
    assert any("a monitor alarm backlog in state ALARM triggered policy by-backlog changing the desired capacity "
               "from 0 to 1" in cause for cause in causes), causes
    assert any("from 1 to 2" in cause for cause in causes), causes
    assert any("in state OK triggered policy by-backlog" in cause and "selected for termination" in cause
               for cause in causes), causes
    eventually(lambda: not fleet.instances())
