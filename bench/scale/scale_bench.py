#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""From a message in an empty queue to the first output of a worker on a machine that did not exist: the time of each
stage. Each run has a queue, an alarm, a group without machines, a cluster and a daemon of its own, made before."""
import argparse
import datetime
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))

from support.cluster import TEST_IMAGE, docker_answers  # noqa: E402
from support.ec2_instances import encoded  # noqa: E402
from support.scaling import ZONES, ScalingCluster  # noqa: E402
from support.waiting import eventually  # noqa: E402

TARGET_MS = {"process": 250, "docker": None}
STAGES = ["alarm", "activity", "registered", "placed", "started", "output"]


def prepare(fleet, name, driver):
    """Everything but the message. Returns the queue's URL and the file of the first output."""
    sqs, cloudwatch = fleet.client("sqs"), fleet.client("cloudwatch")
    url = sqs.create_queue(QueueName=name)["QueueUrl"]
    fleet.ecs.create_cluster(clusterName=name)
    data = {"ImageId": fleet.image(), "InstanceType": "t3.micro",
            "UserData": encoded(f"#!/bin/bash\necho ECS_CLUSTER={name} >> /etc/ecs/ecs.config\n")}
    fleet.ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
    fleet.autoscaling.create_auto_scaling_group(
        AutoScalingGroupName=name, MinSize=0, MaxSize=1, AvailabilityZones=ZONES,
        LaunchTemplate={"LaunchTemplateName": name, "Version": "1"})
    policy = fleet.autoscaling.put_scaling_policy(
        AutoScalingGroupName=name, PolicyName=name, PolicyType="StepScaling", AdjustmentType="ExactCapacity",
        StepAdjustments=[{"MetricIntervalLowerBound": 0, "ScalingAdjustment": 1}])["PolicyARN"]
    cloudwatch.put_metric_alarm(
        AlarmName=name, Namespace="AWS/SQS", MetricName="ApproximateNumberOfMessagesVisible",
        Dimensions=[{"Name": "QueueName", "Value": name}], Statistic="Maximum", Period=10, EvaluationPeriods=1,
        Threshold=0, ComparisonOperator="GreaterThanThreshold", TreatMissingData="ignore", AlarmActions=[policy])
    folder = fleet.common_folder(name)
    inside = "/out" if driver == "docker" else str(folder)
    container = {"name": "main", "image": TEST_IMAGE if driver == "docker" else "process", "memory": 64,
                 "command": ["sh", "-c", f"touch {inside}/output; exec sleep 1000"], "stopTimeout": 2}
    volumes = []
    if driver == "docker":
        volumes = [{"name": "out", "host": {"sourcePath": str(folder)}}]
        container["mountPoints"] = [{"sourceVolume": "out", "containerPath": "/out"}]
    fleet.ecs.register_task_definition(family=name, containerDefinitions=[container], volumes=volumes)
    fleet.ecs.create_service(cluster=name, serviceName="worker", taskDefinition=name, schedulingStrategy="DAEMON")
    return url, folder / "output"


def wait_for_file(path):
    while not path.exists():
        time.sleep(0.0005)
    return path.stat().st_mtime


def milliseconds(then, since):
    return ((then.timestamp() if isinstance(then, datetime.datetime) else then) - since) * 1000


def read_stages(fleet, name, since, output):
    """When each stage was reached, by what the services show of it."""
    history = fleet.client("cloudwatch").describe_alarm_history(
        AlarmName=name, HistoryItemType="StateUpdate", MaxRecords=100)["AlarmHistoryItems"]
    changed = next(item for item in history
                   if json.loads(item["HistoryData"])["newState"]["stateValue"] == "ALARM")["Timestamp"]
    activity = fleet.activities(name)[-1]["StartTime"]
    ecs = fleet.ecs
    machine = ecs.describe_container_instances(
        cluster=name, containerInstances=ecs.list_container_instances(cluster=name)["containerInstanceArns"])
    tasks = ecs.describe_tasks(cluster=name, tasks=ecs.list_tasks(cluster=name)["taskArns"])["tasks"]
    times = [changed, activity, machine["containerInstances"][0]["registeredAt"], tasks[0]["createdAt"],
             eventually(lambda: ecs.describe_tasks(cluster=name, tasks=[tasks[0]["taskArn"]])["tasks"][0].get("startedAt")),
             output]
    return dict(zip(STAGES, [milliseconds(one, since) for one in times]))


def measure(fleet, name, url, output):
    sqs = fleet.client("sqs")
    began = time.time()
    sqs.send_message(QueueUrl=url, MessageBody="work")
    found = wait_for_file(output)
    stages = read_stages(fleet, name, began, found)
    fleet.autoscaling.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)
    eventually(lambda: not fleet.live_instances())
    return stages


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def run(driver, runs):
    pool = ["--pool-gpus", "fake:1xT4", "--pool-driver", driver]
    with ScalingCluster(arguments=pool) as fleet:
        prepared = [(f"run-{i}", *prepare(fleet, f"run-{i}", driver)) for i in range(runs)]
        cloudwatch = fleet.client("cloudwatch")
        eventually(lambda: not cloudwatch.describe_alarms(StateValue="INSUFFICIENT_DATA")["MetricAlarms"])
        results = [measure(fleet, *one) for one in prepared]
    print(f"{driver}, {runs} runs: milliseconds after the message was sent")
    for stage in STAGES:
        values = [result[stage] for result in results]
        print(f"  {stage:12} p50 {statistics.median(values):7.0f}   p95 {percentile(values, 0.95):7.0f}")
    total, target = statistics.median(result["output"] for result in results), TARGET_MS[driver]
    if target:
        print(f"  first output, median{'':20} {target:>6} {total:10.0f}  {'pass' if total <= target else 'MISS'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--driver", choices=["process", "docker"], action="append")
    arguments = parser.parse_args()
    for driver in arguments.driver or ["process", "docker"]:
        if driver == "docker" and not docker_answers():
            print("docker: no engine answers here")
            continue
        run(driver, arguments.runs)


if __name__ == "__main__":
    main()
