#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A plain boto3 worker: it receives the events of a bucket, reads each object, processes it on a GPU, stores the
result beside it, and deletes the message only then: if it dies half-way, the next worker gets the message.

  QUEUE     the queue's URL
  MESSAGES  the number of messages to process; without it the worker runs forever

Region, endpoint and credentials are the task's."""
import json
import os
import subprocess
import urllib.parse

import boto3

# Clients from mid-2023 on read the endpoint from the environment.
endpoint = os.environ.get("AWS_ENDPOINT_URL")
sqs = boto3.client("sqs", endpoint_url=endpoint)
s3 = boto3.client("s3", endpoint_url=endpoint)


def process(body):
    """The place of your model; here: the name of the GPU and the size of the object."""
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    return {"gpu": gpu.stdout.strip(), "bytes": len(body), "words": len(body.split())}


def work(message):
    """One message may have several records; S3's test event has none."""
    for record in json.loads(message["Body"]).get("Records", []):
        bucket = record["s3"]["bucket"]["name"]
        key = urllib.parse.unquote_plus(record["s3"]["object"]["key"])
        body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
        result = "results/" + os.path.basename(key) + ".json"
        s3.put_object(Bucket=bucket, Key=result, Body=json.dumps(process(body)), ContentType="application/json")
        print(f"{key} -> {result}", flush=True)


left = int(os.environ.get("MESSAGES", "-1"))
while left != 0:
    received = sqs.receive_message(QueueUrl=os.environ["QUEUE"], WaitTimeSeconds=20)
    for message in received.get("Messages", []):
        work(message)
        sqs.delete_message(QueueUrl=os.environ["QUEUE"], ReceiptHandle=message["ReceiptHandle"])
        left -= 1
