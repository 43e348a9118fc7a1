#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The time from an accepted point to an executed action, with many alarms: PutMetricData is answered, the alarm's loop
changes the state, and the actions' loop sends a message (its SentTimestamp). The time until a long poll has received
that message is shown as well: it has two more syncs of the disk, of the message and of its receipt."""
import argparse
import concurrent.futures
import json
import pathlib
import statistics
import sys
import threading
import time

import boto3
import botocore.config

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests"))

from support.server import Server  # noqa: E402

TARGET_MS = 20
CLIENTS = 8
POLL_BEGINS_SECONDS = 0.05  # the start of the long poll is not measured


def connect(server, service):
    config = botocore.config.Config(retries={"total_max_attempts": 1}, max_pool_connections=CLIENTS)
    key = server.root_key
    return boto3.client(service, region_name="us-east-1", endpoint_url=server.endpoint, config=config,
                        aws_access_key_id=key.id, aws_secret_access_key=key.secret)


def make_queue(sqs):
    url = sqs.create_queue(QueueName="alerts")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    statement = {"Effect": "Allow", "Principal": {"Service": "cloudwatch.amazonaws.com"}, "Action": "sqs:SendMessage",
                 "Resource": arn}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})
    return url, arn


def dimensions(number):
    return [{"Name": "Number", "Value": str(number)}]


def make_alarms(cloudwatch, arn, count):
    def make(number):
        cloudwatch.put_metric_alarm(
            AlarmName=f"alarm-{number}", Namespace="Bench", MetricName="Depth", Dimensions=dimensions(number),
            Statistic="Maximum", Period=60, EvaluationPeriods=1, Threshold=5,
            ComparisonOperator="GreaterThanThreshold", AlarmActions=[arn])

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(make, range(count)))


def measure(cloudwatch, sqs, url, number):
    """Milliseconds from the answer of PutMetricData to the action, and to the receipt of its message."""
    received = {}

    def receive():
        received["messages"] = sqs.receive_message(
            QueueUrl=url, WaitTimeSeconds=20, AttributeNames=["SentTimestamp"])["Messages"]
        received["at"] = time.time() * 1000

    waiting = threading.Thread(target=receive)
    waiting.start()
    time.sleep(POLL_BEGINS_SECONDS)
    datum = {"MetricName": "Depth", "Dimensions": dimensions(number), "Value": 10}
    cloudwatch.put_metric_data(Namespace="Bench", MetricData=[datum])
    accepted = time.time() * 1000
    waiting.join()
    message = received["messages"][0]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return float(message["Attributes"]["SentTimestamp"]) - accepted, received["at"] - accepted


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--alarms", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=200)
    chosen = options.parse_args()
    with Server() as server:
        cloudwatch, sqs = connect(server, "cloudwatch"), connect(server, "sqs")
        url, arn = make_queue(sqs)
        make_alarms(cloudwatch, arn, chosen.alarms)
        times = [measure(cloudwatch, sqs, url, number) for number in range(min(chosen.rounds, chosen.alarms))]
    for name, values in zip(("executed action", "received message"), map(sorted, zip(*times))):
        print(f"{chosen.alarms} alarms: from accepted point to {name}: median {statistics.median(values):.1f} ms, "
              f"90th percentile {values[int(len(values) * 0.9)]:.1f} ms, slowest {values[-1]:.1f} ms")
    print(f"target: {TARGET_MS} ms to the executed action at the median")


if __name__ == "__main__":
    main()
