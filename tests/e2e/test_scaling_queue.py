# SPDX-License-Identifier: Apache-2.0
"""Objects in a bucket become messages, an alarm of the queue scales a group of machines from zero, a daemon works the
messages off, and the machines go."""
import json

import pytest

from support.cluster import docker_answers
from support.queues import Queue, unique_name
from support.scaling import ScalingCluster
from support.waiting import ALARM_PATIENCE_SECONDS, eventually

WORKER = """
import boto3, os, pathlib, time
sqs = boto3.client("sqs", region_name="us-east-1", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
while not pathlib.Path(os.environ["GATE"], "open").exists():
    time.sleep(0.1)
while True:
    answer = sqs.receive_message(QueueUrl=os.environ["QUEUE"], MaxNumberOfMessages=10, WaitTimeSeconds=20,
                                 VisibilityTimeout=int(os.environ["VISIBILITY"]))
    for message in answer.get("Messages", []):
        sqs.delete_message(QueueUrl=os.environ["QUEUE"], ReceiptHandle=message["ReceiptHandle"])
        print("done", message["MessageId"], flush=True)
"""
# Of the machine, and where a container has them.
HOST_FOLDERS = {"bin": ["/host"], "lib": ["/usr/lib", "/lib"], "lib64": ["/lib64"], "share": ["/usr/share"]}
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


def put_policy(fleet, group):
    return fleet.autoscaling.put_scaling_policy(
        AutoScalingGroupName=group, PolicyName="by-backlog", PolicyType="StepScaling", AdjustmentType="ExactCapacity",
        MetricAggregationType="Average", EstimatedInstanceWarmup=0, StepAdjustments=STEPS)["PolicyARN"]


def put_alarm(fleet, policy, **metric):
    fleet.client("cloudwatch").put_metric_alarm(
        AlarmName="backlog", EvaluationPeriods=1, Threshold=0, ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="ignore", AlarmActions=[policy], OKActions=[policy], **metric)


def scale_on_visible(fleet, queue, group):
    """The size of the group follows the average number of messages that nobody has received."""
    put_alarm(fleet, put_policy(fleet, group), Namespace="AWS/SQS", MetricName="ApproximateNumberOfMessagesVisible",
              Dimensions=[{"Name": "QueueName", "Value": queue.name}], Statistic="Average", Period=10)


def scale_on(fleet, queue, group):
    """The size of the group follows the messages that are not done. A message in flight is work, too: without it the
    machine that has received the last message would go at once. The average of the period in which the queue runs empty
    may be less than 1, and the alarm would end the machines before it is OK; the maximum is 0, or 1 and more."""
    def count(name, kind):
        metric = {"Namespace": "AWS/SQS", "MetricName": "ApproximateNumberOfMessages" + kind,
                  "Dimensions": [{"Name": "QueueName", "Value": queue.name}]}
        return {"Id": name, "MetricStat": {"Metric": metric, "Period": 10, "Stat": "Maximum"}, "ReturnData": False}

    put_alarm(fleet, put_policy(fleet, group), Metrics=[
        count("visible", "Visible"), count("held", "NotVisible"),
        {"Id": "backlog", "Expression": "visible + held", "ReturnData": True}])


def start_daemon(fleet, queue, gate, driver="process", gpus=1, visibility_seconds=60):
    """What a worker holds whose machine goes is visible again after `visibility_seconds`."""
    environment = {"QUEUE": queue.url, "GATE": "/gate" if driver == "docker" else str(gate.folder),
                   "VISIBILITY": str(visibility_seconds), "PYTHONHOME": "/usr"}
    python = "/host/python3" if driver == "docker" else "/usr/bin/python3"
    task, mounts = gate.arguments.get("task", {}), gate.arguments.get("mountPoints", [])
    if driver == "docker":
        # The test's image has no Python: the machine's, with its libraries, stands in for an image with boto3.
        task = {"networkMode": "host", "volumes": [*task["volumes"], *(
            {"name": name, "host": {"sourcePath": f"/usr/{name}"}} for name in HOST_FOLDERS)]}
        mounts = [*mounts, *({"sourceVolume": name, "containerPath": path, "readOnly": True}
                             for name, paths in HOST_FOLDERS.items() for path in paths)]
    definition = fleet.define(
        "", family="worker", driver=driver, entryPoint=[python, "-u", "-c"], command=[WORKER], gpus=gpus,
        environment=[{"name": name, "value": value} for name, value in environment.items()], mountPoints=mounts,
        task={"taskRoleArn": "arn:aws:iam::000000000000:role/worker", **task})
    fleet.ecs.create_service(serviceName="worker", taskDefinition=definition, schedulingStrategy="DAEMON")


def causes_of(fleet, group):
    return [one["Cause"] for one in fleet.activities(group)]


def ended_by_ok(fleet, group):
    """Whether the alarm's state OK has ended a machine."""
    return any("in state OK triggered policy by-backlog" in cause and "selected for termination" in cause
               for cause in causes_of(fleet, group))


def end_by_ok(fleet, group):
    """Waits until the alarm's state OK has ended a machine. It has not where the average of the period in which the queue
    ran empty was less than 1 when the alarm repeated its action: then the group gets a machine again, more than once if
    the state OK takes its capacity away before the machine is launched."""
    def ended():
        if ended_by_ok(fleet, group):
            return True
        shown = fleet.group(group)
        if shown["DesiredCapacity"] == 0 and not shown["Instances"]:
            fleet.autoscaling.set_desired_capacity(AutoScalingGroupName=group, DesiredCapacity=1)
        return None

    eventually(ended, ALARM_PATIENCE_SECONDS)


def test_machines_follow_the_queue_from_zero_and_back(fleet):
    queue = Queue(fleet.client("sqs"), unique_name())
    put = connect_bucket(fleet, queue)
    fleet.ecs.create_cluster(clusterName="default")
    fleet.create_group("gpu", least=0, most=2, DesiredCapacity=0)
    gate = fleet.gate()
    start_daemon(fleet, queue, gate, visibility_seconds=8000)
    scale_on_visible(fleet, queue, "gpu")
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
    causes = causes_of(fleet, "gpu")
    assert any("a monitor alarm backlog in state ALARM triggered policy by-backlog changing the desired capacity "
               "from 0 to 1" in cause for cause in causes), causes
    assert any("from 1 to 2" in cause for cause in causes), causes
    end_by_ok(fleet, "gpu")
    fleet.wait_in_service("gpu", 0)
    eventually(lambda: not fleet.instances())


@pytest.mark.skipif(not docker_answers(), reason="no engine")
def test_the_machines_run_containers():
    with ScalingCluster(arguments=["--pool-gpus", "fake:4xV100", "--pool-driver", "docker"]) as fleet:
        queue = Queue(fleet.client("sqs"), unique_name())
        put = connect_bucket(fleet, queue)
        fleet.ecs.create_cluster(clusterName="default")
        fleet.create_group("gpu", least=0, most=1, DesiredCapacity=0)
        gate = fleet.gate("docker")
        start_daemon(fleet, queue, gate, "docker")
        scale_on(fleet, queue, "gpu")
        put(5)
        fleet.wait_in_service("gpu", 1)
        [task] = eventually(lambda: fleet.list_tasks(serviceName="worker"))
        fleet.wait_for(task, "RUNNING")
        gate.open()
        fleet.wait_in_service("gpu", 0)
        assert int(queue.attribute("ApproximateNumberOfMessages")) == 0
        assert int(queue.attribute("ApproximateNumberOfMessagesNotVisible")) == 0
